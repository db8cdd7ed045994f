package sql

import (
	"fmt"
	"strings"
)

// ColumnValues are the values of some columns in one row, such as one end of a range. A nil *ColumnValues has none.
type ColumnValues struct {
	values []any
}

// NewColumnValues holds a copy of the values.
func NewColumnValues(values []any) *ColumnValues {
	return &ColumnValues{values: append([]any(nil), values...)}
}

// AbstractValues returns a copy of the values.
func (v *ColumnValues) AbstractValues() []any {
	if v == nil {
		return nil
	}
	return append([]any(nil), v.values...)
}

// StringColumn returns the text of the value at the index, which must be in range. NULL is the text NULL.
func (v *ColumnValues) StringColumn(index int) string {
	switch value := v.values[index].(type) {
	case nil:
		return "NULL"
	case []byte:
		return string(value)
	default:
		return fmt.Sprint(value)
	}
}

// String returns the values' texts as a comma list, for messages.
func (v *ColumnValues) String() string {
	if v == nil {
		return ""
	}
	texts := make([]string, len(v.values))
	for i := range v.values {
		texts[i] = v.StringColumn(i)
	}
	return strings.Join(texts, ",")
}
