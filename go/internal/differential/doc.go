// Package differential migrates random tables by random ALTERs while random statements change their rows, and compares each
// with what the server's own ALTER (ALGORITHM=COPY, strict mode) makes of the same final rows.
//
// Its property, for every case that the grammar can write:
//   - Where the native ALTER succeeds the migrated table has the same rows, byte for byte, and the same definition.
//   - Where the native ALTER fails the migration fails, and the original has its rows and its definition.
//   - Where the migration alone fails, the reason is one of those listed in refusals_test.go, each of which is documented.
//
// A case that breaks it is made smaller, first by rapid, then by taking statements away (minimize_test.go), and shown as the
// files of a case for localtests/. With DIFFERENTIAL_CASES=FOLDER they are also written there.
//
// Tests run few cases with a fixed seed; `make soak` runs many with fresh ones. A seed that failed is replayed by
//
//	TEST_FLAVORS=mysql go test -run TestRandom ./go/internal/differential -rapid.seed=SEED -rapid.checks=N
//
// or, both tests of a round, by make soak MINUTES=1 SEED=SEED.
//
// The statements of a case run one after the other: before the first row is copied, beside the copy, and while the cut-over
// is postponed. So the rows do not depend on timing, though what the copy meets does: a replay may take another way to the
// same end. Clients that write during the cut-over itself are the business of package ledger.
package differential
