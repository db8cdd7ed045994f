// Package status says how far a migration is: the status line, the hint block above it, the time that is left, and when a
// tick is worth printing.
//
// It is pure. Whoever owns the numbers fills a Snapshot and a Hints and writes the text that comes back; nothing here looks
// at a clock, a file or a server, and nothing here is safe for concurrent use, because one goroutine ticks.
//
// What it promises:
//   - Snapshot.Line follows one template to the letter. People grep it and scripts split it at its semicolons, so a reason
//     that carries a line break (an error text of a server) is folded into one line.
//   - The time left comes from a smoothed rate. A single slow or quick second does not swing it, and a pause does not send
//     it to infinity: while nothing is copied the average of the whole copy speaks.
//   - Cadence never skips a multiple of its step because a tick came a little late, and never prints a second twice.
package status
