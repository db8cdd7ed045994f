package main

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/openark/golib/log"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// validate checks the options in the documented order and fills the migration context. The first fault is returned;
// nothing has been connected to by then.
func (o *options) validate(askPassword func() (string, error)) error {
	o.setLogLevel()
	for _, step := range []func() error{
		o.applyConnectionSettings,
		o.validateTarget,
		o.validateCombinations,
		o.applyCutOver,
		o.readConfigFile,
		o.applyLists,
		o.applyConfigFile,
		o.applyServing,
		func() error { return o.askPasswordIfWanted(askPassword) },
		o.applyLiveSettings,
		o.migration.SetupTLS,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	o.migration.ApplyCredentials()
	return nil
}

func (o *options) setLogLevel() {
	level := log.ERROR
	switch {
	case o.quiet:
	case o.debug:
		level = log.DEBUG
	case o.verbose:
		level = log.INFO
	}
	o.migration.Log.SetLevel(level)
	o.migration.Log.SetPrintStackTrace(o.stack)
}

func (o *options) applyConnectionSettings() error {
	if o.storageEngine == "rocksdb" {
		o.warnf("--storage-engine=rocksdb is experimental")
	}
	if err := o.migration.SetConnectionConfig(o.storageEngine); err != nil {
		return err
	}
	o.migration.SetConnectionCharset(o.charset)
	return nil
}

// validateTarget settles which table is migrated, and by which change.
func (o *options) validateTarget() error {
	m := o.migration
	m.Noop = !o.execute
	parser := sql.NewParserUnderAnySQLMode(m.AlterStatement)
	switch {
	case o.cleanup && (m.Revert || m.Resume):
		return errors.New("--cleanup removes what --resume or --revert would need: they exclude each other")
	case o.cleanup:
		if o.given["alter"] {
			o.warnf("--alter is ignored with --cleanup, except for the names in it")
		}
	case m.Revert && m.Resume:
		return errors.New("--revert and --resume exclude each other: a revert starts anew")
	case m.Revert && m.OldTableName == "":
		return errors.New("--revert needs --old-table, the table that the earlier migration left")
	case m.Revert:
		for _, name := range []string{"alter", "attempt-instant-ddl", "attempt-inplace-ddl", "include-triggers", "discard-foreign-keys"} {
			if o.given[name] {
				o.warnf("--%s is ignored with --revert", name)
			}
		}
		m.AttemptInstantDDL, m.AttemptInplaceDDL, m.IncludeTriggers, m.DiscardForeignKeys = false, false, false, false
	case m.AlterStatement == "":
		return errors.New("--alter is required: the change to make")
	case parser.Err() != nil:
		return fmt.Errorf("--alter cannot be understood: %w", parser.Err())
	case strings.TrimSpace(parser.GetAlterStatementOptions()) == "":
		return errors.New("--alter names no change")
	}
	m.AlterStatementOptions = parser.GetAlterStatementOptions()
	o.takeName(&m.DatabaseName, parser.GetExplicitSchema(), "database")
	o.takeName(&m.OriginalTableName, parser.GetExplicitTable(), "table")
	if m.DatabaseName == "" {
		return errors.New("--database is required, since --alter names no schema")
	}
	if m.OriginalTableName == "" {
		return errors.New("--table is required, since --alter names no table")
	}
	return m.ValidateTableNames()
}

// takeName fills in a name from the ALTER text where no flag gives it.
func (o *options) takeName(name *string, explicit, flagName string) {
	switch {
	case *name == "":
		*name = explicit
	case explicit != "" && explicit != *name:
		o.warnf("--%s=%s wins over %s in --alter", flagName, *name, explicit)
	}
}

var triggerSuffix = regexp.MustCompile(`^[0-9A-Za-z_]*$`)

// validateCombinations refuses flags that contradict or need one another.
func (o *options) validateCombinations() error {
	m := o.migration
	for _, rule := range []struct {
		broken  bool
		message string
	}{
		{m.AllowedRunningOnMaster && m.TestOnReplica, "--allow-on-master and --test-on-replica exclude each other"},
		{m.AllowedRunningOnMaster && m.MigrateOnReplica, "--allow-on-master and --migrate-on-replica exclude each other"},
		{m.MigrateOnReplica && m.TestOnReplica, "--migrate-on-replica and --test-on-replica exclude each other"},
		{m.SwitchToRowBinlogFormat && m.AssumeRBR, "--switch-to-rbr and --assume-rbr exclude each other"},
		{m.TestOnReplicaSkipReplicaStop && !m.TestOnReplica, "--test-on-replica-skip-replica-stop needs --test-on-replica"},
		{m.CliMasterUser != "" && m.AssumeMasterHostname == "", "--master-user needs --assume-master-host"},
		{m.CliMasterPassword != "" && m.AssumeMasterHostname == "", "--master-password needs --assume-master-host"},
		{m.TLSCACertificate != "" && !m.UseTLS, "--ssl-ca needs --ssl"},
		{m.TLSCertificate != "" && !m.UseTLS, "--ssl-cert needs --ssl"},
		{m.TLSKey != "" && !m.UseTLS, "--ssl-key needs --ssl"},
		{m.TLSAllowInsecure && !m.UseTLS, "--ssl-allow-insecure needs --ssl"},
		{m.IncludeTriggers && m.TriggerSuffix == "", "--include-triggers needs --trigger-suffix"},
		{m.TriggerSuffix != "" && !m.IncludeTriggers, "--trigger-suffix needs --include-triggers"},
		{m.RemoveTriggerSuffix && !m.IncludeTriggers, "--remove-trigger-suffix-if-exists needs --include-triggers and --trigger-suffix"},
		{!triggerSuffix.MatchString(m.TriggerSuffix), fmt.Sprintf("--trigger-suffix=%s: allowed are letters, digits and _", m.TriggerSuffix)},
		{m.CheckpointIntervalSeconds < base.MinCheckpointIntervalSeconds, fmt.Sprintf("--checkpoint-seconds=%d: allowed is %d or more",
			m.CheckpointIntervalSeconds, base.MinCheckpointIntervalSeconds)},
	} {
		if rule.broken {
			return errors.New(rule.message)
		}
	}
	if m.TestOnReplicaSkipReplicaStop {
		o.warnf("--test-on-replica-skip-replica-stop: hooks must stop and start replication")
	}
	if o.replicationLagQuery != "" {
		o.warnf("--replication-lag-query is deprecated and without effect")
	}
	if m.Resume && (m.AttemptInstantDDL || m.AttemptInplaceDDL) {
		o.warnf("--attempt-instant-ddl and --attempt-inplace-ddl are ignored with --resume: the migration goes on")
	}
	if m.CountTableRows && m.PanicOnWarnings {
		o.warnf("--exact-rowcount with --panic-on-warnings: the count is inexact")
	}
	if m.AssumeMasterHostname != "" {
		if _, err := mysql.ParseInstanceKey(m.AssumeMasterHostname); err != nil {
			return fmt.Errorf("--assume-master-host=%s: host[:port] is wanted: %w", m.AssumeMasterHostname, err)
		}
	}
	return validateURL(o.throttleHTTP)
}

func validateURL(text string) error {
	if text == "" {
		return nil
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return fmt.Errorf("--throttle-http=%s: allowed is an address that begins with http:// or https://", text)
	}
	return nil
}

func (o *options) applyCutOver() (err error) {
	if o.migration.CutOverType, err = base.ParseCutOver(o.cutOver); err != nil {
		return fmt.Errorf("--cut-over: %w", err)
	}
	return nil
}

func (o *options) applyLists() error {
	for _, list := range []struct {
		text string
		read func(string) error
	}{
		{o.controlReplicas, o.migration.ReadThrottleControlReplicaKeys},
		{o.maxLoad, o.migration.ReadMaxLoad},
		{o.criticalLoad, o.migration.ReadCriticalLoad},
	} {
		if err := list.read(list.text); err != nil {
			return fmt.Errorf("--%w", err) // begins with the setting's name, which is the flag's
		}
	}
	return nil
}

func (o *options) askPasswordIfWanted(ask func() (string, error)) error {
	if !o.askPass {
		return nil
	}
	password, err := ask()
	if err != nil {
		return fmt.Errorf("--ask-pass: %w", err)
	}
	o.migration.CliPassword = password
	return nil
}

// applyLiveSettings hands over what passes setters, and says where they took another value.
func (o *options) applyLiveSettings() error {
	m := o.migration
	o.applyClamped("heartbeat-interval-millis", o.heartbeatIntervalMillis, m.SetHeartbeatIntervalMilliseconds, m.GetHeartbeatIntervalMilliseconds)
	o.applyClamped("chunk-size", o.chunkSize, m.SetChunkSize, m.GetChunkSize)
	o.applyClamped("dml-batch-size", o.dmlBatchSize, m.SetDMLBatchSize, m.GetDMLBatchSize)
	o.applyClamped("max-lag-millis", o.maxLagMillis, m.SetMaxLagMillisecondsThrottleThreshold, m.GetMaxLagMillisecondsThrottleThreshold)
	o.applyClamped("default-retries", o.defaultRetries, m.SetDefaultNumRetries, m.MaxRetries)
	m.SetNiceRatio(o.niceRatio)
	if m.GetNiceRatio() != o.niceRatio {
		o.warnf("--nice-ratio=%g is out of range: %g is used", o.niceRatio, m.GetNiceRatio())
	}
	m.SetThrottleQuery(o.throttleQuery)
	m.SetThrottleHTTP(o.throttleHTTP)
	m.SetIgnoreHTTPErrors(o.ignoreHTTPErrors)
	if err := m.SetCutOverLockTimeoutSeconds(o.cutOverLockTimeoutSeconds); err != nil {
		_ = m.Log.Errorf("--%w; %d is used", err, m.CutOverLockTimeoutSeconds)
	}
	if err := m.SetExponentialBackoffMaxInterval(o.exponentialBackoffMaxInterval); err != nil {
		_ = m.Log.Errorf("--%w; %d is used", err, m.ExponentialBackoffMaxInterval)
	}
	return nil
}

func (o *options) applyClamped(flagName string, value int64, set func(int64), get func() int64) {
	set(value)
	if used := get(); used != value {
		o.warnf("--%s=%d is out of range: %d is used", flagName, value, used)
	}
}

func (o *options) warnf(format string, arguments ...any) {
	_ = o.migration.Log.Warningf(format, arguments...)
}
