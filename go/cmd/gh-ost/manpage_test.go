package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// roff writes text so that the formatter takes all of it for text.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "…", "...").Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// manualPage is the text of doc/gh-ost.1.
func manualPage(groups []flagGroup) string {
	text := &strings.Builder{}
	text.WriteString(`.\" ` + madeFrom + `
.TH GH\-OST 1 "" "gh\-ost" "User Commands"
.nh
.SH NAME
gh\-ost \- change the structure of a MySQL or MariaDB table while it is in use
.SH SYNOPSIS
.B gh\-ost
.BI \-\-host= server
.BI \-\-database= schema
.BI \-\-table= table
.BI \-\-alter= change
.RB [ \-\-execute ]
.RI [ flag ...]
.SH DESCRIPTION
A new table is built beside the original, gets its rows and the changes that clients make meanwhile, and takes the
original's place in the end. The changes are read from the binary log, so there are no triggers. The server given by
.B \-\-host
is best a replica: it is read, and its primary is changed.
.PP
Without
.B \-\-execute
it is a dry run: everything is checked and the new structure is shown, but no row is copied and nothing is swapped.
.PP
While it runs it takes commands over a unix socket:
.RS
.nf
echo help | nc \-U /tmp/gh\-ost.schema.table.sock
.fi
.RE
.SH OPTIONS
Flags may be written with one dash or two, and
.BI \-\-name= value
or
.BI \-\-name " value\fR."
Switches are
.B \-\-name
or
.BR \-\-name=false .
`)
	for _, group := range groups {
		fmt.Fprintf(text, ".SS \"%s\"\n", roff(group.title))
		for _, spec := range group.flags {
			if spec.kind == "bool" {
				fmt.Fprintf(text, ".TP\n.B \\-\\-%s\n", roff(spec.name))
			} else {
				fmt.Fprintf(text, ".TP\n.BI \\-\\-%s= %s\n", roff(spec.name), spec.kind)
			}
			text.WriteString(roff(spec.help))
			if spec.requirement != "" {
				fmt.Fprintf(text, " (allowed: %s)", roff(spec.requirement))
			}
			if spec.showDefault() {
				fmt.Fprintf(text, ". Default: %s", roff(spec.defaultText))
			}
			text.WriteString(".\n")
		}
	}
	text.WriteString(`.SH EXIT STATUS
.TP
.B 0
The table is migrated with every row; or the dry run found nothing wrong.
.TP
.B 1
It is not, or something needs a look: the last line of the log says what.
.TP
.B 2
The command line could not be read.
.TP
.BR 130 ", " 143
It was stopped by SIGINT or SIGTERM, and has given all locks back.
.SH SIGNALS
.TP
.BR SIGINT ", " SIGTERM
Stop; the original stays as it is unless the swap has been reported. A second one ends the process at once.
.TP
.B SIGHUP
Read the configuration file again.
.SH ENVIRONMENT
.TP
.B TZ
The time zone of the log.
.TP
.BI GH_OST_ NAME
Set for hooks.
`)
	return text.String()
}

func TestManualPageIsUpToDate(t *testing.T) {
	checked(t, "../../../doc/gh-ost.1", manualPage(newOptions().table()))
}

func TestManualPageIsFormattedWithoutComplaint(t *testing.T) {
	formatter, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("no groff here")
	}
	var complaints strings.Builder
	command := exec.CommandContext(t.Context(), formatter, "-man", "-ww", "-Tascii", "../../../doc/gh-ost.1")
	command.Stderr = &complaints
	output, err := command.Output()
	require.NoError(t, err)
	assert.Empty(t, complaints.String())
	text := regexp.MustCompile(".\x08").ReplaceAllString(string(output), "") // bold is printed twice
	for _, spec := range allFlags(newOptions().table()) {
		assert.Contains(t, text, "--"+spec.name)
	}
}
