package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"

	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// errUnknownTable is how a server answers that has no such table in its information_schema.
const errUnknownTable = 1109

// histogram is what the optimizer of MySQL knows of a column's values because somebody asked it to.
type histogram struct {
	column string
	data   string // JSON, as the server shows it
}

// carryHistograms gives the ghost's columns the histograms of the original's, which a native ALTER keeps. The server takes
// them as they are, so no row has to be read, and the swap takes them along. A histogram is lost where its column changes in
// type or is dropped. Failing is no reason to end the migration: rows do not depend on it.
func (mgtr *Migrator) carryHistograms(ctx context.Context, ghost *inspect.Table) error {
	if mgtr.applier.server.Dialect.IsMariaDB() {
		return nil
	}
	histograms, err := readHistograms(ctx, mgtr.applier.general, mgtr.names.original)
	if err != nil {
		return err
	}
	renames := mgtr.renames()
	for _, h := range histograms {
		source, found := mgtr.original.Columns.Lookup(h.column)
		if !found || renames.IsDroppedColumn(h.column) {
			continue
		}
		name, renamed := renames.RenamedColumn(h.column)
		if !renamed {
			name = source.Name
		}
		target, found := ghost.Columns.Lookup(name)
		if !found || source.Type.Text != target.Type.Text || source.Collation != target.Collation {
			continue
		}
		if err := setHistogram(ctx, mgtr.applier.general, mgtr.names.ghost, histogram{target.Name, h.data}); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			_ = mgtr.log.Warningf("the histogram of column %s is not carried over: %v. To make it anew afterwards: ANALYZE TABLE %s UPDATE HISTOGRAM ON %s",
				sql.EscapeName(h.column), err, mgtr.names.original, sql.EscapeName(target.Name))
		}
	}
	return nil
}

// readHistograms reads the histograms of a table; a server that knows of none has none.
func readHistograms(ctx context.Context, db *gosql.DB, table sql.TableName) ([]histogram, error) {
	rows, err := db.QueryContext(ctx, "SELECT /* gh-ost */ column_name, CAST(histogram AS CHAR) FROM information_schema.column_statistics"+
		" WHERE schema_name = ? AND table_name = ?", table.Schema, table.Name)
	if mysql.ErrorNumber(err) == errUnknownTable {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the histograms of %s: %w", table, err)
	}
	defer rows.Close() // rows.Err is what counts
	var histograms []histogram
	for rows.Next() {
		var h histogram
		if err := rows.Scan(&h.column, &h.data); err != nil {
			return nil, fmt.Errorf("reading the histograms of %s: %w", table, err)
		}
		histograms = append(histograms, h)
	}
	return histograms, rows.Err()
}

// setHistogram stores a histogram. The server reports failures as rows.
func setHistogram(ctx context.Context, db *gosql.DB, table sql.TableName, h histogram) error {
	rows, err := db.QueryContext(ctx, fmt.Sprintf("ANALYZE /* gh-ost */ TABLE %s UPDATE HISTOGRAM ON %s USING DATA ?", table, sql.EscapeName(h.column)), h.data)
	if err != nil {
		return err
	}
	defer rows.Close() // rows.Err is what counts
	var failure error
	for rows.Next() {
		var name, operation, kind, text string
		if err := rows.Scan(&name, &operation, &kind, &text); err != nil {
			return err
		}
		if kind == "Error" && failure == nil {
			failure = errors.New(text)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return failure
}
