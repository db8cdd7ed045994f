package main

import (
	"math"
	"strconv"
)

func (o *options) interfaceFlags() []flagSpec {
	m := o.migration
	return []flagSpec{
		stringFlag(&m.ServeSocketFile, "serve-socket-file", "", "unix socket to take commands from; /tmp/gh-ost.<database>.<table>.sock if not given").file(),
		stringFlag(&o.socketMode, "serve-socket-mode", "", "permissions of that socket in octal, such as 0660; its owner alone if not given").check("octal permissions, 0 to 0777", isFileMode),
		boolFlag(&m.DropServeSocket, "initially-drop-socket-file", false, "remove a left-over socket file at the start. Be sure that no other run uses it"),
		intFlag(&m.ServeTCPPort, "serve-tcp-port", 0, "TCP port to take commands from as well, without any log-in; 0: none").within(0, 65535),
		stringFlag(&m.ServeTCPHost, "serve-tcp-host", "", "address to bind that port to, such as 127.0.0.1; all addresses if not given"),
		stringFlag(&m.HooksPath, "hooks-path", "", "directory with hook scripts; see doc/hooks.md").directory(),
		stringFlag(&m.HooksHintMessage, "hooks-hint", "", "text for the hooks, in GH_OST_HOOKS_HINT"),
		stringFlag(&m.HooksHintOwner, "hooks-hint-owner", "", "text for the hooks, in GH_OST_HOOKS_HINT_OWNER"),
		stringFlag(&m.HooksHintToken, "hooks-hint-token", "", "text for the hooks, in GH_OST_HOOKS_HINT_TOKEN"),
		intFlag(&m.HooksStatusIntervalSec, "hooks-status-interval", 60, "seconds between calls of the status hook; 0: never"),
		intFlag(&m.HooksTimeoutSeconds, "hooks-timeout-seconds", 0, "seconds after which a hook is ended and counts as failed; 0: it may take any time").within(0, math.MaxInt64),
		stringFlag(&o.statsdAddr, "statsd-addr", "", "DogStatsD listener to send metrics to: host:port, or the path of a unix socket"),
		listFlag(&o.statsdTags, "statsd-tags", "key:value to put on every metric; give the flag once for each"),
		intFlag(&o.runtimeMetricsInterval, "runtime-metrics-interval", 10, "seconds between metrics on this process itself; 0: none; needs --statsd-addr").within(0, math.MaxInt64),
	}
}

func (o *options) commandFlags() []flagSpec {
	return []flagSpec{
		boolFlag(&o.verbose, "verbose", false, "log what is being done, and not only errors"),
		boolFlag(&o.debug, "debug", false, "log in every detail"),
		boolFlag(&o.quiet, "quiet", false, "log errors only, whatever else is given"),
		boolFlag(&o.stack, "stack", false, "add a stack trace to each error logged"),
		boolFlag(&o.help, "help", false, "show this and exit"),
		boolFlag(&o.version, "version", false, "show the version and exit"),
		boolFlag(&o.checkFlag, "check-flag", false, "exit at once: with 0 if all flags of this command line are known and available, with 2 if not"),
	}
}

func isFileMode(text string) bool {
	mode, err := strconv.ParseUint(text, 8, 32)
	return text == "" || err == nil && mode <= 0o777
}
