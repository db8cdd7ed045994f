package logic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
)

func TestTheMetadataLockInstrumentIsUsedSetUpOrDoneWithout(t *testing.T) {
	server := testserver.Start(t, testserver.Options{Args: []string{"--performance-schema-instrument=wait/lock/metadata/sql/mdl=OFF"}})
	server.Exec(t, "GRANT UPDATE ON performance_schema.setup_instruments TO 'gh-ost'@'%'")
	for _, test := range []struct {
		name     string
		option   func(c *base.MigrationContext)
		readable bool
		logged   string
	}{
		{"it is off", func(*base.MigrationContext) {}, false, "--allow-setup-metadata-lock-instruments"},
		{"it may be switched on", func(c *base.MigrationContext) { c.AllowSetupMetadataLockInstruments = true }, true, "Switching on the instrument"},
		{"it is on", func(*base.MigrationContext) {}, true, "Tables renamed"},
		{"it is not wanted", func(c *base.MigrationContext) { c.SkipMetadataLockCheck = true }, false, "--skip-metadata-lock-check"},
	} {
		t.Run(test.name, func(t *testing.T) {
			schema := server.Schema(t)
			load := startLoad(t, server, schema, "t", ledger.Options{Rows: 300, Writers: 4})
			m := newMigration(t, server, schema, "t", "ADD COLUMN extra int", test.option)

			require.NoError(t, requireEnd(t, m.start(), time.Minute))

			assert.Equal(t, test.readable, m.applier.metadataLocksReadable)
			assert.True(t, m.log.contains(test.logged))
			load.requireNothingLost(t, "t")
		})
	}
}
