package mysql

import (
	"fmt"
	"strings"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
)

// The two families of servers. They differ, among many things, in what a global transaction id is.
const (
	MySQLFlavor   = gomysql.MySQLFlavor
	MariaDBFlavor = gomysql.MariaDBFlavor
)

// GTIDBinlogCoordinates is a place in the binary log told by the transactions up to there. On MySQL it is a set of
// transactions; on MariaDB the last transaction of each replication domain, which contains all earlier ones of that
// domain whichever server wrote them.
type GTIDBinlogCoordinates struct {
	GTIDSet gomysql.GTIDSet
}

var _ BinlogCoordinates = (*GTIDBinlogCoordinates)(nil)

// NewGTIDBinlogCoordinates reads a set as the server writes it, line breaks allowed. The flavor is MySQLFlavor or
// MariaDBFlavor. An empty text is the empty set.
func NewGTIDBinlogCoordinates(flavor, gtidSet string) (*GTIDBinlogCoordinates, error) {
	text := strings.Join(strings.Fields(gtidSet), "")
	set, err := gomysql.ParseGTIDSet(flavor, text)
	if err != nil {
		return nil, fmt.Errorf("reading %s GTID set %q: %w", flavor, gtidSet, err)
	}
	return &GTIDBinlogCoordinates{GTIDSet: set}, nil
}

// String returns the set as the server writes it.
func (c *GTIDBinlogCoordinates) String() string {
	if c == nil || c.GTIDSet == nil {
		return ""
	}
	return c.GTIDSet.String()
}

// DisplayString returns the set as the server writes it.
func (c *GTIDBinlogCoordinates) DisplayString() string {
	return c.String()
}

// IsEmpty tells whether the set has no transaction.
func (c *GTIDBinlogCoordinates) IsEmpty() bool {
	return c == nil || c.GTIDSet == nil || c.GTIDSet.IsEmpty()
}

// Equals tells whether both have the same transactions.
func (c *GTIDBinlogCoordinates) Equals(other BinlogCoordinates) bool {
	o, ok := other.(*GTIDBinlogCoordinates)
	if !ok || c == nil || o == nil {
		return false
	}
	if c.IsEmpty() || o.IsEmpty() {
		return c.IsEmpty() && o.IsEmpty()
	}
	return c.GTIDSet.Equal(o.GTIDSet)
}

// SmallerThan tells whether the other has all of these transactions and at least one more.
func (c *GTIDBinlogCoordinates) SmallerThan(other BinlogCoordinates) bool {
	return c.SmallerThanOrEquals(other) && !c.Equals(other)
}

// SmallerThanOrEquals tells whether the other has all of these transactions.
func (c *GTIDBinlogCoordinates) SmallerThanOrEquals(other BinlogCoordinates) bool {
	o, ok := other.(*GTIDBinlogCoordinates)
	if !ok || c == nil || o == nil {
		return false
	}
	if c.IsEmpty() {
		return true
	}
	return !o.IsEmpty() && o.GTIDSet.Contain(c.GTIDSet)
}

// Clone returns an independent copy.
func (c *GTIDBinlogCoordinates) Clone() BinlogCoordinates {
	clone := &GTIDBinlogCoordinates{}
	if c.GTIDSet != nil {
		clone.GTIDSet = c.GTIDSet.Clone()
	}
	return clone
}
