package throttle

import (
	"context"
	"os"
	"time"
)

const filesInterval = time.Second

// collectFiles looks for the flag files. It waits for no server, so that the panic file is seen whatever happens to them.
func (t *Throttler) collectFiles(context.Context) {
	settings := t.config.Settings
	if panicFile := settings.PanicFlagFile(); fileExists(panicFile) {
		t.abortWith(&AbortError{Cause: PanicFlagFile, Reason: "found panic-flag-file " + panicFile + "; the migration ends here and nothing is cleaned up"})
	}
	flag, additional := settings.FlagFile(), settings.AdditionalFlagFile()
	flagExists, additionalExists := fileExists(flag), fileExists(additional)
	t.board.write(func(m *Measurements) {
		m.FlagFile = FileReading{Path: flag, Exists: flagExists}
		m.AdditionalFlagFile = FileReading{Path: additional, Exists: additionalExists}
	})
}

func fileExists(path string) bool {
	if path == "" {
		return false
	}
	_, err := os.Stat(path)
	return err == nil
}
