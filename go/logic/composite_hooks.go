package logic

import (
	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/logic/server"
)

// The errors of the interactive command cpu-profile, under the names that embedding programs know.
var (
	ErrCPUProfilingBadOption  = server.ErrProfileOption
	ErrCPUProfilingInProgress = server.ErrProfileInProgress
)

// CompositeHooks are several hooks one after another: the first that returns an error keeps those behind it from being
// called, and its error is the result. Nil members are passed over.
type CompositeHooks []base.Hooks

var _ base.Hooks = CompositeHooks(nil)

func (c CompositeHooks) each(call func(base.Hooks) error) error {
	for _, hooks := range c {
		if hooks == nil {
			continue
		}
		if err := call(hooks); err != nil {
			return err
		}
	}
	return nil
}

// OnStartup implements base.Hooks, as do the methods below.
func (c CompositeHooks) OnStartup() error   { return c.each(base.Hooks.OnStartup) }
func (c CompositeHooks) OnValidated() error { return c.each(base.Hooks.OnValidated) }

func (c CompositeHooks) OnRowCountComplete() error { return c.each(base.Hooks.OnRowCountComplete) }
func (c CompositeHooks) OnBeforeRowCopy() error    { return c.each(base.Hooks.OnBeforeRowCopy) }
func (c CompositeHooks) OnRowCopyComplete() error  { return c.each(base.Hooks.OnRowCopyComplete) }
func (c CompositeHooks) OnBeginPostponed() error   { return c.each(base.Hooks.OnBeginPostponed) }
func (c CompositeHooks) OnBeforeCutOver() error    { return c.each(base.Hooks.OnBeforeCutOver) }
func (c CompositeHooks) OnFailure() error          { return c.each(base.Hooks.OnFailure) }
func (c CompositeHooks) OnStopReplication() error  { return c.each(base.Hooks.OnStopReplication) }
func (c CompositeHooks) OnStartReplication() error { return c.each(base.Hooks.OnStartReplication) }

func (c CompositeHooks) OnInteractiveCommand(command string) error {
	return c.each(func(h base.Hooks) error { return h.OnInteractiveCommand(command) })
}

func (c CompositeHooks) OnSuccess(instantDDL bool) error {
	return c.each(func(h base.Hooks) error { return h.OnSuccess(instantDDL) })
}

func (c CompositeHooks) OnBatchCopyRetry(errorMessage string) error {
	return c.each(func(h base.Hooks) error { return h.OnBatchCopyRetry(errorMessage) })
}

func (c CompositeHooks) OnStatus(statusMessage string) error {
	return c.each(func(h base.Hooks) error { return h.OnStatus(statusMessage) })
}
