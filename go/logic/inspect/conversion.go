package inspect

import (
	"slices"
	"strings"

	"github.com/github/gh-ost/go/sql"
)

// sameValue tells whether the ghost's column gets its values from the original's, or by a computation that gives the same.
func (c *comparison) sameValue(pair sql.SharedColumn) bool {
	if !pair.Target.IsGenerated() {
		return true
	}
	return pair.Source.IsGenerated() && c.sameExpression(c.original.expression(pair.Source), c.ghost.expression(pair.Target))
}

// sameExpression tells whether an expression gives the same in both tables: the text is the same, and no column in it has
// another name or values that read differently.
func (c *comparison) sameExpression(source, ghost string) bool {
	if source != ghost {
		return false
	}
	for _, column := range c.original.Columns.Columns() {
		if !strings.Contains(source, sql.EscapeName(column.Name)) {
			continue
		}
		pair, found := c.pairOf(column.Name)
		if !found || !strings.EqualFold(pair.Target.Name, pair.Source.Name) || !c.readsAlike(pair) {
			return false
		}
	}
	return true
}

// readsAlike tells whether no expression can tell a value in the ghost from the same in the original.
func (c *comparison) readsAlike(pair sql.SharedColumn) bool {
	source, target := pair.Source, pair.Target
	if source.Charset != target.Charset || source.Collation != target.Collation || !c.sameValue(pair) {
		return false
	}
	switch {
	case source.Type.Text == target.Type.Text:
		return true
	case source.Type.IsInteger() && target.Type.IsInteger():
		return !source.Type.ZeroFill && !target.Type.ZeroFill && source.Type.Unsigned == target.Type.Unsigned && widens(source.Type, target.Type)
	case source.Type.Kind == sql.KindVarChar:
		return source.Type.Kind == target.Type.Kind && widens(source.Type, target.Type)
	case source.Type.Kind == sql.KindEnum: // whose numbers an expression may read
		return source.Type.Kind == target.Type.Kind && len(target.Type.Labels) >= len(source.Type.Labels) &&
			slices.Equal(source.Type.Labels, target.Type.Labels[:len(source.Type.Labels)])
	}
	return false
}

// keepsDistinct tells whether values that a unique key of the original holds for different are different to one of the ghost.
// It says so only of conversions that are known to lose nothing and to keep the collation; all others may make two values
// one, and be it under a loose sql_mode.
func (c *comparison) keepsDistinct(pair sql.SharedColumn) bool {
	source, target := pair.Source, pair.Target
	if source.Charset != target.Charset || source.Collation != target.Collation || !c.sameValue(pair) {
		return false
	}
	return source.Type.Text == target.Type.Text || widens(source.Type, target.Type) || losesPaddingOnly(source, target)
}

// losesPaddingOnly tells whether a CHAR takes all values of a VARCHAR but for spaces at the end, which the collation does not
// look at.
func losesPaddingOnly(source, target sql.Column) bool {
	return source.Type.Kind == sql.KindVarChar && target.Type.Kind == sql.KindChar && target.Type.Length >= source.Type.Length && source.PadsSpaces()
}

// widens tells whether every value of the first type is one of the second, and equal values remain the only equal ones.
func widens(source, target sql.ColumnType) bool {
	if source.IsInteger() && target.IsInteger() {
		return widensInteger(source, target)
	}
	longer := target.Length >= source.Length
	switch source.Kind {
	case sql.KindDecimal:
		return target.Kind == sql.KindDecimal && (target.Unsigned == source.Unsigned || source.Unsigned) &&
			target.Decimals >= source.Decimals && target.Length-target.Decimals >= source.Length-source.Decimals
	case sql.KindChar:
		return (target.Kind == sql.KindChar || target.Kind == sql.KindVarChar) && longer
	case sql.KindVarChar:
		return target.Kind == sql.KindVarChar && longer || isLongText(target)
	case sql.KindFloat, sql.KindDouble:
		return target.Kind == source.Kind && !target.FixedDecimals && source.Unsigned == target.Unsigned
	case sql.KindBinary:
		return (target.Kind == sql.KindBinary || target.Kind == sql.KindVarBinary) && longer
	case sql.KindVarBinary:
		return target.Kind == sql.KindVarBinary && longer || isLongBlob(target)
	case sql.KindTinyText, sql.KindText, sql.KindMediumText:
		return target.Kind >= source.Kind && target.Kind <= sql.KindLongText
	case sql.KindTinyBlob, sql.KindBlob, sql.KindMediumBlob:
		return target.Kind >= source.Kind && target.Kind <= sql.KindLongBlob
	case sql.KindBit:
		return target.Kind == sql.KindBit && longer
	case sql.KindTime, sql.KindDateTime, sql.KindTimestamp:
		return target.Kind == source.Kind && target.Decimals >= source.Decimals
	case sql.KindEnum, sql.KindSet:
		return target.Kind == source.Kind && target.HoldsLabels(source)
	case sql.KindDate, sql.KindYear:
		return target.Kind == source.Kind
	}
	return false
}

// isLongText is true of the TEXT types that hold any VARCHAR.
func isLongText(columnType sql.ColumnType) bool {
	return columnType.Kind >= sql.KindText && columnType.Kind <= sql.KindLongText
}

// isLongBlob is true of the BLOB types that hold any VARBINARY.
func isLongBlob(columnType sql.ColumnType) bool {
	return columnType.Kind >= sql.KindBlob && columnType.Kind <= sql.KindLongBlob
}

var integerOrder = []sql.Kind{sql.KindTinyInt, sql.KindSmallInt, sql.KindMediumInt, sql.KindInt, sql.KindBigInt}

func widensInteger(source, target sql.ColumnType) bool {
	from, to := slices.Index(integerOrder, source.Kind), slices.Index(integerOrder, target.Kind)
	switch {
	case source.Unsigned == target.Unsigned:
		return to >= from
	case source.Unsigned:
		return to > from
	default:
		return false
	}
}
