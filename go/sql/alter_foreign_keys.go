package sql

import (
	"slices"
	"strings"
)

// OptionsWithoutForeignKeyDrops returns the options without their DROP FOREIGN KEY actions, and without DROP CONSTRAINT of
// one of the named foreign keys, for a table that has not taken over the foreign keys. Names are compared ignoring case. Options
// with executable comments are returned as they are: what is an action there, not every server sees.
func (p *AlterTableParser) OptionsWithoutForeignKeyDrops(foreignKeys ...string) string {
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
		case !action.dropsForeignKey && !action.dropsConstraintOf(foreignKeys):
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

// dropsConstraintOf reports whether the action is DROP CONSTRAINT of one of the names.
func (a alterAction) dropsConstraintOf(names []string) bool {
	if !a.dropsConstraint {
		return false
	}
	dropped, _ := a.constraint.name()
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, dropped) })
}
