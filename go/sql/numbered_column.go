package sql

import (
	"errors"
	"fmt"
)

// A column that becomes AUTO_INCREMENT gets numbers of the server in the place of NULL. A native ALTER gives them in the order
// in which it reads the rows, once. A row that is copied, applied and applied again would get another each time, or one that
// another row brings along, which is then kept out of the ghost. So NULL is refused.

// BecomesAutoIncrement tells whether the ALTER makes the column AUTO_INCREMENT, which it was not.
func (s SharedColumn) BecomesAutoIncrement() bool {
	return s.Target.AutoIncrement && !s.Source.AutoIncrement && s.IsWritten()
}

var errNumbered = errors.New("it becomes AUTO_INCREMENT and is NULL in a row, which a native ALTER would number. Which number that is cannot be " +
	"known while rows are copied and changed: give such rows numbers first")

// NumberedError says why a row with NULL is refused.
func (s SharedColumn) NumberedError() error {
	return fmt.Errorf("column %s: %w", EscapeName(s.Source.Name), errNumbered)
}

func (s SharedColumn) refuseNull(value any) error {
	if value == nil {
		return s.NumberedError()
	}
	return nil
}
