// Package mysql knows servers: how to connect to them, what they call themselves, how each product and version wants to
// be spoken to, where they stand in their binary log and in a replication topology, and what their errors mean.
//
// What it promises:
//
//   - One Dialect holds every difference between MySQL 5.7, 8.0, 8.4, 9.x and MariaDB that the tool has to mind. Other
//     packages ask it by name and compare no versions.
//   - All connections of a pool from ConnectionConfig.Open are alike: isolation, character set and session statements
//     are set before anybody gets one. The driver's parameters are interpolated on the client side, one round trip each.
//   - Errors are told apart by number (Classify and the Is… functions), never by their text.
//   - A Session outlives the cancellation of the context that drives it. The SQL driver closes a connection whose
//     context ends, which on a session that holds LOCK TABLES would release the tables at an arbitrary moment.
//
// What it relies on: @@hostname and @@port, or the address that was configured; SHOW GRANTS telling the truth about the
// rights in force; connection_id() being the server's own (Session.VerifyID finds proxies that say otherwise).
//
// Scars:
//
//   - MariaDB before 11.1 calls transaction_isolation tx_isolation, so it cannot be set by the data source name.
//   - MySQL 8 and later list GRANT ALL as single privileges, and the rights of active roles by USING only.
//   - A schema in SHOW GRANTS is a pattern: `my\_db` and `my_db` both cover my_db.
//   - SHOW SLAVE STATUS of MariaDB shows the unnamed connection only; a server with a named source looks like a primary.
//   - A KILL QUERY that is still on its way when its statement ends hits the next one: Session.ExecBounded waits for it.
//   - context.DeadlineExceeded is a net.Error; it does not mean that the network failed.
package mysql
