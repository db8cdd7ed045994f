package main

import (
	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/logic"
)

// newMigrator hands over to package logic.
func newMigrator(context *base.MigrationContext, version string) migrator {
	return logic.NewMigrator(context, version)
}
