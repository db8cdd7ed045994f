package base

import (
	"strings"
	"time"
)

// PrettifyDurationOutput gives a duration as the status line shows it: whole seconds, such as 2m5s; 0s below a second.
func PrettifyDurationOutput(d time.Duration) string {
	return d.Truncate(time.Second).String()
}

// StringContainsAll tells whether s contains every one of the substrings that is not empty, and there is at least one such.
func StringContainsAll(s string, substrings ...string) bool {
	asked := false
	for _, substring := range substrings {
		if substring == "" {
			continue
		}
		if !strings.Contains(s, substring) {
			return false
		}
		asked = true
	}
	return asked
}
