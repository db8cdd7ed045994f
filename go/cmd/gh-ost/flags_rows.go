package main

import "github.com/github/gh-ost/go/base"

func (o *options) rowFlags() []flagSpec {
	m := o.migration
	return []flagSpec{
		intFlag(&o.chunkSize, "chunk-size", 1000, "rows in a copied chunk; kept within 10 and 100000. --chunk-time-millis adapts it"),
		intFlag(&m.ChunkTimeMillis, "chunk-time-millis", base.DefaultChunkTimeMillis, "milliseconds that a chunk should take: --chunk-size is where its size begins. 0 keeps the size").within(0, base.MaxChunkTimeMillis),
		intFlag(&m.CopyConcurrency, "copy-concurrency", base.DefaultCopyConcurrency, "sessions that copy rows, 1 to 16").within(1, base.MaxConcurrency),
		floatFlag(&m.CopyYieldRatio, "copy-yield-ratio", base.DefaultCopyYieldRatio, "while clients write to the table: copy with one session and in small chunks, and rest after each for this multiple of the time it took. 0: do not mind them").within(0, base.MaxCopyYieldRatio),
		intFlag(&m.ApplyConcurrency, "apply-concurrency", base.DefaultApplyConcurrency, "sessions that apply events, 1 to 16").within(1, base.MaxConcurrency),
		intFlag(&o.dmlBatchSize, "dml-batch-size", 10, "most events applied in one transaction; kept within 1 and 1000"),
		intFlag(&o.defaultRetries, "default-retries", 60, "attempts at an operation that may be retried, the cut-over too"),
		floatFlag(&o.niceRatio, "nice-ratio", 0, "rest after each chunk for this multiple of the time it took; kept within 0 and 100"),
		boolFlag(&m.Checksum, "checksum", false, "compare the new table with the original, while clients write, and swap only if they agree"),
		boolFlag(&m.CountTableRows, "exact-rowcount", false, "count the rows instead of estimating them, to show the progress exactly"),
		boolFlag(&m.ConcurrentCountTableRows, "concurrent-rowcount", true, "with --exact-rowcount: count while copying; false counts first"),
		intFlag(&o.heartbeatIntervalMillis, "heartbeat-interval-millis", 100, "milliseconds between heartbeats, which measure the lag; kept within 100 and 1000"),
	}
}
