package sql

import "strings"

// OptionsWithoutForeignKeyDrops returns the options without their DROP FOREIGN KEY actions, for a table that has not taken
// over the foreign keys. Options with executable comments are returned as they are: what is an action there, not every
// server sees.
func (p *AlterTableParser) OptionsWithoutForeignKeyDrops() string {
	options := p.options
	if strings.Contains(options, "/*!") || strings.Contains(options, "/*M!") {
		return options
	}
	start := p.length - len(options)
	end := func(a alterAction) int { return a.offset + len(a.text) }
	cut := func(from, to int) { options = options[:from-start] + options[to-start:] }
	last := len(p.actions) - 1
	for i := last; i >= 0; i-- { // from behind, so that the offsets before stay right
		action := p.actions[i]
		switch {
		case !action.dropsForeignKey:
		case i < last:
			cut(action.offset, p.actions[i+1].offset) // with the comma behind it
		case i > 0:
			cut(end(p.actions[i-1]), end(action)) // with the comma before it
			last--
		default:
			cut(action.offset, end(action))
		}
	}
	return options
}
