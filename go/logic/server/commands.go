package server

import (
	"errors"
	"fmt"
	"strings"
)

// commandTable lists all commands, in the order in which help shows them.
func (s *Server) commandTable() []command {
	return []command{
		{names: []string{"help"}, help: "Show these commands", run: s.help},
		{names: []string{"status", "info"}, help: "Show the settings and how far the migration is", run: (*request).status},
		{names: []string{"sup"}, help: "Show how far the migration is, in one line", run: runSup},
		{names: []string{"coordinates"}, help: "Show the position in the binary logs that has been read up to", run: runCoordinates},
		{names: []string{"applier"}, help: "Show the server that is changed", run: runApplier},
		{names: []string{"inspector"}, help: "Show the server that is read from", run: runInspector},
		{names: []string{"cut-over-report"}, help: "Show what the last cut-over attempt did, step by step",
			supported: keepsCutOverReport, run: runCutOverReport},

		{names: []string{"chunk-size"}, argument: "<rows>", changes: true, help: "Set the rows that are copied at a time, 10 to 100000",
			run: integer(10, 100_000, Controls.ChunkSize, Controls.SetChunkSize)},
		{names: []string{"dml-batch-size"}, argument: "<events>", changes: true, help: "Set the most events that are applied in one transaction, 1 to 1000",
			run: integer(1, 1000, Controls.DMLBatchSize, Controls.SetDMLBatchSize)},
		{names: []string{"max-lag-millis"}, argument: "<millis>", changes: true, help: "Set the replication lag above which to throttle, 100 at least",
			run: integer(100, noUpperBound, Controls.MaxLagMillis, Controls.SetMaxLagMillis)},
		{names: []string{"nice-ratio"}, argument: "<ratio>", changes: true, help: "Set how long to sleep after a chunk, as a multiple of the time it took; 0 to 100",
			run: float(0, 100, Controls.NiceRatio, Controls.SetNiceRatio)},
		{names: []string{"max-load"}, argument: "<variable=n,…>", changes: true, help: "Set the status variables and thresholds from which to throttle; empty for none",
			run: list(Controls.MaxLoad, Controls.SetMaxLoad)},
		{names: []string{"critical-load"}, argument: "<variable=n,…>", changes: true, help: "Set the status variables and thresholds from which to abort; empty for none",
			run: list(Controls.CriticalLoad, Controls.SetCriticalLoad)},

		{names: []string{"throttle-query"}, argument: "<query>", changes: true, help: "Set a query that throttles while it returns more than 0; empty for none",
			run: throttleInput(Controls.ThrottleQuery, Controls.SetThrottleQuery)},
		{names: []string{"throttle-http"}, argument: "<url>", changes: true, help: "Set a URL that throttles while HEAD is not answered with 200; empty for none",
			run: throttleInput(Controls.ThrottleHTTP, Controls.SetThrottleHTTP)},
		{names: []string{"throttle-control-replicas"}, argument: "<host:port,…>", changes: true, help: "Set the servers whose replication lag counts, too; empty for none",
			run: runControlReplicas},
		{names: []string{"replication-lag-query"}, help: "Deprecated, has no effect", run: runReplicationLagQuery},
		{names: []string{"throttle", "pause", "suspend"}, argument: "[table]", changes: true, help: "Hold the migration back until no-throttle", run: runThrottle},
		{names: []string{"no-throttle", "unthrottle", "resume", "continue"}, argument: "[table]", changes: true, help: "End what throttle began; other reasons to throttle stay", run: runNoThrottle},

		{names: []string{"postpone-cut-over-flag-file"}, argument: "<path>", changes: true, help: "Postpone the cut-over while this file exists; it is created", run: runPostpone},
		{names: []string{"unpostpone", "no-postpone", "cut-over"}, argument: "[table]", changes: true, help: "Let a postponed cut-over go on", run: runUnpostpone},
		{names: []string{"panic"}, argument: "[table]", changes: true, help: "Abort the migration at once, without cleaning up", run: runPanic},
		{names: []string{"cpu-profile"}, argument: "<duration[,gzip][,block]>", help: "Take a CPU profile and return it in base64", run: s.runProfile},
	}
}

// help lists what this migration supports.
func (s *Server) help(r *request) error {
	fmt.Fprintln(&r.reply, "available commands:")
	for _, command := range s.commands {
		if !command.isSupported(r.controls) {
			continue
		}
		usage := command.names[0]
		if command.argument != "" {
			usage += "=" + command.argument
		}
		explanation := command.help
		if aliases := command.names[1:]; len(aliases) > 0 {
			explanation += " (also: " + strings.Join(aliases, ", ") + ")"
		}
		fmt.Fprintf(&r.reply, "%-40s # %s\n", usage, explanation)
	}
	fmt.Fprintln(&r.reply, "- use '?' as the argument of a setting to see its value, as in \"chunk-size=?\"")
	return nil
}

func runSup(r *request) error { return r.controls.WriteStatusLine(r.ctx, &r.reply) }

func runCoordinates(r *request) error {
	if r.argument != "" && r.argument != ask {
		return errors.New("coordinates are read-only")
	}
	return r.value(r.controls.Coordinates())
}

func runApplier(r *request) error { return r.value(r.controls.ApplierIdentity()) }

func runInspector(r *request) error { return r.value(r.controls.InspectorIdentity()) }

// String is the reply to who a server is.
func (i Identity) String() string { return fmt.Sprintf("Host: %s, Version: %s", i.Host, i.Version) }

func keepsCutOverReport(controls Controls) bool {
	_, keeps := controls.(CutOverReporter)
	return keeps
}

func runCutOverReport(r *request) error {
	report := r.controls.(CutOverReporter).CutOverReport()
	if report == "" {
		report = "no cut-over has been attempted yet"
	}
	return r.value(strings.TrimSuffix(report, "\n"))
}

func runControlReplicas(r *request) error {
	if r.argument == ask {
		return r.value(r.controls.ControlReplicas())
	}
	if err := r.controls.SetControlReplicas(r.argument); err != nil {
		return err
	}
	fmt.Fprintln(&r.reply, r.controls.ControlReplicas())
	return r.status()
}

func runReplicationLagQuery(*request) error {
	return errors.New("replication-lag-query is deprecated and has no effect; lag is measured by heartbeats")
}

func runThrottle(r *request) error {
	if err := r.checkTable(); err != nil {
		return err
	}
	r.controls.ThrottleByUser(true)
	return r.noteAndStatus()
}

func runNoThrottle(r *request) error {
	if err := r.checkTable(); err != nil {
		return err
	}
	r.controls.ThrottleByUser(false)
	return r.status()
}

func runPostpone(r *request) error {
	if r.argument == "" {
		return fmt.Errorf("user commanded '%s' without specifying file path", r.name)
	}
	if err := r.controls.PostponeCutOver(r.argument); err != nil {
		return err
	}
	fmt.Fprintln(&r.reply, "Postponed")
	return r.status()
}

func runUnpostpone(r *request) error {
	if err := r.requireTable(r.controls.RequiresNamedCutOver(), "force-named-cut-over"); err != nil {
		return err
	}
	if !r.controls.Unpostpone() {
		return r.value("The cut-over is not being postponed now; nothing to do")
	}
	fmt.Fprintln(&r.reply, "Unpostponed")
	return r.status()
}

func runPanic(r *request) error {
	if err := r.requireTable(r.controls.RequiresNamedPanic(), "force-named-panic"); err != nil {
		return err
	}
	reason := errors.New("user commanded 'panic'; the migration ends now and nothing is cleaned up")
	r.controls.Panic(reason)
	return r.value(reason)
}
