// Package testproxy is a network between a client and a MySQL or MariaDB server that fails when a test wants it to.
//
//	proxy := testproxy.Start(t, "127.0.0.1:3306")                       // clients connect to proxy.Addr()
//	lost := proxy.SwallowReply(testproxy.Text("RENAME TABLE")).Limit(1) // the server renames, the client never hears of it
//	…
//	conn := lost.Wait(t)                                                // returns when that has happened
//	conn.Cut()
//
// It reads the protocol packet by packet, so it knows each connection's id in the server, its last command and the
// text of its queries, prepared ones included. There are two kinds of faults:
//   - Rules wait for a command that matches, and act at exactly that point: CutBefore, CutDuring, CutAfter, SwallowRequest,
//     SwallowReply, and OnQuery, which calls any function before the command goes on.
//   - Actions befall a connection ([Conn.Cut], Stall, Resume, HalfClose, Delay) or the whole network now, future
//     connections included ([Proxy.Partition], Heal, Stall, Resume, Delay).
//
// It promises that commands meet the rules in the order in which a connection sends them, each command before its first
// byte reaches the server, and each rule in the order of its making; that a stalled direction passes on nothing, not even
// the news that the other side has closed; and that all its goroutines have ended when Close returns.
//
// It relies on packets it can read: it takes TLS, compression and query attributes out of what the server offers. A client that
// insists on one of them fails to connect.
package testproxy
