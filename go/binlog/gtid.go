package binlog

import (
	"fmt"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
)

// gtid is one global transaction id of either flavor.
type gtid struct {
	sid [16]byte // MySQL
	tag gomysql.Tag
	gno int64

	mariadb *gomysql.MariadbGTID // nil on MySQL
}

// isZero tells that the transaction has no id: GTID mode is off.
func (g gtid) isZero() bool {
	return g.mariadb == nil && g.gno == 0
}

func (g gtid) String() string {
	switch {
	case g.mariadb != nil:
		return g.mariadb.String()
	case g.tag != gomysql.Tag{}:
		return fmt.Sprintf("%x-%x-%x-%x-%x:%s:%d", g.sid[:4], g.sid[4:6], g.sid[6:8], g.sid[8:10], g.sid[10:], g.tag, g.gno)
	default:
		return fmt.Sprintf("%x-%x-%x-%x-%x:%d", g.sid[:4], g.sid[4:6], g.sid[6:8], g.sid[8:10], g.sid[10:], g.gno)
	}
}

// addTo puts the transaction into the set.
func (g gtid) addTo(set gomysql.GTIDSet) error {
	switch set := set.(type) {
	case *gomysql.MysqlGTIDSet:
		if g.mariadb == nil {
			set.AddGTIDWithTag(g.sid, g.tag, g.gno)
			return nil
		}
	case *gomysql.MariadbGTIDSet:
		if g.mariadb != nil {
			// Not set.AddSet: it writes a warning to stderr when a domain's numbers do not ascend.
			set.Sets[g.mariadb.DomainID] = g.mariadb.Clone()
			return nil
		}
	}
	return fmt.Errorf("transaction %s does not fit into a GTID set of type %T: is the server of the configured flavor?", g, set)
}
