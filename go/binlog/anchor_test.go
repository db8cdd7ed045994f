package binlog

import (
	"fmt"
	"testing"
	"time"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testproxy"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
)

// The new log has the same places, with other transactions before them.
func TestALogThatWasBegunAnewAndHasGrownIsNotReadOn(t *testing.T) {
	for name, kind := range map[string]func(*Settings){"file": func(*Settings) {}, "gtid": byGTID} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testserver.BothFresh(t, testserver.Options{}, func(t *testing.T, server *testserver.Server) {
				schema := server.Schema(t)
				reset := "RESET BINARY LOGS AND GTIDS"
				if server.Flavor == testserver.MariaDB {
					reset = "RESET MASTER"
				}
				fill := func(table string, first int) {
					server.Exec(t, fmt.Sprintf("CREATE TABLE %s.%s (id int PRIMARY KEY)", schema, table))
					for id := first; id < first+9; id += 3 {
						server.Exec(t, fmt.Sprintf("INSERT INTO %s.%s VALUES (%d)", schema, table, id))
					}
				}
				server.Exec(t, reset)
				proxy := testproxy.Start(t, fmt.Sprintf("%s:%d", server.Host, server.Port))
				settings := settingsFor(server, schema)
				kind(&settings)
				settings.Connection.Key.Port = proxy.Port()
				f := followFrom(t, settings, position(t, server, settings.UseGTID))
				fill("t", 0)
				f.rows("t", 3)

				proxy.Partition()
				killDump(t, server)
				require.Eventually(t, func() bool { // not while it is still being sent
					_, err := server.DB(t).ExecContext(t.Context(), reset)
					return err == nil
				}, 30*time.Second, 50*time.Millisecond)
				fill("u", 1)
				proxy.Heal()
				time.Sleep(time.Second)
				server.Exec(t, "INSERT INTO "+schema+".u VALUES (8)")

				var foreign *ForeignLogError
				require.ErrorAs(t, f.end(), &foreign)
				assert.Empty(t, f.changesOf("u"), "nothing of it may be handed over")
			})
		})
	}
}

func TestTheLastTransactionIsAskedForOnceMore(t *testing.T) {
	id := gtid{gno: 5}
	copy(id.sid[:], "0123456789abcdef")
	const source = "30313233-3435-3637-3839-616263646566"
	for read, asked := range map[string]string{
		source + ":1-5":   source + ":1-4",
		source + ":1-9":   source + ":1-4:6-9",
		source + ":5":     "",
		source + ":5-6":   source + ":6",
		source + ":1-3:5": source + ":1-3",
		source + ":1-5,40313233-3435-3637-3839-616263646566:7": source + ":1-4,40313233-3435-3637-3839-616263646566:7",
	} {
		coordinates, err := mysql.NewGTIDBinlogCoordinates(mysql.MySQLFlavor, read)
		require.NoError(t, err)

		from := (&anchor{id: id}).behind(coordinates)

		want := gomysql.NewMysqlGTIDSet()
		parsed, err := gomysql.ParseMysqlGTIDSet(asked)
		if asked == "" {
			parsed, err = &want, nil
		}
		require.NoError(t, err)
		assert.True(t, from.(*mysql.GTIDBinlogCoordinates).GTIDSet.Equal(parsed), "%s: %s", read, from)
		assert.Equal(t, read, coordinates.GTIDSet.String(), "what was read stays as it is")
	}
}

func TestTheTransactionThatIsSentOnceMoreIsNoProgress(t *testing.T) {
	raw := rawEvent(0, make([]byte, 40))
	for name, changed := range map[string]bool{"as before": false, "another": true} {
		t.Run(name, func(t *testing.T) {
			s := newSequencer(newPlace(mysql.NewFileBinlogCoordinates("binlog.000001", 100)), 0, func(item) error { return nil })
			var before trace
			before.add(raw, false)
			s.last = &anchor{trace: before}
			s.restart()
			require.NotNil(t, s.proof)

			again := append([]byte{}, raw...)
			if changed {
				again[0]++ // its time
			}
			s.trace.add(again, false)
			err := s.prove()

			if changed {
				var foreign *ForeignLogError
				require.ErrorAs(t, err, &foreign)
				return
			}
			require.NoError(t, err)
			assert.Nil(t, s.proof)
			assert.False(t, s.advanced, "a connection that is lost behind it, each time, is to be given up some time")
		})
	}
}
