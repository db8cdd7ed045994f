// Package testserver gives tests real MySQL and MariaDB servers.
//
// A test package says in its TestMain that it uses servers, and its tests ask for them:
//
//	func TestMain(m *testing.M) { os.Exit(testserver.Main(m, testserver.Options{})) }
//
//	func TestRowsArrive(t *testing.T) {
//		testserver.Both(t, func(t *testing.T, server *testserver.Server) {
//			schema := server.Schema(t)
//			server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY)")
//			…
//		})
//	}
//
// It promises:
//   - One server of a flavor per test package, started when the first test wants it, ended when Main returns. Tests are kept
//     apart by schemas (Schema). A test that kills, restarts or reconfigures a server takes one of its own (Start).
//   - A test that cannot have its server fails. It is skipped only under -short, or if the flavor is left out of TEST_FLAVORS
//     (a comma list; empty: all).
//   - However the test binary ends, its servers end too: script/mysql-server watches the process that it was started for, from a
//     session of its own, and removes the servers within a second of its end. So a panic, a timeout and SIGKILL leave nothing.
//
// It relies on script/mysql-server, which it finds by walking up to go.mod.
//
// It imports no other package of this project, so that all of them can use it in their tests.
//
// Scars: a server that holds the test binary's stdout keeps `go test` waiting for ever, so the script gives it files instead. Dropping a
// schema in which a session has left a metadata lock waits for a year by default: Schema's drop gives up after five seconds
// and fails the test, which has leaked a session.
package testserver
