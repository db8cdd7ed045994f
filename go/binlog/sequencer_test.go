package binlog

import (
	"fmt"
	"math"
	"strings"
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/github/gh-ost/go/mysql"
)

// script is a log for a sequencer: entries at made-up places, and what came out of them.
type script struct {
	sequencer *sequencer
	got       []string
	handled   *progress
	log       []logged
}

type logged struct {
	entry
	end uint32
}

func newScript(gtid bool) *script {
	s := &script{}
	var from mysql.BinlogCoordinates = mysql.NewFileBinlogCoordinates("log.1", 4)
	if gtid {
		set := gomysql.NewMysqlGTIDSet()
		from = &mysql.GTIDBinlogCoordinates{GTIDSet: &set}
	}
	s.sequencer = newSequencer(newPlace(from), 1<<20, func(it item) error {
		switch {
		case it.event != nil:
			s.got = append(s.got, it.event.Statement)
		case it.unseenXA != "":
			s.got = append(s.got, "unseen "+it.unseenXA)
		case it.progress != nil:
			s.handled = it.progress
		}
		return nil
	})
	return s
}

// event is a change known by its name; size is in bytes.
func event(kind entryKind, name string, size int) entry {
	return entry{kind: kind, fingerprint: fingerprint(name), event: &Event{Kind: Statement, Statement: name, Bytes: size}}
}

// parse reads a line of the little language in which the tests write logs: transactions end with commit, rollback,
// prepare or by themselves (ddl); "big" is a row that is too large to be held.
func parse(t require.TestingT, number int, word string) entry {
	verb, rest, _ := strings.Cut(word, ":")
	switch verb {
	case "trx":
		return entry{kind: entryTransaction, gtid: gtid{gno: int64(number)}}
	case "begin":
		return entry{kind: entryBegin}
	case "xa":
		return entry{kind: entryXAStart}
	case "row":
		return event(entryRows, rest, 100)
	case "big":
		return event(entryRows, rest, maxHeld+1)
	case "ddl":
		return event(entryStatement, rest, 50)
	case "commit":
		return entry{kind: entryCommit}
	case "rollback":
		return entry{kind: entryRollback}
	case "savepoint":
		return entry{kind: entrySavepoint, name: rest}
	case "to":
		return entry{kind: entryRollbackTo, name: rest}
	case "prepare":
		return entry{kind: entryXAPrepare, name: rest}
	case "onephase":
		return entry{kind: entryXAPrepare, name: rest, onePhase: true}
	case "xacommit":
		return entry{kind: entryXACommit, name: rest}
	case "xarollback":
		return entry{kind: entryXARollback, name: rest}
	}
	require.Fail(t, "no such word", word)
	return entry{}
}

// write appends words to the log.
func (s *script) write(t require.TestingT, words ...string) {
	for _, word := range words {
		number := len(s.log) + 1
		s.log = append(s.log, logged{parse(t, number, word), uint32(4 + 10*number)})
	}
}

// send sends the log from the last complete transaction on, count entries of it, as a new connection would.
func (s *script) send(count int) error {
	s.sequencer.restart()
	if err := s.sequencer.take(entry{kind: entryFormat}); err != nil {
		return err
	}
	for _, next := range s.log[s.resumeAt():] {
		if count--; count < 0 {
			return nil
		}
		if !s.sequencer.place.read(next.end, 10) {
			return &PositionTooLargeError{At: s.sequencer.place.coordinates()}
		}
		next.event = copyOf(next.event)
		if err := s.sequencer.take(next.entry); err != nil {
			return err
		}
	}
	return nil
}

func copyOf(event *Event) *Event {
	if event == nil {
		return nil
	}
	result := *event
	return &result
}

// resumeAt is the entry with which a server would go on.
func (s *script) resumeAt() int {
	switch at := s.sequencer.place.completedCoordinates().(type) {
	case *mysql.FileBinlogCoordinates:
		return int(at.LogPos-4) / 10
	case *mysql.GTIDBinlogCoordinates:
		for i, next := range s.log {
			if next.kind == entryTransaction && !contains(at.GTIDSet, next.gtid) {
				return i
			}
		}
	}
	return len(s.log)
}

func contains(set gomysql.GTIDSet, id gtid) bool {
	single := gomysql.NewMysqlGTIDSet()
	_ = id.addTo(&single)
	return set.Contain(&single)
}

// handledEntries is up to where the log has been handled, told as a number of entries.
func (s *script) handledEntries() int {
	if s.handled == nil {
		return 0
	}
	return int(s.handled.end-4) / 10
}

func TestWhatIsHandedOver(t *testing.T) {
	for name, c := range map[string]struct {
		log  string
		want string
	}{
		"a transaction's rows":                     {"trx begin row:a row:b commit", "a b"},
		"a statement by itself":                    {"trx ddl:a trx ddl:b", "a b"},
		"without GTID events":                      {"begin row:a commit ddl:b begin row:c commit", "a b c"},
		"nothing before the end":                   {"trx begin row:a row:b", ""},
		"too much to hold":                         {"trx begin row:a big:b row:c", "a b c"},
		"rolled back":                              {"trx begin row:a rollback trx begin row:b commit", "b"},
		"rolled back to a savepoint":               {"trx begin row:a savepoint:s row:b to:s row:c commit", "a c"},
		"to the latest savepoint of a name":        {"trx begin row:a savepoint:s row:b savepoint:s row:c to:s commit", "a b"},
		"twice to the same savepoint":              {"trx begin savepoint:s row:a to:s row:b to:s row:c commit", "c"},
		"savepoint of a large one, nothing lost":   {"trx begin big:a savepoint:s to:s commit", "a"},
		"cut off by a crash":                       {"trx begin row:a trx begin row:b commit", "b"},
		"XA committed":                             {"trx xa row:a prepare:x trx ddl:b trx xacommit:x", "b a"},
		"XA rolled back":                           {"trx xa row:a prepare:x trx ddl:b trx xarollback:x", "b"},
		"XA in one phase":                          {"trx xa row:a onephase:x", "a"},
		"XA twice under one name":                  {"trx xa row:a prepare:x trx xacommit:x trx xa row:b prepare:x trx xacommit:x", "a b"},
		"two XA, in the order of commits":          {"trx xa row:a prepare:x trx xa row:b prepare:y trx xacommit:y trx xacommit:x", "b a"},
		"XA with a savepoint":                      {"trx xa row:a savepoint:s row:b to:s prepare:x trx xacommit:x", "a"},
		"XA prepared before the stream":            {"trx xacommit:x", "unseen x"},
		"XA rolled back that was prepared before":  {"trx xarollback:x", ""},
		"XA not prepared when the log was cut off": {"trx xa row:a trx ddl:b", "b"},
	} {
		for _, gtid := range []bool{false, true} {
			s := newScript(gtid)
			if gtid && name == "without GTID events" {
				continue
			}
			s.write(t, strings.Fields(c.log)...)
			require.NoError(t, s.send(math.MaxInt), name)
			assert.Equal(t, c.want, strings.Join(s.got, " "), name)
		}
	}
}

func TestWhatCannotBeTakenBackIsAnError(t *testing.T) {
	var rolledBack *RolledBackError
	var torn *TornTransactionError
	var tooLarge *XATooLargeError
	for log, want := range map[string]any{
		"trx begin big:a rollback":                           &rolledBack,
		"trx begin savepoint:s big:a to:s":                   &rolledBack,
		"trx begin row:a to:unknown":                         &rolledBack,
		"trx begin big:a trx begin row:b commit":             &torn,
		"trx xa big:a":                                       &tooLarge,
		"trx begin big:a row:b savepoint:s row:c row:d to:s": &rolledBack,
	} {
		s := newScript(false)
		s.write(t, strings.Fields(log)...)
		assert.ErrorAs(t, s.send(math.MaxInt), want, log)
	}
}

func TestXAThatWaitsHoldsBackWhatCountsAsHandled(t *testing.T) {
	s := newScript(false)
	s.write(t, strings.Fields("trx ddl:a trx xa row:b prepare:x trx ddl:c")...)
	require.NoError(t, s.send(math.MaxInt))
	assert.Equal(t, 2, s.handledEntries(), "before the prepared transaction")

	s.write(t, strings.Fields("trx xacommit:x")...)
	require.NoError(t, s.send(math.MaxInt))
	assert.Equal(t, len(s.log), s.handledEntries())
}

func TestXAMemoryIsGivenBack(t *testing.T) {
	s := newScript(false)
	s.write(t, strings.Fields("trx xa row:a savepoint:s row:b to:s prepare:x trx xa row:c prepare:y trx xa row:d onephase:z "+
		"trx xacommit:x trx xarollback:y trx xa row:e trx ddl:f")...)
	require.NoError(t, s.send(math.MaxInt))
	assert.Zero(t, s.sequencer.xaBytes)
}

func TestTornTransactionThatComesBackDifferentlyIsAnError(t *testing.T) {
	for name, again := range map[string]string{
		"other rows":        "trx begin row:a big:x row:c commit",
		"fewer":             "trx begin row:a commit",
		"another one first": "trx ddl:z trx begin row:a big:b row:c commit",
	} {
		s := newScript(false)
		s.write(t, strings.Fields("trx begin row:a big:b row:c commit")...)
		require.NoError(t, s.send(4))
		require.Equal(t, "a b", strings.Join(s.got, " "))

		s.log = nil
		s.write(t, strings.Fields(again)...)
		var torn *TornTransactionError
		assert.ErrorAs(t, s.send(math.MaxInt), &torn, name)
	}
}

func TestPositionsBeyondFourGigabytesAreAnErrorByFileOnly(t *testing.T) {
	byFile := newPlace(mysql.NewFileBinlogCoordinates("log.1", math.MaxUint32-10))
	assert.True(t, byFile.read(math.MaxUint32-5, 5))
	assert.False(t, byFile.read(5, 10), "32 bits have wrapped")

	set := gomysql.NewMysqlGTIDSet()
	byGTID := newPlace(&mysql.GTIDBinlogCoordinates{GTIDSet: &set})
	assert.True(t, byGTID.read(math.MaxUint32-5, 5))
	assert.True(t, byGTID.read(5, 10))
}

// However often the connection is lost, and wherever, the same events come out, each once.
func TestLosingTheConnectionChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gtid := rapid.Bool().Draw(t, "gtid")
		undisturbed, disturbed := newScript(gtid), newScript(gtid)
		undisturbed.write(t, drawLog(t)...)
		disturbed.log = undisturbed.log
		require.NoError(t, undisturbed.send(math.MaxInt))

		for range rapid.IntRange(0, 8).Draw(t, "losses") {
			require.NoError(t, disturbed.send(rapid.IntRange(0, 12).Draw(t, "entries")))
		}
		require.NoError(t, disturbed.send(math.MaxInt))

		require.Equal(t, undisturbed.got, disturbed.got)
		require.Equal(t, undisturbed.handledEntries(), disturbed.handledEntries())
		require.Equal(t, undisturbed.sequencer.xaBytes, disturbed.sequencer.xaBytes)
	})
}

// drawLog makes a log in which nothing is rolled back after it was passed on.
func drawLog(t *rapid.T) []string {
	var log []string
	var prepared []string
	name := 0
	row := func(verb string) string {
		name++
		return fmt.Sprintf("%s:e%d", verb, name)
	}
	for range rapid.IntRange(1, 8).Draw(t, "transactions") {
		log = append(log, "trx")
		kind := rapid.SampledFrom([]string{"ddl", "commit", "large", "rollback", "savepoint", "prepare", "onephase", "xaend"}).Draw(t, "kind")
		rows := rapid.IntRange(1, 5).Draw(t, "rows")
		if kind == "xaend" && len(prepared) == 0 {
			kind = "ddl"
		}
		switch kind {
		case "ddl":
			log = append(log, row("ddl"))
			continue
		case "xaend":
			log = append(log, rapid.SampledFrom([]string{"xacommit:", "xarollback:"}).Draw(t, "verb")+prepared[0])
			prepared = prepared[1:]
			continue
		case "prepare", "onephase":
			log = append(log, "xa")
		default:
			log = append(log, "begin")
		}
		for i := range rows {
			verb := "row"
			if kind == "large" && i == rows/2 {
				verb = "big"
			}
			if kind == "savepoint" {
				log = append(log, "savepoint:s", row("row"), "to:s")
			}
			log = append(log, row(verb))
		}
		switch kind {
		case "rollback":
			log = append(log, "rollback")
		case "prepare", "onephase":
			xid := fmt.Sprintf("x%d", name)
			if kind == "prepare" {
				prepared = append(prepared, xid)
			}
			log = append(log, kind+":"+xid)
		default:
			log = append(log, "commit")
		}
	}
	return log
}
