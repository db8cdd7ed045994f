package testserver

import (
	"context"
	gosql "database/sql"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/go-mysql-org/go-mysql/client"
	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGhostAccountLogsInOverTCPWithBothDrivers(t *testing.T) {
	Both(t, func(t *testing.T, server *Server) {
		for _, instance := range []*Server{server, server.Replica} {
			config := mysql.NewConfig()
			config.User, config.Passwd, config.Net = instance.User, instance.Password, "tcp"
			config.Addr = net.JoinHostPort(instance.Host, strconv.Itoa(instance.Port))
			db, err := gosql.Open("mysql", config.FormatDSN())
			require.NoError(t, err)
			defer db.Close()
			var port int
			require.NoError(t, db.QueryRow("SELECT @@port").Scan(&port))
			assert.Equal(t, instance.Port, port)

			conn, err := client.Connect(config.Addr, instance.User, instance.Password, "")
			require.NoError(t, err)
			require.NoError(t, conn.Close())
		}
	})
}

func TestGhostAccountReadsTheBinaryLog(t *testing.T) {
	Both(t, func(t *testing.T, server *Server) {
		// Given a table with a row
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY); INSERT INTO "+schema+".t VALUES (42)")

		// When the binary log is read from its beginning
		syncer := replication.NewBinlogSyncer(replication.BinlogSyncerConfig{
			ServerID: 99, Flavor: string(server.Flavor), Host: server.Host, Port: uint16(server.Port), User: server.User, Password: server.Password,
		})
		defer syncer.Close()
		stream, err := syncer.StartSync(gomysql.Position{Name: "binlog.000001", Pos: 4})
		require.NoError(t, err)

		// Then the row is in it, whole
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		for {
			event, err := stream.GetEvent(ctx)
			require.NoError(t, err)
			if rows, ok := event.Event.(*replication.RowsEvent); ok && string(rows.Table.Schema) == schema {
				assert.Equal(t, [][]any{{int32(42)}}, rows.Rows)
				return
			}
		}
	})
}
