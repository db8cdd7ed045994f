package main

import (
	"os"

	"golang.org/x/term"
)

// AppVersion and GitCommit are set by the linker: -ldflags "-X main.AppVersion=… -X main.GitCommit=…".
var (
	AppVersion = "unversioned"
	GitCommit  = "unknown"
)

func main() {
	boundMemory()
	program := &command{
		stdout:       os.Stdout,
		readPassword: func() ([]byte, error) { return term.ReadPassword(int(os.Stdin.Fd())) },
		newMigrator:  newMigrator,
	}
	os.Exit(program.run(os.Args[1:]))
}
