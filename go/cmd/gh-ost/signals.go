package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// stopSignal is the error of a run that a signal has ended.
type stopSignal struct{ signal syscall.Signal }

func (e *stopSignal) Error() string {
	return fmt.Sprintf("stopped by %s: the original table is as it was unless the swap is reported above; helper tables that stay are named above", e.name())
}

func (e *stopSignal) name() string {
	if e.signal == syscall.SIGINT {
		return "SIGINT"
	}
	return "SIGTERM"
}

// exitCode is the one by which shells report a process that died by the signal.
func (e *stopSignal) exitCode() int { return 128 + int(e.signal) }

// handleSignals ends the run through its context at SIGINT or SIGTERM, the process at a second one, and reads the
// configuration file again at SIGHUP. The returned function ends the handling and waits for it.
func (o *options) handleSignals() (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	var handling sync.WaitGroup
	handling.Go(func() {
		stopping := false
		for {
			select {
			case <-done:
				return
			case received := <-signals:
				number, _ := received.(syscall.Signal)
				switch {
				case number == syscall.SIGHUP:
					o.reloadConfigFile()
					o.migration.MarkPointOfInterest()
				case stopping:
					os.Exit((&stopSignal{number}).exitCode())
				default:
					stopping = true
					o.stopRun(&stopSignal{number})
				}
			}
		}
	})
	return func() {
		signal.Stop(signals)
		close(done)
		handling.Wait()
	}
}

func (o *options) stopRun(cause *stopSignal) {
	_ = o.migration.Log.Errorf("%s received: stopping. Locks are given back first; the same signal again ends the process at once", cause.name())
	o.migration.SetAbortError(cause)
	o.migration.CancelContext()
}
