package sql

import (
	"cmp"
	"slices"
	"strings"
)

// readConstraint remembers the constraint that DROP or ALTER refers to by its name, which stands next.
func (c *tokenCursor) readConstraint(action *alterAction) (complete bool) {
	c.accept("IF", "EXISTS")
	action.constraint = c.peek()
	_, complete = action.constraint.name()
	return complete
}

// namesOfAddedChecks finds CONSTRAINT name CHECK, which may stand anywhere in the definition of a column or behind ADD.
func namesOfAddedChecks(tokens []alterToken) (names []alterToken) {
	for i := 0; i+2 < len(tokens); i++ {
		if _, isName := tokens[i+1].name(); isName && tokens[i].isWord("CONSTRAINT") && tokens[i+2].isWord("CHECK") {
			names = append(names, tokens[i+1])
		}
	}
	return names
}

// ReferencedConstraints returns the names that DROP CHECK, DROP CONSTRAINT, ALTER CHECK and ALTER CONSTRAINT refer to, in their order. Behind
// CONSTRAINT it may be the name of a check, a key or a foreign key. Names given to new constraints are not among them.
func (p *AlterTableParser) ReferencedConstraints() []string {
	var names []string
	for _, token := range p.constraints {
		name, _ := token.name()
		names = append(names, name)
	}
	return names
}

// OptionsForConstraints returns the options with the ReferencedConstraints, and the names of new checks, replaced by what translate returns
// for them; a name that it returns unchanged stays as it is written. MySQL's names of checks are unique in a schema, so the checks of the
// ghost table are never called as those of the original, and an ALTER that refers to one, or replaces one, must be translated for it.
func (p *AlterTableParser) OptionsForConstraints(translate func(name string) string) string {
	start := p.length - len(p.options) // in the whole text, which the options are the end of
	var options strings.Builder
	done := 0
	names := slices.SortedFunc(slices.Values(slices.Concat(p.constraints, p.checks)), func(a, b alterToken) int { return cmp.Compare(a.offset, b.offset) })
	for _, token := range names {
		name, _ := token.name()
		if translated := translate(name); translated != name {
			options.WriteString(p.options[done : token.offset-start])
			options.WriteString(EscapeName(translated))
			done = token.end() - start
		}
	}
	return options.String() + p.options[done:]
}
