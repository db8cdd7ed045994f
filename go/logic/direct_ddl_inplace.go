package logic

import (
	"context"
	gosql "database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// inplaceClauses go before options that have these clauses themselves, or none.
func inplaceClauses(algorithm, lock string) string {
	clauses := ""
	if algorithm == "" {
		clauses = "ALGORITHM=INPLACE, "
	}
	if lock == "" {
		clauses += "LOCK=NONE, "
	}
	return clauses
}

// contradictsInplace is why an ALTER with these clauses is not tried in place; "" if it may be.
func contradictsInplace(algorithm, lock string) string {
	switch {
	case algorithm != "" && algorithm != "INPLACE":
		return "--alter says ALGORITHM=" + algorithm
	case lock != "" && lock != "NONE":
		return "--alter says LOCK=" + lock
	}
	return ""
}

// inplaceProof is what altering the ghost in place, while it was empty, has shown.
type inplaceProof struct {
	refusal string // why the original must not be altered in place; "" if that changes definitions only
}

// alterGhost alters the ghost. If --attempt-inplace-ddl is given it does so in place, and notes what that shows of the
// change; where the server refuses, it alters it as ever.
func (mgtr *Migrator) alterGhost(ctx context.Context, session *gosql.Conn, options string) error {
	c, helper := mgtr.context, tables{mgtr.applier.general}
	algorithm, lock := mgtr.alter.Algorithm(), mgtr.alter.Lock()
	if !c.AttemptInplaceDDL || c.Noop || c.TestOnReplica || contradictsInplace(algorithm, lock) != "" {
		return helper.alter(ctx, session, mgtr.names.ghost, options)
	}
	prover := inplaceProver{helper, mgtr.applier.server.Dialect, mgtr.names}
	before, refusal, err := prover.look(ctx)
	if err != nil {
		return err
	}
	if refusal != "" {
		mgtr.inplace.refusal = refusal
		return helper.alter(ctx, session, mgtr.names.ghost, options)
	}
	if err := helper.alter(ctx, session, mgtr.names.ghost, inplaceClauses(algorithm, lock)+options); err != nil {
		if ctx.Err() != nil {
			return err
		}
		mgtr.inplace.refusal = "the server does not do it: " + err.Error()
		return helper.alter(ctx, session, mgtr.names.ghost, options)
	}
	mgtr.inplace.refusal, err = prover.compare(ctx, before)
	return err
}

// inplaceProver finds out by the ghost, which is like the original and empty, whether altering in place changes
// definitions only: then InnoDB's table, or each partition, is the same as before, and no index is new. A table that was
// rebuilt has another id, and so has an index that was built.
type inplaceProver struct {
	tables
	dialect mysql.Dialect
	names   cutOverNames
}

// innodbObjects are InnoDB's ids of a table.
type innodbObjects struct {
	tables  []uint64 // one for each partition, where there are some
	indexes []uint64
}

// look reads the ghost's ids before it is altered, or says why nothing can be shown by them.
func (p inplaceProver) look(ctx context.Context) (before innodbObjects, refusal string, err error) {
	var original, ghost gosql.NullString
	for _, read := range []struct {
		table  sql.TableName
		format *gosql.NullString
	}{{p.names.original, &original}, {p.names.ghost, &ghost}} {
		err := p.db.QueryRowContext(ctx, "SELECT /* gh-ost */ row_format FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
			read.table.Schema, read.table.Name).Scan(read.format)
		if err != nil {
			return before, "", fmt.Errorf("reading the row format of %s: %w", read.table, err)
		}
	}
	if original.String != ghost.String { // it was the default when the original was made
		return before, fmt.Sprintf("the original's row format is %s, a table like it gets %s: what that shows need not be true of the original",
			original.String, ghost.String), nil
	}
	before, err = p.read(ctx)
	switch {
	case mysql.IsAccessDenied(err):
		return before, fmt.Sprintf("whether the change is one of definitions only cannot be seen without the privilege PROCESS: %v", err), nil
	case err != nil:
		return before, "", err
	case len(before.tables) == 0:
		return before, "the table is not InnoDB's", nil
	case len(before.indexes) == 0: // MySQL
		return before, "the server does not show the indexes of partitions, so it cannot be seen whether it would build one", nil
	}
	return before, "", nil
}

// compare says why the original must not be altered in place, after the ghost was.
func (p inplaceProver) compare(ctx context.Context, before innodbObjects) (refusal string, err error) {
	after, err := p.read(ctx)
	if err != nil {
		return "", err
	}
	if !slices.Equal(before.tables, after.tables) {
		return "the server would rebuild the table, or a partition", nil
	}
	for _, index := range after.indexes {
		if !slices.Contains(before.indexes, index) {
			return "the server would build an index", nil
		}
	}
	return "", nil
}

func (p inplaceProver) read(ctx context.Context) (objects innodbObjects, err error) {
	if objects.tables, err = innodbTableIDs(ctx, p.db, p.dialect, p.names.ghost); err != nil || len(objects.tables) == 0 {
		return objects, err
	}
	ids := make([]string, 0, len(objects.tables))
	for _, id := range objects.tables {
		ids = append(ids, strconv.FormatUint(id, 10))
	}
	objects.indexes, err = queryIDs(ctx, p.db, func(string) bool { return true },
		"SELECT /* gh-ost */ index_id, name FROM "+p.dialect.InnoDBIndexes()+" WHERE table_id IN ("+strings.Join(ids, ", ")+")")
	if err != nil {
		return objects, fmt.Errorf("reading InnoDB's indexes of %s: %w", p.names.ghost, err)
	}
	return objects, nil
}
