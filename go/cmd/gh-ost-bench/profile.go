package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// profileTime is how long a profile is taken: short enough for a small table.
const profileTime = 3 * time.Second

// profileSoon takes a CPU profile of our program, in the first round of the workloads where it tells something. It closes
// the channel when there is nothing to wait for any more. A run that ends first has no profile.
func (e *engine) profileSoon(ctx context.Context, c contender, t *tool, r *run) <-chan struct{} {
	done := make(chan struct{})
	if !e.profile || c.name != ours || r.Round != 1 || r.Workload != "copy-narrow" && r.Workload != "apply" {
		close(done)
		return done
	}
	go func() {
		defer close(done)
		if _, err := t.log.await(ctx, markCopying); err != nil {
			return
		}
		reply, err := t.ask(ctx, fmt.Sprintf("cpu-profile=%s", profileTime))
		if err != nil {
			e.say("no profile: %v", err)
			return
		}
		profile, err := base64.StdEncoding.DecodeString(reply)
		if err != nil || len(profile) == 0 {
			e.say("no profile: the program has ended before it was taken")
			return
		}
		path := filepath.Join(e.settings.out, "cpu-"+r.Workload+".pprof")
		if err := os.WriteFile(path, profile, 0o644); err != nil {
			e.say("no profile: %v", err)
			return
		}
		e.say("the CPU profile is in %s", path)
	}()
	return done
}
