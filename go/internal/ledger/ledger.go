package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Columns are the columns that the ledger writes and compares.
var Columns = [...]string{"id", "slot", "payload", "counter"}

// Options shape the load. The zero value of each field means its default.
type Options struct {
	Schema           string        // of the table; default: the schema of the connection
	Rows             int           // rows that Create fills in; default 1000
	Writers          int           // sessions that write; default 8
	Readers          int           // sessions that read; default none
	Pause            time.Duration // of each writer and reader after a transaction or read; default 2ms, negative: none
	Seed             uint64        // of the random choices; 0 is a seed like any other
	StatementTimeout time.Duration // when a client gives a statement up; default 1 minute
	Definitions      []string      // more columns (which need defaults), keys or constraints for CREATE TABLE
}

func (o Options) withDefaults() Options {
	setDefault(&o.Rows, 1000)
	setDefault(&o.Writers, 8)
	setDefault(&o.Pause, 2*time.Millisecond)
	setDefault(&o.StatementTimeout, time.Minute)
	return o
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Ledger is a table, the load on it and the record of what the table must hold.
type Ledger struct {
	db      *sql.DB
	table   string // escaped
	options Options
	writers []*writer
	readers []*reader
	log     *observations

	mutex   sync.Mutex
	created bool
	running bool
}

// New returns the ledger of a table that [Ledger.Create] is to make. The pool must allow one session for each writer
// and reader and a few more; interpolateParams=true in its DSN saves each statement a round trip.
func New(db *sql.DB, table string, options Options) *Ledger {
	options = options.withDefaults()
	l := &Ledger{db: db, options: options, log: newObservations(time.Now())}
	l.table = l.qualified(table)
	for number := range options.Writers {
		random := rand.New(rand.NewPCG(options.Seed, uint64(number)))
		l.writers = append(l.writers, &writer{
			planner: planner{share: newShare(), table: l.table, random: random},
			session: l.newSession(),
			waits:   newRecorder(l.log.start),
		})
	}
	for number := range options.Readers {
		random := rand.New(rand.NewPCG(options.Seed, uint64(1_000_000+number)))
		l.readers = append(l.readers, &reader{
			table:   l.table,
			rows:    int64(options.Rows),
			random:  random,
			session: l.newSession(),
			waits:   newRecorder(l.log.start),
		})
	}
	return l
}

func (l *Ledger) newSession() *session {
	return &session{db: l.db, timeout: l.options.StatementTimeout, pause: l.options.Pause, log: l.log}
}

func (l *Ledger) qualified(table string) string {
	if l.options.Schema == "" {
		return escape(table)
	}
	return escape(l.options.Schema) + "." + escape(table)
}

func escape(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// fillBatch is how many rows one INSERT of Create carries.
const fillBatch = 1000

// slotsPerShare keeps the unique values of the shares so far apart that no lock on a gap reaches into the next share.
const slotsPerShare = 1_000_000_000

// Create makes the table, which must not exist, and fills it. Its primary key is id, its unique key is slot.
func (l *Ledger) Create(ctx context.Context) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.created {
		return fmt.Errorf("table %s was created by this ledger before", l.table)
	}
	definitions := append([]string{
		"id bigint NOT NULL AUTO_INCREMENT",
		"slot bigint NOT NULL",
		"payload text CHARACTER SET utf8mb4",
		"counter bigint NOT NULL DEFAULT 0",
		"PRIMARY KEY (id)",
		"UNIQUE KEY slot_uidx (slot)",
	}, l.options.Definitions...)
	create := "CREATE TABLE " + l.table + " (" + strings.Join(definitions, ", ") + ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
	if _, err := l.db.ExecContext(ctx, create); err != nil {
		return fmt.Errorf("creating the ledger's table: %w", err)
	}
	if err := l.fill(ctx); err != nil {
		return fmt.Errorf("filling the ledger's table: %w", err)
	}
	l.created = true
	return nil
}

// fill gives id n to writer n mod Writers, so that neighbours belong to different writers, and unique values to rows
// in an order of their own. Each share also gets ids beyond the last row and some unique values that no row has.
func (l *Ledger) fill(ctx context.Context) error {
	values := make([]string, 0, fillBatch)
	args := make([]any, 0, 4*fillBatch)
	flush := func() error {
		if len(values) == 0 {
			return nil
		}
		query := "INSERT INTO " + l.table + " (id, slot, payload, counter) VALUES " + strings.Join(values, ", ")
		_, err := l.db.ExecContext(ctx, query, args...)
		values, args = values[:0], args[:0]
		return err
	}
	shares := int64(len(l.writers))
	rows := int64(l.options.Rows)
	spare := rows/8 + 8*shares
	for id := int64(1); id <= rows+spare; id++ {
		w := l.writers[(id-1)%shares]
		if id > rows {
			w.freeIDs.add(id)
			continue
		}
		w.size++
	}
	for number, w := range l.writers {
		w.fillSlots(int64(number+1) * slotsPerShare)
	}
	for id := int64(1); id <= rows; id++ {
		w := l.writers[(id-1)%shares]
		now := w.newRow(w.freeSlots.draw(w.random, 1)[0])
		w.write(id, &now)
		values = append(values, "(?, ?, ?, ?)")
		args = append(args, id, now.slot, now.payload, now.counter)
		if len(values) == fillBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func (w *writer) fillSlots(first int64) {
	for slot := range int64(w.size + w.size/8 + 8) {
		w.freeSlots.add(first + slot)
	}
}

// Run writes and reads until ctx ends; then each writer finishes the transaction it is in, whose statements may take
// Options.StatementTimeout each, and Run returns nil. It can be run again. Errors of statements do not end it; see [Ledger.Stats].
func (l *Ledger) Run(ctx context.Context) error {
	if err := l.begin(); err != nil {
		return err
	}
	defer l.end()
	var group errgroup.Group
	for _, w := range l.writers {
		group.Go(func() error { w.run(ctx); return nil })
	}
	for _, r := range l.readers {
		group.Go(func() error { r.run(ctx); return nil })
	}
	return group.Wait()
}

func (l *Ledger) begin() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	switch {
	case !l.created:
		return errors.New("the ledger's table was not created: call Create before Run")
	case l.running:
		return errors.New("the ledger runs already")
	}
	l.running = true
	return nil
}

func (l *Ledger) end() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.running = false
}
