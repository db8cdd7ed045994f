package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// usageError is a command line that cannot be read; it ends the process with exit code 2. showsUsage: the flag package
// has written the message and the usage already.
type usageError struct {
	message    string
	showsUsage bool
}

func (e *usageError) Error() string { return e.message }

// parse reads the arguments (without the program's name). Messages and usage go to output. It returns flag.ErrHelp after it
// has answered -h, and a *usageError for a command line that cannot be read.
func (o *options) parse(arguments []string, output io.Writer) error {
	groups := o.table()
	flags := flag.NewFlagSet("gh-ost", flag.ContinueOnError)
	flags.SetOutput(output)
	flags.Usage = func() { writeUsage(output, groups) }

	given := func(spec flagSpec) { o.given[spec.name] = true }
	for _, group := range groups {
		for _, spec := range group.flags {
			spec.register(flags, given)
		}
	}
	if err := flags.Parse(arguments); err != nil {
		if err == flag.ErrHelp { //nolint:errorlint // the flag package returns it bare
			return err
		}
		return &usageError{message: err.Error(), showsUsage: true}
	}
	return refuseDroppedFlags(flags.Args())
}

// refuseDroppedFlags returns an error if flags stand behind a word that is none: the parser ends there, and a run without
// its limits would follow.
func refuseDroppedFlags(arguments []string) error {
	for _, argument := range arguments {
		if strings.HasPrefix(argument, "-") {
			return &usageError{message: fmt.Sprintf("%q is not a flag, and %s behind it would be ignored. Write --name=value; switches are --name or --name=false",
				arguments[0], argument)}
		}
	}
	return nil
}
