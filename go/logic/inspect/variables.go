package inspect

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/mysql"
)

// A VariableError says that a server's setting does not allow a migration.
type VariableError struct {
	Variable string
	Value    string
	Needed   string // what the value has to be
	Remedy   string // what to do about it
}

// Error implements error.
func (e *VariableError) Error() string {
	return fmt.Sprintf("the inspected server has %s = %q; needed is %s. %s", e.Variable, e.Value, e.Needed, e.Remedy)
}

// CheckBinaryLog checks that the server writes a binary log, and complete rows into it. The error joins a *VariableError for
// each setting that is wrong. A session may still have settings of its own, which only the stream shows.
func CheckBinaryLog(ctx context.Context, db *gosql.DB, dialect mysql.Dialect) error {
	values, err := mysql.GlobalVariables(ctx, db, "log_bin", "binlog_format", "binlog_row_image", "binlog_row_value_options")
	if err != nil {
		return fmt.Errorf("checking the binary log: %w", err)
	}
	if !mysql.IsOn(values["log_bin"]) {
		return &VariableError{"log_bin", values["log_bin"], "ON", "Set log-bin in its configuration and restart it, or inspect another server (--host)"}
	}
	const global = "Then let clients connect anew: open sessions keep the old setting"
	var errs []error
	// A server that knows a setting no more has only the good one.
	if format, known := values["binlog_format"]; known && !strings.EqualFold(format, "ROW") {
		errs = append(errs, &VariableError{"binlog_format", format, "ROW", "SET GLOBAL binlog_format = 'ROW'. " + global})
	}
	if image, known := values["binlog_row_image"]; known && !strings.EqualFold(image, "FULL") {
		errs = append(errs, &VariableError{"binlog_row_image", image, "FULL", "SET GLOBAL binlog_row_image = 'FULL'. " + global})
	}
	if options := values["binlog_row_value_options"]; strings.Contains(strings.ToUpper(options), "PARTIAL_JSON") {
		errs = append(errs, &VariableError{"binlog_row_value_options", options, "a value without PARTIAL_JSON", "SET GLOBAL binlog_row_value_options = ''. " + global})
	}
	return errors.Join(errs...)
}

// CheckGTID checks that the server's transactions have ids. MariaDB's always have.
func CheckGTID(ctx context.Context, db *gosql.DB, dialect mysql.Dialect) error {
	if !dialect.HasGTIDMode() {
		return nil
	}
	values, err := mysql.GlobalVariables(ctx, db, "gtid_mode", "enforce_gtid_consistency")
	if err != nil {
		return fmt.Errorf("checking GTIDs: %w", err)
	}
	const remedy = "Switch GTIDs on, or leave out --gtid"
	if mode := values["gtid_mode"]; !strings.EqualFold(mode, "ON") {
		return &VariableError{"gtid_mode", mode, "ON", remedy}
	}
	if enforced := values["enforce_gtid_consistency"]; !mysql.IsOn(enforced) {
		return &VariableError{"enforce_gtid_consistency", enforced, "ON", remedy}
	}
	return nil
}

// CheckLogReplicaUpdates checks that what the server gets by replication goes into its own binary log.
func CheckLogReplicaUpdates(ctx context.Context, db *gosql.DB, dialect mysql.Dialect) error {
	variable := dialect.LogReplicaUpdatesVariable()
	value, err := mysql.GlobalVariable(ctx, db, variable)
	if err != nil {
		return fmt.Errorf("checking that the replica logs what it replicates: %w", err)
	}
	if !mysql.IsOn(value) {
		return &VariableError{variable, value, "ON", fmt.Sprintf("Set %s in its configuration and restart it, or inspect a server that has it, or the primary with --allow-on-master", strings.ReplaceAll(variable, "_", "-"))}
	}
	return nil
}
