package logic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/github/gh-ost/go/sql"
)

// BlockerKind says what a session is that keeps the cut-over from its lock.
type BlockerKind uint8

// The kinds of blockers.
const (
	IdleTransaction     BlockerKind = iota // an open transaction whose client does nothing
	RunningStatement                       // a statement that runs, in a transaction or by itself
	PreparedTransaction                    // an XA transaction that is prepared: only its own commit or rollback ends it
	TableLock                              // a lock outside any transaction: LOCK TABLES, HANDLER, a global or backup lock
	SchemaChange                           // a statement that changes, checks or rebuilds the table itself
	Backup                                 // a dump or backup program
	Replication                            // a thread of the server's own: replication, events
	OwnSession                             // a session of this tool
)

var blockerKindNames = [...]string{
	IdleTransaction: "idle transaction", RunningStatement: "running statement", PreparedTransaction: "prepared XA transaction",
	TableLock: "table lock", SchemaChange: "schema change", Backup: "backup", Replication: "server thread", OwnSession: "own session",
}

// String names the kind.
func (k BlockerKind) String() string { return blockerKindNames[k] }

// Blocker is a session, or what is left of one, that holds a lock which the cut-over needs.
type Blocker struct {
	ConnectionID int64 // 0: there is no session any more
	User, Host   string
	Program      string // as the client calls itself; may be empty
	Kind         BlockerKind

	Table   sql.TableName // zero: the lock is on the whole server
	Lock    string        // the server's name for it
	Pending bool          // it is asked for, not held yet

	Age  time.Duration // of the transaction, or of the lock or statement where there is none
	Idle time.Duration // since the last statement ended; 0 while one runs

	Statement string // that runs, or ran last; may be empty

	TransactionSeen bool  // the storage engine shows the session's transaction
	RowsModified    int64 // by that transaction
	AutocommitRead  bool  // the transaction is nothing but the one SELECT that runs

	// Suspected: the server does not show who holds the table. Somebody does, and this is an old transaction.
	Suspected bool

	deliberate bool // it counts whatever its age
}

// statementShown bounds what is shown of a statement, in characters.
const statementShown = 80

// String describes the blocker in one line.
func (b Blocker) String() string {
	var parts []string
	switch b.Kind {
	case IdleTransaction:
		parts = append(parts, "transaction open for "+shortly(b.Age))
		if b.Idle > 0 {
			parts = append(parts, "idle for "+shortly(b.Idle))
		}
		parts = append(parts, b.changes())
	case RunningStatement:
		parts = append(parts, "statement or its transaction running for "+shortly(b.Age), b.changes())
	case PreparedTransaction:
		parts = append(parts, "prepared XA transaction, open for "+shortly(b.Age))
	case TableLock:
		parts = append(parts, "locked outside a transaction ("+b.Lock+") for "+shortly(b.Age)+" or longer")
	case SchemaChange:
		parts = append(parts, "schema change or table maintenance for "+shortly(b.Age))
	case Backup, Replication, OwnSession:
		parts = append(parts, b.Kind.String()+" for "+shortly(b.Age), b.changes())
	}
	if b.Pending {
		parts = append(parts, "waiting in front of the cut-over")
	}
	if b.Statement != "" {
		parts = append(parts, "statement: "+oneLine(b.Statement, statementShown))
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return b.who() + ": " + strings.Join(parts, ", ")
}

func (b Blocker) who() string {
	if b.ConnectionID == 0 {
		return "a client that is gone"
	}
	account := b.User + "@" + b.Host
	if b.Program != "" {
		account += ", " + b.Program
	}
	return fmt.Sprintf("connection %d (%s)", b.ConnectionID, oneLine(account, statementShown))
}

func (b Blocker) changes() string {
	switch {
	case !b.TransactionSeen:
		return ""
	case b.RowsModified == 0:
		return "no rows changed"
	}
	return fmt.Sprintf("%d rows changed", b.RowsModified)
}

func (b Blocker) place() string {
	if b.Table.Name == "" {
		return "the whole server"
	}
	return b.Table.String()
}

// BlockedError says who keeps the cut-over from the tables.
type BlockedError struct {
	Table    sql.TableName
	Blockers []Blocker // the longest first; empty if the server does not show any
}

const (
	blockersShown = 3
	reasonLength  = 600 // bytes; about what a status line bears
)

func (e *BlockedError) Error() string {
	if len(e.Blockers) == 0 {
		return e.Table.String() + " is held by a session that the server does not name"
	}
	var texts []string
	place := ""
	for i, b := range e.Blockers {
		if i == blockersShown {
			texts = append(texts, fmt.Sprintf("and %d more", len(e.Blockers)-blockersShown))
			break
		}
		text := b.String()
		if b.place() != place {
			place = b.place()
			text = place + " by " + text
		}
		texts = append(texts, text)
	}
	how := "held: "
	if e.Blockers[0].Suspected {
		how = e.Table.String() + " is held by a session that the server does not name; these are the oldest transactions: "
	}
	return cut(how+strings.Join(texts, "; "), reasonLength)
}

// longestFirst sorts blockers for people.
func longestFirst(blockers []Blocker) {
	slices.SortStableFunc(blockers, func(a, b Blocker) int {
		return cmp.Or(cmp.Compare(b.Age, a.Age), cmp.Compare(a.ConnectionID, b.ConnectionID))
	})
}

// shortly shows a duration for people: to the tenth of a second while it is short.
func shortly(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// oneLine folds white space and cuts the text to so many characters.
func oneLine(text string, characters int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if utf8.RuneCountInString(text) <= characters {
		return text
	}
	return string([]rune(text)[:characters]) + "…"
}

// cut cuts the text to so many bytes, at a character.
func cut(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	end := bytes - len("…")
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
