package main

import (
	"fmt"
	"strings"
)

// flagDocumentation is the text of doc/flags.md.
func flagDocumentation(groups []flagGroup) string {
	var text strings.Builder
	text.WriteString(`# Flags

<!-- Made from the table in go/cmd/gh-ost by "go test ./go/cmd/gh-ost -update": change it there. -->

Flags are written ` + "`--name=value`, `--name value`" + ` or with one dash; switches (bool) ` + "`--name` or `--name=false`" + `.
A command line that cannot be read ends with exit code 2, whatever else goes wrong with 1.
`)
	for _, group := range groups {
		fmt.Fprintf(&text, "\n## %s\n\n| Flag | Type | Default | Meaning |\n|---|---|---|---|\n", group.title)
		for _, spec := range group.flags {
			meaning := spec.help
			if spec.requirement != "" {
				meaning += " (allowed: " + spec.requirement + ")"
			}
			fmt.Fprintf(&text, "| `%s` | %s | %s | %s |\n", spec.name, spec.kind, codeOrNothing(spec.defaultText), inTable(meaning))
		}
	}
	return text.String()
}

func codeOrNothing(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

func inTable(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;").Replace(text)
}
