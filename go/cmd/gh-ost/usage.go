package main

import (
	"fmt"
	"io"
	"strings"
)

// writeUsage shows all flags, by group, in the flag package's style.
func writeUsage(output io.Writer, groups []flagGroup) {
	var text strings.Builder
	text.WriteString("Usage of gh-ost:\n")
	for _, group := range groups {
		fmt.Fprintf(&text, "\n%s\n", group.title)
		for _, spec := range group.flags {
			writeFlagUsage(&text, spec)
		}
	}
	_, _ = io.WriteString(output, text.String())
}

func writeFlagUsage(text *strings.Builder, spec flagSpec) {
	text.WriteString("  -" + spec.name)
	if spec.kind != "bool" {
		text.WriteString(" " + spec.kind)
	}
	text.WriteString("\n    \t" + spec.help)
	if spec.showDefault() {
		if spec.kind == "string" {
			fmt.Fprintf(text, " (default %q)", spec.defaultText)
		} else {
			fmt.Fprintf(text, " (default %s)", spec.defaultText)
		}
	}
	text.WriteString("\n")
}
