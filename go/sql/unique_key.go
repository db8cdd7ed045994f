package sql

import "fmt"

// primaryKeyName is what servers call every primary key.
const primaryKeyName = "PRIMARY"

// UniqueKey is a unique key of the original table, by which rows are walked, found and told apart.
type UniqueKey struct {
	Name             string
	NameInGhostTable string     // the ghost's key that contains all of Columns; "" until the tables were compared
	Columns          ColumnList // of the original, in the key's order
	HasNullable      bool       // some column can be NULL, so NULL rows are not told apart
	IsAutoIncrement  bool       // the first column is AUTO_INCREMENT
	HasPrefix        bool       // some column is indexed by a prefix only
}

// IsPrimary is true of the primary key.
func (k *UniqueKey) IsPrimary() bool {
	return k.Name == primaryKeyName
}

// Len returns the number of columns.
func (k *UniqueKey) Len() int {
	return k.Columns.Len()
}

// String describes the key for messages.
func (k *UniqueKey) String() string {
	return fmt.Sprintf("%s: (%s); has nullable: %t", k.Name, k.Columns.String(), k.HasNullable)
}
