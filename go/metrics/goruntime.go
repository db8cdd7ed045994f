package metrics

import (
	"context"
	"runtime"
	"time"
)

// StartGoRuntimeReporter reports the memory use, garbage collection and goroutines of this process as gauges
// go_runtime.*, at once and then at every interval, until the context ends or the client is closed. An interval of 0 or less, and a nil client,
// report nothing.
func StartGoRuntimeReporter(ctx context.Context, client *Client, interval time.Duration) {
	if client == nil || client.stream == nil || interval <= 0 {
		return
	}
	client.stream.goroutines.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			reportGoRuntime(client)
			select {
			case <-ctx.Done():
				return
			case <-client.stream.stopping:
				return
			case <-ticker.C:
			}
		}
	})
}

func reportGoRuntime(emitter Emitter) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	emitter.Gauge("go_runtime.alloc_bytes", float64(memory.Alloc))
	emitter.Gauge("go_runtime.sys_bytes", float64(memory.Sys))
	emitter.Gauge("go_runtime.heap_inuse_bytes", float64(memory.HeapInuse))
	emitter.Gauge("go_runtime.num_gc", float64(memory.NumGC))
	emitter.Gauge("go_runtime.gc_pause_total_ns", float64(memory.PauseTotalNs))
	emitter.Gauge("go_runtime.goroutines", float64(runtime.NumGoroutine()))
}
