package base

import (
	"sync"

	"github.com/github/gh-ost/go/mysql"
)

// ControlReplicasLag is the worst lag found among the control replicas. Safe for concurrent use.
type ControlReplicasLag struct {
	controlLagMutex sync.Mutex
	controlLag      mysql.ReplicationLagResult
}

// GetControlReplicasLagResult is the worst lag found last; zero if there are no control replicas.
func (l *ControlReplicasLag) GetControlReplicasLagResult() mysql.ReplicationLagResult {
	l.controlLagMutex.Lock()
	defer l.controlLagMutex.Unlock()
	return l.controlLag
}

// SetControlReplicasLagResult sets the worst lag found. Nil: there are no control replicas.
func (l *ControlReplicasLag) SetControlReplicasLagResult(result *mysql.ReplicationLagResult) {
	l.controlLagMutex.Lock()
	defer l.controlLagMutex.Unlock()
	if result == nil {
		l.controlLag = mysql.ReplicationLagResult{}
		return
	}
	l.controlLag = *result
}
