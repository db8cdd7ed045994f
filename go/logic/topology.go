package logic

import (
	"context"
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/mysql"
)

// findApplier decides which server is changed: the primary of the inspected one or, to test or migrate a replica, the
// inspected one itself.
func (mgtr *Migrator) findApplier(ctx context.Context) error {
	c := mgtr.context
	primary, err := mgtr.findPrimary(ctx)
	if err != nil {
		return err
	}
	if !c.IsOnReplica() {
		c.ApplierConnectionConfig = primary
		return nil
	}
	if err := mgtr.requireReplica(ctx, primary); err != nil {
		return err
	}
	if err := mgtr.requireOwnGTIDDomain(ctx); err != nil {
		return err
	}
	itself := *c.InspectorConnectionConfig
	c.ApplierConnectionConfig = &itself
	mgtr.log.Infof("%s: the replica %s itself is migrated, and not its primary %s", mgtr.replicaFlag(), itself.Key, primary.Key)
	if c.GetThrottleControlReplicaKeys().Len() == 0 {
		return c.AddThrottleControlReplicaKey(itself.Key)
	}
	return nil
}

// findPrimary returns how to connect to the primary: the one that the user names, or the one at the end of the chain of
// sources.
func (mgtr *Migrator) findPrimary(ctx context.Context) (*mysql.ConnectionConfig, error) {
	c := mgtr.context
	if c.AssumeMasterHostname == "" {
		mgtr.log.Infof("Recursively searching for replication master")
		cycles := mysql.RefuseCycles
		if c.AllowedMasterMaster {
			cycles = mysql.AcceptCycles
		}
		primary, err := mysql.FindPrimary(ctx, c.InspectorConnectionConfig, cycles)
		if err != nil {
			return nil, err
		}
		mgtr.log.Infof("Master found to be %s", primary.Key)
		return primary, nil
	}
	key, err := mysql.ParseInstanceKey(c.AssumeMasterHostname)
	if err != nil {
		return nil, fmt.Errorf("--assume-master-host: %w", err)
	}
	primary := c.InspectorConnectionConfig.DuplicateCredentials(*key)
	if c.CliMasterUser != "" {
		primary.User = c.CliMasterUser
	}
	if c.CliMasterPassword != "" {
		primary.Password = c.CliMasterPassword
	}
	if err := primary.RegisterTLSConfig(); err != nil {
		return nil, err
	}
	mgtr.log.Infof("Master forced to be %s", *key)
	return primary, nil
}

func (mgtr *Migrator) replicaFlag() string {
	if mgtr.context.TestOnReplica {
		return "--test-on-replica"
	}
	return "--migrate-on-replica"
}

// requireReplica refuses to migrate a replica that is none.
func (mgtr *Migrator) requireReplica(ctx context.Context, primary *mysql.ConnectionConfig) error {
	c := mgtr.context
	isReplica := !primary.Key.Equals(&c.InspectorConnectionConfig.Key)
	if isReplica && !c.IsTungsten { // its replication is not the server's own
		channels, err := mysql.NewReplica(mgtr.inspectorDB, mgtr.inspector.Dialect).Status(ctx)
		if err != nil {
			return err
		}
		isReplica = len(channels) > 0
	}
	if !isReplica {
		return fmt.Errorf("%s: the server given by --host, %s, does not replicate from another one: give a replica, or leave the flag out",
			mgtr.replicaFlag(), c.InspectorConnectionConfig.Key)
	}
	return nil
}

// requireOwnGTIDDomain refuses to write on a replica whose replication would end by that: MariaDB in strict mode wants the
// transactions of a domain in one order, and takes our own and the primary's to be in none.
func (mgtr *Migrator) requireOwnGTIDDomain(ctx context.Context) error {
	if !mgtr.inspector.Dialect.IsMariaDB() {
		return nil
	}
	values, err := mysql.GlobalVariables(ctx, mgtr.inspectorDB, "gtid_strict_mode", "gtid_domain_id", "gtid_slave_pos")
	if err != nil || !mysql.IsOn(values["gtid_strict_mode"]) {
		return err
	}
	domain := values["gtid_domain_id"]
	for _, position := range strings.Split(values["gtid_slave_pos"], ",") {
		if replicated, _, _ := strings.Cut(strings.TrimSpace(position), "-"); replicated == domain {
			return fmt.Errorf("%s: changes made on this replica would end its replication, since gtid_strict_mode is ON and gtid_domain_id (%s) is its primary's. "+
				"Give the replica a domain of its own: SET GLOBAL gtid_domain_id = <another number>", mgtr.replicaFlag(), domain)
		}
	}
	return nil
}

// checkServers makes sure that both servers together can serve the migration, once they have said who they are.
func (mgtr *Migrator) checkServers(ctx context.Context) error {
	c := mgtr.context
	applier := mgtr.applier.server
	same := c.InspectorIsAlsoApplier() || applier.UUID != "" && applier.UUID == mgtr.inspector.UUID
	if same && !c.IsOnReplica() && !c.AllowedRunningOnMaster {
		return ErrMigrationNotAllowedOnMaster
	}
	if applier.ReadOnly && applier.SuperReadOnly {
		return fmt.Errorf("the server to change, %s, is read-only (super_read_only). If it is the right one: SET GLOBAL super_read_only = OFF for the time of the migration", c.ApplierConnectionConfig.Key)
	}
	err := inspect.CheckLogReplicaUpdates(ctx, mgtr.inspectorDB, mgtr.inspector.Dialect)
	switch {
	case err == nil:
		mgtr.log.Infof("log_slave_updates validated on %s", c.InspectorConnectionConfig.Key)
	case !c.IsOnReplica() && (same || c.IsTungsten):
		_ = mgtr.log.Warningf("not needed here, but worth to know: %v", err)
	default:
		return err
	}
	return nil
}
