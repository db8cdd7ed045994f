package status

import (
	"strings"
	"time"
	"unicode"
)

// FormatDuration writes a duration as the status line does: cut to whole seconds (41s, 2m5s, 1h0m3s), 0s below one second.
func FormatDuration(d time.Duration) string {
	return d.Truncate(time.Second).String()
}

// oneLine folds line breaks and other control characters into blanks, so that one entry stays one line for those who split
// the output.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
