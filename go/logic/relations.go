package logic

import (
	"context"

	"github.com/github/gh-ost/go/logic/inspect"
)

// newRelations is the cut-over's reason to wait for triggers and foreign keys that somebody has made since the start: they
// would stay with the old table, and nobody would notice. When they are gone the cut-over goes on.
func (mgtr *Migrator) newRelations(ctx context.Context) (reason string, err error) {
	c, db := mgtr.context, mgtr.applier.general
	if !c.IncludeTriggers {
		if err := inspect.CheckTriggers(ctx, db, mgtr.names.original); err != nil {
			return err.Error(), nil
		}
	}
	if !c.SkipForeignKeyChecks {
		if err := inspect.CheckForeignKeys(ctx, db, mgtr.names.original, c.DiscardForeignKeys); err != nil {
			return err.Error(), nil
		}
	}
	return "", nil
}
