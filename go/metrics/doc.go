// Package metrics sends what a migration measures to a DogStatsD listener.
//
// It promises three things. Measuring never waits: values are added up in memory, and one goroutine of the client's own
// writes them every few seconds, in datagrams that fit a network packet. Counts are summed, gauges keep the latest
// value, histograms keep every observation up to a bound and then say at which rate they were sampled. Close writes
// what is left and waits for that goroutine.
//
// It relies on nothing of the migration. A listener that is away costs measurements and nothing else: the socket is
// connected anew at the next write, and what could not be written is counted (Client.Dropped).
//
// The protocol is that of https://docs.datadoghq.com/developers/dogstatsd/datagram_shell: name:value|type|@rate|#tags,
// one line each. Version 1.1 of it packs several values of one histogram into a line; listeners older than that
// exist, so each value gets a line of its own.
package metrics
