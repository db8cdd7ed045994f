package verify

import (
	"context"
	gosql "database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"strconv"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// Reader is a session that reads.
type Reader interface {
	// Exec runs a statement.
	Exec(ctx context.Context, query string, args ...any) error
	// Query gives each row's values to take, which may keep them; NULL is nil.
	Query(ctx context.Context, take func(values [][]byte) error, query string, args ...any) error
}

// readers are the sessions that read the two tables: one for both, unless only a certain one may read the original.
type readers struct {
	original, ghost Reader
}

func both(conn *gosql.Conn) readers { return readers{connection{conn}, connection{conn}} }

// connection is a Reader.
type connection struct{ conn *gosql.Conn }

func (c connection) Exec(ctx context.Context, query string, args ...any) error {
	_, err := c.conn.ExecContext(ctx, query, args...)
	return err
}

func (c connection) Query(ctx context.Context, take func(values [][]byte) error, query string, args ...any) error {
	result, err := c.conn.QueryContext(ctx, query, args...) //nolint:rowserrcheck // ScanRows checks it
	if err != nil {
		return err
	}
	return mysql.ScanRows(result, take)
}

// total is what a table's rows sum up to.
type total struct {
	rows int64
	sums [2]uint64
}

// sessions are those that read. A session is used by one read at a time and makes its temporary table once, if one is needed.
type sessions struct {
	db         *gosql.DB
	statements *sql.VerifyStatements
	free       chan *gosql.Conn // nil: to be opened
}

func newSessions(db *gosql.DB, statements *sql.VerifyStatements, number int) *sessions {
	s := &sessions{db: db, statements: statements, free: make(chan *gosql.Conn, number)}
	for range number {
		s.free <- nil
	}
	return s
}

// use lends a session. One whose use ended in an error is closed, since nobody knows what it holds.
func (s *sessions) use(ctx context.Context, read func(conn *gosql.Conn) error) error {
	var conn *gosql.Conn
	select {
	case conn = <-s.free:
	case <-ctx.Done():
		return ctx.Err()
	}
	var err error
	if conn == nil {
		conn, err = s.open(ctx)
	}
	if err == nil {
		err = read(conn)
	}
	if err != nil && conn != nil {
		discard(conn)
		conn = nil
	}
	s.free <- conn
	return err
}

// reserve opens a session in the place of another, which may have lost its connection unnoticed.
func (s *sessions) reserve(ctx context.Context) (conn *gosql.Conn, giveBack func(), err error) {
	select {
	case conn = <-s.free:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if conn != nil {
		discard(conn)
	}
	if conn, err = s.open(ctx); err != nil {
		s.free <- nil
		return nil, nil, err
	}
	return conn, func() { discard(conn); s.free <- nil }, nil
}

// close closes the sessions, which must be at rest. A reserved one is closed when it is given back.
func (s *sessions) close() {
	for {
		select {
		case conn := <-s.free:
			if conn != nil {
				discard(conn)
			}
		default:
			return
		}
	}
}

// discard closes the connection itself: the pool must not give its temporary table to somebody else.
func discard(conn *gosql.Conn) {
	_ = conn.Raw(func(any) error { return sqldriver.ErrBadConn })
	_ = conn.Close()
}

func (s *sessions) open(ctx context.Context) (*gosql.Conn, error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, connection{conn}); err != nil {
		discard(conn)
		return nil, err
	}
	return conn, nil
}

// prepare makes a session's temporary table, if one is needed, and makes sure that the server computes what is needed.
func (s *sessions) prepare(ctx context.Context, session Reader) error {
	if s.statements.NeedsTemporary() {
		if err := s.logRows(ctx, session); err != nil {
			return err
		}
		err := session.Exec(ctx, s.statements.CreateTemporary())
		if mysql.IsAccessDenied(err) {
			return fmt.Errorf("--checksum reads converted values through a temporary table: GRANT CREATE TEMPORARY TABLES on the schema to the account, or leave --checksum out: %w", err)
		}
		if err != nil {
			return fmt.Errorf("creating the temporary table for --checksum: %w", err)
		}
	}
	computed := false
	err := session.Query(ctx, func(values [][]byte) error {
		computed = len(values[0]) == 64
		return nil
	}, "SELECT /* gh-ost */ SHA2('', 256)")
	if err == nil && !computed {
		err = errors.New("it is NULL")
	}
	if err != nil {
		return fmt.Errorf("the server does not compute SHA2(…, 256), which --checksum needs: %w", err)
	}
	return nil
}

// logRows makes sure that what the session does to its temporary table does not come into the binary log, as it does where
// that has statements.
func (s *sessions) logRows(ctx context.Context, session Reader) error {
	format := ""
	err := session.Query(ctx, func(values [][]byte) error {
		format = string(values[1])
		return nil
	}, "SHOW /* gh-ost */ SESSION VARIABLES LIKE 'binlog_format'")
	if err != nil || format != "STATEMENT" {
		return err
	}
	if err := session.Exec(ctx, "SET /* gh-ost */ SESSION binlog_format = 'ROW'"); err != nil {
		return fmt.Errorf("--checksum needs a temporary table for this ALTER, which would come into the binary log with binlog_format=STATEMENT: SET GLOBAL binlog_format = 'ROW', or leave --checksum out: %w", err)
	}
	return nil
}

// fill puts the original's rows into the temporary table, if one is needed.
func (s *sessions) fill(ctx context.Context, session Reader, rows sql.RowSet) error {
	if !s.statements.NeedsTemporary() {
		return nil
	}
	query, args, err := s.statements.FillTemporary(rows)
	if err != nil {
		return err
	}
	if err := session.Exec(ctx, s.statements.ClearTemporary()); err != nil {
		return err
	}
	return session.Exec(ctx, query, args...)
}

// totals sums up a range of both tables.
func (s *sessions) totals(ctx context.Context, session Reader, rows sql.RowSet) (original, ghost total, err error) {
	if err := s.fill(ctx, session, rows); err != nil {
		return total{}, total{}, err
	}
	query, args, err := s.statements.Totals(rows)
	if err != nil {
		return total{}, total{}, err
	}
	var totals []total
	err = session.Query(ctx, func(values [][]byte) error {
		t, err := totalOf(values[1:]) // the first says which table it is, in order
		totals = append(totals, t)
		return err
	}, query, args...)
	switch {
	case err != nil:
		return total{}, total{}, err
	case len(totals) != 2:
		return total{}, total{}, fmt.Errorf("the server did not answer for both tables, but %d times", len(totals))
	}
	return totals[0], totals[1], nil
}

func totalOf(values [][]byte) (total, error) {
	var numbers [4]uint64
	for i, value := range values {
		var err error
		if numbers[i], err = strconv.ParseUint(string(value), 10, 64); err != nil {
			return total{}, fmt.Errorf("reading a sum of rows: %w", err)
		}
	}
	if numbers[0] != numbers[1] {
		return total{}, errNotHashed
	}
	return total{rows: int64(numbers[0]), sums: [2]uint64{numbers[2], numbers[3]}}, nil
}

var errNotHashed = errors.New("some rows are too large for the server to hash: raise max_allowed_packet, or leave --checksum out")

// differing reads the rows of both tables one by one and returns those that differ, and how many rows there were.
func (s *sessions) differing(ctx context.Context, from readers, rows sql.RowSet) ([]row, int, error) {
	if err := s.fill(ctx, from.original, rows); err != nil {
		return nil, 0, err
	}
	found := map[string]*row{}
	read := func(session Reader, build func(sql.RowSet) (string, []any, error), hash func(*row) *string) error {
		query, args, err := build(rows)
		if err != nil {
			return err
		}
		return session.Query(ctx, func(values [][]byte) error {
			last := len(values) - 1
			key := boundOf(values[:last])
			id, err := s.identify(key)
			if err != nil {
				return err
			}
			if values[last] == nil {
				return errNotHashed
			}
			if found[id] == nil {
				found[id] = &row{id: id, key: key}
			}
			*hash(found[id]) = string(values[last])
			return nil
		}, query, args...)
	}
	if err := read(from.original, s.statements.OriginalRows, func(r *row) *string { return &r.original }); err != nil {
		return nil, 0, err
	}
	if err := read(from.ghost, s.statements.GhostRows, func(r *row) *string { return &r.ghost }); err != nil {
		return nil, 0, err
	}
	var differing []row
	for _, r := range found {
		if r.differs() {
			differing = append(differing, *r)
		}
	}
	return differing, len(found), nil
}

var errForeignKey = errors.New("checksum: the ghost table holds a row whose key no row of the original can have")

// identify returns what tells the key from others.
func (s *sessions) identify(key sql.Bound) (string, error) {
	for _, value := range key {
		if value == nil {
			return "", errForeignKey
		}
	}
	id, err := s.statements.KeyString(key)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errForeignKey, err)
	}
	return id, nil
}

// chunkEnd reads the key that ends a chunk of the original; nil if it is the last chunk.
func (s *sessions) chunkEnd(ctx context.Context, session Reader, from sql.Bound, rows int64) (end sql.Bound, err error) {
	query, args, err := s.statements.ChunkEnd(from, rows)
	if err != nil {
		return nil, err
	}
	err = session.Query(ctx, func(values [][]byte) error {
		end = boundOf(values)
		return nil
	}, query, args...)
	return end, err
}

// walked is one of the two tables, as read in the order of its own key.
type walked struct {
	keys    func(from sql.Bound, rows int64) (string, []any, error)
	columns int // of its own key
}

// keys reads the next keys of a table, and where the next ones begin; nil if these were the last.
func (s *sessions) keys(ctx context.Context, session Reader, table walked, from sql.Bound, rows int64) (keys []sql.Bound, next sql.Bound, err error) {
	query, args, err := table.keys(from, rows)
	if err != nil {
		return nil, nil, err
	}
	err = session.Query(ctx, func(values [][]byte) error {
		next = boundOf(values[:table.columns])
		key := boundOf(values[table.columns:])
		keys = append(keys, key)
		_, err := s.identify(key)
		return err
	}, query, args...)
	if int64(len(keys)) < rows {
		next = nil
	}
	return keys, next, err
}

// explain finds out in which columns a row differs.
func (s *sessions) explain(ctx context.Context, from readers, r row) (Difference, error) {
	difference := Difference{Key: s.statements.FormatKey(r.key), Missing: r.ghost == "", Surplus: r.original == ""}
	if difference.Missing || difference.Surplus {
		return difference, nil
	}
	rows := sql.RowSet{Keys: []sql.Bound{r.key}}
	own, ownArgs, converted, err := s.statements.OriginalValues(rows)
	if err != nil {
		return difference, err
	}
	var original, ghost [][]byte
	keep := func(to *[][]byte, without int) func([][]byte) error {
		return func(values [][]byte) error {
			*to = append(*to, values[:len(values)-without]...)
			return nil
		}
	}
	if err := from.original.Query(ctx, keep(&original, 1), own, ownArgs...); err != nil {
		return difference, err
	}
	if converted != "" {
		if err := s.fill(ctx, from.original, rows); err != nil {
			return difference, err
		}
		if err := from.original.Query(ctx, keep(&original, 1), converted); err != nil {
			return difference, err
		}
	}
	query, args, err := s.statements.GhostValues(rows)
	if err != nil {
		return difference, err
	}
	if err := from.ghost.Query(ctx, keep(&ghost, 0), query, args...); err != nil {
		return difference, err
	}
	for i, name := range s.statements.Columns() {
		if i >= len(original) || i >= len(ghost) || string(original[i]) != string(ghost[i]) {
			difference.Columns = append(difference.Columns, sql.EscapeName(name))
		}
	}
	return difference, nil
}

// boundOf makes a key of values that were read.
func boundOf(values [][]byte) sql.Bound {
	bound := make(sql.Bound, len(values))
	for i, value := range values {
		if value != nil {
			bound[i] = value
		}
	}
	return bound
}
