package logic

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestTheReasonSaysWhoForHowLongAndWithWhatLongestFirst(t *testing.T) {
	blockers := []Blocker{
		{ConnectionID: 12, User: "app", Host: "10.0.0.8:4", Kind: RunningStatement, Table: orders, Age: 3200 * time.Millisecond, Statement: "SELECT count(*)\n\tFROM orders"},
		{ConnectionID: 11, User: "app", Host: "10.0.0.7:5", Program: "till", Kind: IdleTransaction, Table: orders, Age: 14*time.Minute + 3*time.Second,
			Idle: 14 * time.Minute, TransactionSeen: true, Statement: "SELECT * FROM orders WHERE id = 1"},
	}
	longestFirst(blockers)

	assert.Equal(t, "held: `shop`.`orders` by connection 11 (app@10.0.0.7:5, till): transaction open for 14m3s, idle for 14m0s, no rows changed, statement: SELECT * FROM orders WHERE id = 1; "+
		"connection 12 (app@10.0.0.8:4): statement or its transaction running for 3.2s, statement: SELECT count(*) FROM orders",
		(&BlockedError{Table: orders, Blockers: blockers}).Error())
}

func TestTheReasonIsOneLineOfBoundedLength(t *testing.T) {
	long := strings.Repeat("SELECT 'žluťoučký kůň'\n", 500)
	var blockers []Blocker
	for id := range int64(50) {
		blockers = append(blockers, Blocker{ConnectionID: id, User: long, Host: long, Program: long, Table: orders, Statement: long + "\xff"})
	}

	text := (&BlockedError{Table: orders, Blockers: blockers}).Error()

	assert.LessOrEqual(t, len(text), reasonLength)
	assert.NotContains(t, text, "\n")
	assert.True(t, utf8.ValidString(text))
}

func TestTheReasonAdmitsWhatTheServerDoesNotShow(t *testing.T) {
	assert.Equal(t, "`shop`.`orders` is held by a session that the server does not name", (&BlockedError{Table: orders}).Error())
	suspect := Blocker{ConnectionID: 9, User: "app", Host: "h", Table: orders, Suspected: true, Age: time.Minute}
	assert.Contains(t, (&BlockedError{Table: orders, Blockers: []Blocker{suspect}}).Error(), "does not name; these are the oldest transactions: `shop`.`orders` by connection 9")
}

func TestMoreBlockersThanALineBearsAreCounted(t *testing.T) {
	text := (&BlockedError{Table: orders, Blockers: make([]Blocker, 7)}).Error()
	assert.True(t, strings.HasSuffix(text, "; and 4 more"), text)
}

func TestAnXATransactionIsNamedAsItsRollbackTakesIt(t *testing.T) {
	assert.Equal(t, "'a'", transactionID(1, []byte("a"), nil))
	assert.Equal(t, "'a','b'", transactionID(1, []byte("a"), []byte("b")))
	assert.Equal(t, "'a','',7", transactionID(7, []byte("a"), nil))
	assert.Equal(t, "X'00ff27','it'", transactionID(1, []byte("\x00\xff'"), []byte("it")))
}

func TestAStatementNamesATableOnlyAsAWord(t *testing.T) {
	for statement, names := range map[string]bool{
		"SELECT 1 FROM orders": true, "select 1 from `shop`.`Orders` o": true, "orders": true,
		"SELECT 1 FROM orders_old": false, "SELECT 1 FROM old_orders, orders2": false, "SELECT 1 FROM old_orders, orders": true, "": false,
	} {
		assert.Equal(t, names, namesTable(statement, "orders"), statement)
	}
}
