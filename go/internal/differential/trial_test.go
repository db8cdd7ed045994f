package differential

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic"
)

const (
	// trialTimeout is how long a migration of some dozen rows may take, on a machine that does other things too.
	trialTimeout = 2 * time.Minute

	// Moments of a migration, told by its log.
	streamFollows   = "Migration max values"
	cutOverIsWaited = "cut-over waits: the flag file"
)

// outcomes of a case that holds the property; a documented refusal is another.
const (
	migrated    = "migrated as by a native ALTER"
	bothRefused = "refused as by the server"
)

// trials are numbered, as a server's replicas must be.
var trials atomic.Int64

// trial is one run of a case on a server.
type trial struct {
	randomCase
	ctx     context.Context //nolint:containedctx // the trial's own life
	server  *testserver.Server
	schema  string
	db      *gosql.DB  // of one connection
	log     *recorder  // of the migration
	done    []string   // statements that have run, in order
	outcome chan error // the migration's, once
	folder  string     // for its files
	twins   int        // made so far
}

// tryCase runs the case in a schema of its own. It returns what came out, or how the property was broken.
func tryCase(ctx context.Context, server *testserver.Server, c randomCase) (outcome string, err error) {
	ctx, cancel := context.WithTimeout(ctx, trialTimeout)
	defer cancel()
	number := trials.Add(1)
	r := &trial{randomCase: c, ctx: ctx, server: server, schema: fmt.Sprintf("differential_%d", number), log: &recorder{}, outcome: make(chan error, 1)}
	if r.folder, err = os.MkdirTemp("", "df"); err != nil { // short: a socket's path is limited to about a hundred characters
		return "", err
	}
	defer os.RemoveAll(r.folder)
	connector, err := mysql.NewConnector(server.AdminConfig(""))
	if err != nil {
		return "", err
	}
	r.db = gosql.OpenDB(connector)
	r.db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, r.db.Close()) }()
	defer func() {
		_, dropErr := r.db.ExecContext(context.WithoutCancel(ctx), "SET lock_wait_timeout = 10; DROP SCHEMA IF EXISTS "+r.schema)
		err = errors.Join(err, dropErr)
	}()
	if err := r.exec("SET GLOBAL time_zone = '"+c.zone+"'", "SET time_zone = '"+c.zone+"'", "CREATE SCHEMA "+r.schema+" CHARACTER SET utf8mb4", "USE "+r.schema); err != nil {
		return "", err
	}
	outcome, err = r.run(int(number))
	if err != nil {
		err = fmt.Errorf("%w\nlog of the migration:\n%s", err, r.log)
	}
	return outcome, err
}

func (r *trial) exec(statements ...string) error {
	for _, statement := range statements {
		if _, err := r.db.ExecContext(r.ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// change runs statements of a client, which goes on if the server refuses one.
func (r *trial) change(statements []string) error {
	for _, statement := range statements {
		_, err := r.db.ExecContext(r.ctx, statement)
		if refused := (*mysql.MySQLError)(nil); err != nil && !errors.As(err, &refused) {
			return fmt.Errorf("%s: %w", statement, err)
		}
		r.done = append(r.done, statement)
	}
	return nil
}

// errNoCase says that the server does not take the table.
var errNoCase = errors.New("the server refuses CREATE TABLE")

func (r *trial) run(number int) (string, error) {
	if err := r.exec(r.create); err != nil {
		return "", fmt.Errorf("%w: %w", errNoCase, err)
	}
	if err := r.change(r.rows); err != nil {
		return "", err
	}
	failure, source, native, err := r.migrate(number)
	if err != nil {
		return "", err
	}
	switch {
	case failure == nil && native.refusal != nil:
		return "", fmt.Errorf("the native ALTER fails (%w) and the migration succeeds", native.refusal)
	case failure == nil:
		result, err := r.look("t")
		if err != nil {
			return "", err
		}
		return migrated, native.compare(result, "the native ALTER", "the migration")
	}
	result, err := r.look("t")
	if err != nil {
		return "", err
	}
	if err := source.compare(result, "the original", "what the failed migration has left"); err != nil {
		return "", fmt.Errorf("%w\nthe migration: %w", err, failure)
	}
	if native.refusal != nil {
		return bothRefused, nil
	}
	if name, found := documentedRefusal(r.alter(), failure); found {
		return name, nil
	}
	if misfits, err := r.hadMisfit(); err != nil || misfits {
		return passingMisfit, err
	}
	return "", fmt.Errorf("the native ALTER succeeds and the migration fails: %w", failure)
}

// migrate runs the migration and the statements. It returns the migration's failure, the original as it was last, and what
// a native ALTER makes of that.
func (r *trial) migrate(number int) (failure error, source, native picture, err error) {
	c := base.NewMigrationContext()
	defer c.CancelContext()
	c.Log = r.log
	c.DatabaseName, c.OriginalTableName, c.AlterStatement = r.schema, "t", r.alter()
	c.InspectorConnectionConfig.Key.Hostname, c.InspectorConnectionConfig.Key.Port = r.server.Host, r.server.Port
	c.InspectorConnectionConfig.User, c.InspectorConnectionConfig.Password = r.server.User, r.server.Password
	if err := c.SetConnectionConfig("innodb"); err != nil {
		return nil, source, native, err
	}
	c.AllowedRunningOnMaster, c.ApproveRenamedColumns = true, true
	c.ReplicaServerId = uint(300_000 + number)
	c.ServeSocketFile = filepath.Join(r.folder, "s")
	c.SetChunkSize(10)
	postpone := filepath.Join(r.folder, "postpone")
	c.SetPostponeCutOverFlagFile(postpone)
	if err := os.WriteFile(postpone, nil, 0o600); err != nil {
		return nil, source, native, err
	}

	copied, changed := make(chan struct{}), make(chan error, 1)
	var beforeErr error
	following := false
	r.log.moments = map[string]func(){
		streamFollows: func() {
			following = true
			beforeErr = r.change(r.before)
			go func() { changed <- r.change(r.beside) }()
		},
		cutOverIsWaited: func() { close(copied) },
	}
	go func() { r.outcome <- logic.NewMigrator(c, "test").Migrate() }()

	ended := false
	select {
	case <-copied:
	case failure = <-r.outcome:
		ended = true
	case <-r.ctx.Done():
		c.CancelContext()
		return nil, source, native, fmt.Errorf("the copy does not end: %w (%w)", context.Cause(r.ctx), <-r.outcome)
	}
	if ended && !following {
		// It failed before the first moment.
	} else if err := errors.Join(beforeErr, <-changed); err != nil {
		c.CancelContext()
		if !ended {
			<-r.outcome
		}
		return nil, source, native, err
	}
	err = r.change(r.after)
	if err == nil {
		source, err = r.look("t")
	}
	if err == nil {
		native, err = r.alterTwin()
	}
	if !ended {
		if err != nil {
			c.CancelContext()
		}
		err = errors.Join(err, os.Remove(postpone))
		select {
		case failure = <-r.outcome:
		case <-r.ctx.Done():
			c.CancelContext()
			failure = <-r.outcome
			err = errors.Join(err, fmt.Errorf("the cut-over does not end: %w (%w)", context.Cause(r.ctx), failure))
		}
	}
	return failure, source, native, err
}

// picture is a table as it stands, or why there is none.
type picture struct {
	rows       []string
	definition string
	refusal    error
}

func (p picture) compare(other picture, name, otherName string) error {
	if p.definition != other.definition {
		return fmt.Errorf("the definitions differ.\n%s:\n%s\n%s:\n%s", name, p.definition, otherName, other.definition)
	}
	if !slices.Equal(p.rows, other.rows) {
		return fmt.Errorf("the rows differ.\nonly %s has\n  %s\nonly %s has\n  %s",
			name, strings.Join(without(p.rows, other.rows), "\n  "), otherName, strings.Join(without(other.rows, p.rows), "\n  "))
	}
	return nil
}

// without returns what the first list has and the second has not, of sorted lists.
func without(rows, other []string) (result []string) {
	for _, row := range rows {
		if _, found := slices.BinarySearch(other, row); !found {
			result = append(result, row)
		}
	}
	return result
}
