package binlog

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStatementsAreToldFromTransactionControl(t *testing.T) {
	for _, c := range []struct {
		query string
		kind  entryKind
		name  string
	}{
		{"BEGIN", entryBegin, ""},
		{"begin", entryBegin, ""},
		{"COMMIT", entryCommit, ""},
		{"ROLLBACK", entryRollback, ""},
		{"SAVEPOINT `s1`", entrySavepoint, "s1"},
		{"SAVEPOINT `S``1`", entrySavepoint, "s`1"},
		{"ROLLBACK TO `s1`", entryRollbackTo, "s1"},
		{"ROLLBACK TO SAVEPOINT s1", entryRollbackTo, "s1"},
		{"ROLLBACK TO `savepoint`", entryRollbackTo, "savepoint"},
		{"RELEASE SAVEPOINT `s1`", entryNothing, ""},
		{"XA START X'7831',X'',1", entryXAStart, "X'7831',X'',1"},
		{"XA END X'7831',X'',1", entryNothing, ""},
		{"XA PREPARE X'7831',X'',1", entryXAPrepare, "X'7831',X'',1"},
		{"XA COMMIT X'7831',X'62',-1", entryXACommit, "X'7831',X'62',-1"},
		{"xa commit 'x1','b'", entryXACommit, "X'7831',X'62',1"},
		{"XA COMMIT 'x1' ONE PHASE", entryXACommit, "X'7831',X'',1"},
		{"XA ROLLBACK 'it''s, this'", entryXARollback, "X'697427732c2074686973',X'',1"},
		{"# Dummy event replacing event type 160 that slave cannot handle.", entryNothing, ""},
		{"/* one */ -- two\n BEGIN ;", entryBegin, ""},
		{"", entryNothing, ""},

		{"ALTER TABLE t ADD c int", entryStatement, ""},
		{"/* hint */ DROP TABLE t", entryStatement, ""},
		{"/*!40101 SET x */", entryStatement, ""},
		{"BEGIN NOT ATOMIC SELECT 1; END", entryStatement, ""},
		{"COMMIT ALTER 7", entryStatement, ""},
		{"BEGINNING", entryStatement, ""},
		{"`BEGIN`", entryStatement, ""},
		{"XA RECOVER", entryStatement, ""},
	} {
		kind, name := classify(c.query)
		assert.Equal(t, c.kind, kind, c.query)
		assert.Equal(t, c.name, name, c.query)
	}
}
