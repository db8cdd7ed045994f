package main

import "github.com/github/gh-ost/go/base"

func (o *options) readConfigFile() error {
	return o.migration.ReadConfigFile()
}

// applyConfigFile lets the file's [osc] settings stand in for flags that are not given.
func (o *options) applyConfigFile() error {
	file := o.migration.FileSettings()
	if file.ReplicationLagQuery != "" {
		o.warnf("replication_lag_query in %s is deprecated and without effect", o.migration.ConfigFile)
	}
	if file.ChunkSize != nil && !o.given["chunk-size"] {
		o.chunkSize = *file.ChunkSize
	}
	if file.MaxLagMillis != nil && !o.given["max-lag-millis"] {
		o.maxLagMillis = *file.MaxLagMillis
	}
	if file.MaxLoad != nil && !o.given["max-load"] {
		return o.migration.ReadMaxLoad(*file.MaxLoad)
	}
	return nil
}

// reloadConfigFile reads the file again while the migration runs. What it says differently than before takes effect,
// except where a flag was given; what an operator has set meanwhile stays where the file has not changed.
func (o *options) reloadConfigFile() {
	m := o.migration
	before := m.FileSettings()
	if err := m.ReadConfigFile(); err != nil {
		_ = m.Log.Errorf("the settings stay as they are: %w", err)
		return
	}
	after := m.FileSettings()
	if changed(before.ChunkSize, after.ChunkSize) && !o.given["chunk-size"] {
		m.SetChunkSize(*after.ChunkSize)
	}
	if changed(before.MaxLagMillis, after.MaxLagMillis) && !o.given["max-lag-millis"] {
		m.SetMaxLagMillisecondsThrottleThreshold(*after.MaxLagMillis)
	}
	if changed(before.MaxLoad, after.MaxLoad) && !o.given["max-load"] {
		if err := m.ReadMaxLoad(*after.MaxLoad); err != nil {
			_ = m.Log.Errore(err)
		}
	}
	if accountOf(before) != accountOf(after) {
		o.warnf("%s names another account now: it counts from the next start, not for this run", m.ConfigFile)
	}
	m.Log.Infof("configuration file read again")
}

// changed tells whether a setting has come or has another value. One that is gone leaves what it has set.
func changed[T comparable](before, after *T) bool {
	return after != nil && (before == nil || *before != *after)
}

func accountOf(settings base.FileSettings) [2]string {
	return [2]string{settings.User, settings.Password}
}
