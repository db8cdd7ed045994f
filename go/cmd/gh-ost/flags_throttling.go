package main

import "math"

func (o *options) throttlingFlags() []flagSpec {
	m := o.migration
	return []flagSpec{
		intFlag(&o.maxLagMillis, "max-lag-millis", 1500, "milliseconds of replication lag above which to throttle; at least 100"),
		stringFlag(&o.maxLoad, "max-load", "", "status variables and the values at which to throttle, such as Threads_running=100,Threads_connected=500"),
		stringFlag(&o.criticalLoad, "critical-load", "", "the same, for values at which to give up"),
		intFlag(&m.CriticalLoadIntervalMilliseconds, "critical-load-interval-millis", 0, "look a second time after so many milliseconds, and give up only if the load is still critical; 0: at once").within(0, math.MaxInt64),
		intFlag(&m.CriticalLoadHibernateSeconds, "critical-load-hibernate-seconds", 0, "stand still for so many seconds at a critical load instead of giving up; 0: give up").within(0, math.MaxInt64),
		stringFlag(&o.controlReplicas, "throttle-control-replicas", "", "replicas whose lag counts too: host[:port],…"),
		stringFlag(&o.throttleQuery, "throttle-query", "", "query run each second on the server that is changed; throttle while the number it gives is above 0"),
		stringFlag(&o.throttleHTTP, "throttle-http", "", "URL asked with HEAD; throttle unless it answers 200"),
		intFlag(&m.ThrottleHTTPIntervalMillis, "throttle-http-interval-millis", 100, "milliseconds between two such requests").within(1, math.MaxInt64),
		intFlag(&m.ThrottleHTTPTimeoutMillis, "throttle-http-timeout-millis", 1000, "milliseconds that such a request may take").within(1, math.MaxInt64),
		boolFlag(&o.ignoreHTTPErrors, "ignore-http-errors", false, "do not throttle when that URL cannot be reached"),
		stringFlag(&m.ThrottleFlagFile, "throttle-flag-file", "", "throttle while this file exists").file(),
		stringFlag(&m.ThrottleAdditionalFlagFile, "throttle-additional-flag-file", "/tmp/gh-ost.throttle", "throttle while this file exists; one file for all runs of a machine").file(),
		stringFlag(&o.replicationLagQuery, "replication-lag-query", "", "deprecated, without effect: the lag is measured by heartbeats"),
	}
}
