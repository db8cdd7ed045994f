package main

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/sql"
)

// demo is one migration under load.
type demo struct {
	settings
	out io.Writer
}

func newDemo(settings settings, out io.Writer) *demo { return &demo{settings, out} }

// run returns an error unless all is as it must be.
func (d *demo) run(ctx context.Context) error {
	db, err := d.connect()
	if err != nil {
		return err
	}
	defer db.Close()
	l := ledger.New(db, d.table, ledger.Options{
		Rows: d.rows, Writers: d.writers, Readers: d.readers, Pause: d.restPause(), Seed: d.seed,
	})
	d.say("creating `%s`.`%s` with %s rows", d.schema, d.table, thousands(int64(d.rows)))
	if err := l.Create(ctx); err != nil {
		return err
	}
	before, err := describe(ctx, db, d.table)
	if err != nil {
		return err
	}
	result, err := d.migrateUnderLoad(ctx, l)
	if err != nil {
		return err
	}
	compared, err := l.Verify(ctx, nil, d.table)
	if err != nil {
		return err
	}
	report(d.out, d.settings, result, l, compared)
	if result.err == nil {
		result.err = d.checkTables(ctx, db, before)
	}
	return errors.Join(result.err, compared.Err(), l.Stats().Err())
}

// restPause tells the ledger that no pause means none.
func (d *demo) restPause() time.Duration {
	if d.pause == 0 {
		return -1
	}
	return d.pause
}

func (d *demo) connect() (*gosql.DB, error) {
	config := mysql.NewConfig()
	config.User, config.Passwd = d.adminUser, d.adminPassword
	config.Net, config.Addr = "tcp", net.JoinHostPort(d.host, strconv.Itoa(d.port))
	config.DBName = d.schema
	config.InterpolateParams = true
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", config.Addr, err)
	}
	return gosql.OpenDB(connector), nil
}

// migrateUnderLoad returns an error only if there is nothing to report.
func (d *demo) migrateUnderLoad(ctx context.Context, l *ledger.Ledger) (migration, error) {
	load, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- l.Run(load) }()
	d.say("%d writers and %d readers are at work", d.writers, d.readers)
	rest(ctx, d.before)
	var result migration
	if ctx.Err() == nil {
		result = d.migrate(ctx)
	}
	if result.err == nil {
		rest(ctx, d.after)
	}
	stop()
	return result, errors.Join(<-ended, ctx.Err())
}

// checkTables makes sure that the table was altered, and that it is the only one with its name in its own.
func (d *demo) checkTables(ctx context.Context, db *gosql.DB, before string) error {
	after, err := describe(ctx, db, d.table)
	if err != nil {
		return err
	}
	if after == before {
		return fmt.Errorf("the table `%s` is what it was before: %s", d.table, after)
	}
	rows, err := db.QueryContext(ctx, "SHOW TABLES")
	if err != nil {
		return fmt.Errorf("looking for tables that were left behind: %w", err)
	}
	defer rows.Close()
	var left []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return fmt.Errorf("looking for tables that were left behind: %w", err)
		}
		if name != d.table && strings.Contains(name, d.table) {
			left = append(left, name)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("looking for tables that were left behind: %w", err)
	}
	if len(left) > 0 {
		return fmt.Errorf("left behind: %s", strings.Join(left, ", "))
	}
	return nil
}

func describe(ctx context.Context, db *gosql.DB, table string) (string, error) {
	var name, definition string
	err := db.QueryRowContext(ctx, "SHOW CREATE TABLE "+sql.EscapeName(table)).Scan(&name, &definition)
	if err != nil {
		return "", fmt.Errorf("reading the table's definition: %w", err)
	}
	definition, _, _ = strings.Cut(definition, "\n) ENGINE") // what follows holds the next AUTO_INCREMENT
	return definition, nil
}

func (d *demo) say(format string, args ...any) {
	fmt.Fprintf(d.out, "demo: "+format+"\n", args...)
}

// rest returns early if ctx ends.
func rest(ctx context.Context, duration time.Duration) {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
