package sql

import (
	"fmt"
	"strconv"
	"strings"
)

// keyRange writes conditions on the columns of a key, in the order in which its index holds the rows.
//
// Rows are compared column by column, expanded into OR terms, once for the lower and once for the upper end:
//
//	(a > ? OR (a = ? AND (b > ? OR (b = ? AND c > ?)))) AND (a < ? OR …)
//
// Both MySQL's and MariaDB's optimizers make of it exactly the intervals of the index that it covers, and keep the index's
// order. A condition on the first column alone would add nothing. Row constructors, (a, b, c) > (?, ?, ?), find no index.
type keyRange struct {
	columns []keyColumn
}

type keyColumn struct {
	name    string // escaped, for a statement
	binding *Binding
	numbers int64 // of an ENUM or a short SET: the number of its values, from 0; of others 0
	column  Column
}

// maxListedValues is how many values of an ENUM or SET are listed to keep a range read on the index.
const maxListedValues = 1 << 12

func newKeyRange(columns []Column) (*keyRange, error) {
	k := &keyRange{columns: make([]keyColumn, len(columns))}
	for i, column := range columns {
		binding, err := NewBinding(column, column, TimeZones{})
		if err != nil {
			return nil, err
		}
		k.columns[i] = keyColumn{name: quoted(column.Name), binding: binding, column: column}
		switch labels := len(column.Type.Labels); {
		case column.Type.Kind == KindEnum && labels < maxListedValues:
			k.columns[i].numbers = int64(labels) + 1
		case column.Type.Kind == KindSet && 1<<labels <= maxListedValues:
			k.columns[i].numbers = 1 << labels
		}
	}
	return k, nil
}

// end is one end of a range: which side of the bound it takes, and whether the bound belongs to it.
type end struct {
	operator  string // < or >
	inclusive bool
	bound     Bound
}

// appendRange writes the condition for the rows behind from (or with it) and up to to.
func (k *keyRange) appendRange(s *statement, from Bound, includeFrom bool, to Bound) error {
	if err := k.appendEnd(s, end{operator: ">", inclusive: includeFrom, bound: from}); err != nil {
		return err
	}
	s.write(" AND ")
	return k.appendEnd(s, end{operator: "<", inclusive: true, bound: to})
}

func (k *keyRange) appendEnd(s *statement, end end) error {
	if len(end.bound) != len(k.columns) {
		return fmt.Errorf("a bound has %d values, the key has %d columns", len(end.bound), len(k.columns))
	}
	last := len(k.columns) - 1
	for i, column := range k.columns[:last] {
		s.write("(")
		if err := column.appendComparison(s, end.operator, end.bound[i]); err != nil {
			return err
		}
		s.write(" OR (")
		if err := column.appendComparison(s, "=", end.bound[i]); err != nil {
			return err
		}
		s.write(" AND ")
	}
	operator := end.operator
	if end.inclusive {
		operator += "="
	}
	s.write("(")
	if err := k.columns[last].appendComparison(s, operator, end.bound[last]); err != nil {
		return err
	}
	s.write(")", strings.Repeat("))", last))
	return nil
}

func (c *keyColumn) appendComparison(s *statement, operator string, value any) error {
	if operator != "=" && c.numbers > 0 && value != nil {
		return c.appendList(s, operator, value)
	}
	s.write(c.name, " ", operator, " ")
	return c.binding.AppendComparable(&s.text, &s.args, value)
}

// appendList lists the values of an ENUM or SET on one side of the bound. Servers use an index for the equality of such a
// column with a number, but neither for an order of numbers nor, since the index is ordered by number, for one of labels.
func (c *keyColumn) appendList(s *statement, operator string, value any) error {
	number, err := setOrEnumNumber(c.column.Type, value)
	if err != nil {
		return fmt.Errorf("value of column %s %s: %w", EscapeName(c.column.Name), c.column.Type.Text, err)
	}
	first, last := number+1, c.numbers-1
	if operator[0] == '<' {
		first, last = 0, number-1
	}
	if strings.HasSuffix(operator, "=") {
		first, last = min(first, number), max(last, number)
	}
	if first > last {
		s.write("FALSE")
		return nil
	}
	s.write(c.name, " IN (")
	for i := first; i <= last; i++ {
		if i > first {
			s.write(",")
		}
		s.write(strconv.FormatInt(i, 10))
	}
	s.write(")")
	return nil
}

func setOrEnumNumber(column ColumnType, value any) (int64, error) {
	if column.Kind == KindEnum {
		return labelIndex(column, value)
	}
	mask, err := setMask(column, value)
	return int64(mask), err
}
