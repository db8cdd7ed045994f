// Package throttle decides when the migration holds back, and holds it.
//
// There is one Gate. Workers call Gate.Wait before each step; every reason to close it is found here: the operator's word,
// flag files, the server's load, a query, an HTTP check, replication lag, hibernation. A Throttler measures, each concern in
// a goroutine of its own; Decide, which is pure, turns measurements and settings into a Verdict; ten times a second, and
// right after a setting changed, the verdict goes to the gate.
//
// What it promises:
//   - A measurement counts only while what it measured is still configured. Clearing or replacing a query, a URL, a file, a
//     variable or a replica ends its reason at once. (The reference kept throttling for good on the last bad status of a URL
//     that had been cleared: TestClearingAnInputClearsItsReasonAtOnce.)
//   - What cannot be measured does not pass for good news: an unreadable variable or replica throttles with its error, and a
//     lag that is no longer read ages. Only a failing throttle-query and, on request, HTTP errors are let pass.
//   - No measurement delays another: a query that hangs does not keep the panic file from being seen. Each collector runs one
//     measurement at a time, so nothing piles up behind a slow server.
//   - Waiters wake when the gate opens, not at the next look. Every wait ends with its context.
//   - While the tables are locked (Gate.Bypass) the answer is "not throttled", and nothing is announced, so that announcing
//     costs the critical section no round trip.
//
// It relies on its caller to say SettingsChanged after a setter, and to treat the call of Config.Abort as the end.
package throttle
