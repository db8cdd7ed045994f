package logic

import "context"

// metadataLockInstrument is what makes the server show its metadata locks.
const metadataLockInstrument = "wait/lock/metadata/sql/mdl"

// checkMetadataLocks finds out whether the server shows its metadata locks to this account. The cut-over can do without,
// so nothing is refused.
func (apl *Applier) checkMetadataLocks(ctx context.Context) error {
	if apl.safety.SkipMetadataLockCheck {
		_ = apl.log.Warningf("--skip-metadata-lock-check: the server's metadata locks are not looked at; the cut-over proves from the order of names that its RENAME is queued")
		return nil
	}
	enabled, err := apl.metadataLocksInstrumented(ctx)
	if err == nil && !enabled && apl.safety.AllowSetupMetadataLockInstruments {
		if err = apl.instrumentMetadataLocks(ctx); err == nil {
			enabled, err = apl.metadataLocksInstrumented(ctx)
		}
	}
	if err == nil && enabled {
		var locks int
		err = apl.general.QueryRowContext(ctx, "SELECT /* gh-ost */ COUNT(*) FROM performance_schema.metadata_locks l"+
			" JOIN performance_schema.threads t ON t.thread_id = l.owner_thread_id WHERE l.object_schema = ''").Scan(&locks)
		apl.metadataLocksReadable = err == nil
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if apl.metadataLocksReadable {
		return nil
	}
	reason := "performance_schema or its instrument " + metadataLockInstrument + " is off; --allow-setup-metadata-lock-instruments lets this tool switch the instrument on"
	if err != nil {
		reason = err.Error()
	}
	_ = apl.log.Warningf("the server does not show its metadata locks (%s): the cut-over cannot tell beforehand who would keep it from its lock, "+
		"and proves from the order of names that its RENAME is queued", reason)
	return nil
}

// metadataLocksInstrumented tells whether the server keeps a record of its metadata locks.
func (apl *Applier) metadataLocksInstrumented(ctx context.Context) (bool, error) {
	var enabled int
	err := apl.general.QueryRowContext(ctx, "SELECT /* gh-ost */ COUNT(*) FROM performance_schema.setup_instruments"+
		" WHERE name = ? AND enabled = 'YES' AND @@performance_schema = 1", metadataLockInstrument).Scan(&enabled)
	return enabled > 0, err
}

// instrumentMetadataLocks switches the instrument on, until the server restarts. Locks that are held already may stay unseen.
func (apl *Applier) instrumentMetadataLocks(ctx context.Context) error {
	apl.log.Infof("Switching on the instrument %s in performance_schema", metadataLockInstrument)
	_, err := apl.general.ExecContext(ctx, "UPDATE /* gh-ost */ performance_schema.setup_instruments SET enabled = 'YES', timed = 'YES' WHERE name = ?", metadataLockInstrument)
	return err
}
