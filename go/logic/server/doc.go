// Package server is the interactive face of a running migration: a Unix socket, and on request a TCP port, that take one
// command per connection, answer it, and close.
//
// One table (commands.go) says what commands there are; the dispatcher and the help text both read it. What a command does to
// the migration goes through Controls, which the migration implements.
//
// What it promises:
//   - The socket file is its owner's alone from the moment it exists. A file that a dead process left is recognised, because
//     nobody answers there, and replaced; one that somebody answers on is refused. Only our own file is removed at the end.
//   - No client can do harm by being slow, silent, many, or by sending garbage: lines, times and connections are limited, the
//     two listeners apart, so that a crowded TCP port does not shut out the socket. A reply is made in memory before it is
//     sent, so a slow reader holds no lock of the migration.
//   - An error of the address shows in Listen, before the migration has built anything.
//   - When Serve returns, its goroutines have ended. Replies under way are still sent, for a second: the answer to `panic`
//     reaches its sender although it ends the server.
//   - A fault in a command's code costs its reply, not the migration.
//
// There is no authentication. The socket is protected by its file mode; the TCP port by nothing but the network.
//
// Scars: a CPU profile that was cut short because the compressor and the encoder around it were not closed in order
// (TestAProfileArrivesWhole); a run refused after hours of set-up because a killed predecessor had left its socket
// (TestAStaleSocketFileIsReplaced).
package server
