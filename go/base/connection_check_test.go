package base

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
)

func TestMain(m *testing.M) { os.Exit(testserver.Main(m, testserver.Options{})) }

func TestServerReachedByAnotherPortIsRefusedUnlessToldToTrustIt(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		db := server.DB(t)
		c := NewMigrationContext()
		right, wrong := mysql.NewConnectionConfig(), mysql.NewConnectionConfig()
		right.Key = mysql.InstanceKey{Hostname: "127.0.0.1", Port: server.Port}
		wrong.Key = mysql.InstanceKey{Hostname: "127.0.0.1", Port: server.Port + 1}

		version, err := ValidateConnection(db, right, c, "inspector")
		require.NoError(t, err)
		assert.Regexp(t, `^\d+\.\d+\.\d+`, version)

		_, err = ValidateConnection(db, wrong, c, "inspector")
		assert.ErrorContains(t, err, "unexpected database port reported")
		assert.ErrorContains(t, err, "skip-port-validation")

		for _, trust := range []*bool{&c.SkipPortValidation, &c.AliyunRDS, &c.GoogleCloudPlatform, &c.AzureMySQL} {
			*trust = true
			_, err = ValidateConnection(db, wrong, c, "inspector")
			assert.NoError(t, err)
			*trust = false
		}

		c.CancelContext()
		_, err = ValidateConnection(db, right, c, "applier")
		assert.ErrorContains(t, err, "connecting the applier to 127.0.0.1")
	})
}
