package base

import "context"

// GetContext is the context that the whole run lives under. It ends with CancelContext; its cause is then the abort error,
// if there is one.
func (c *MigrationContext) GetContext() context.Context {
	return c.ctx
}

// CancelContext ends the run's context. Calling it again does nothing.
func (c *MigrationContext) CancelContext() {
	c.cancel(c.GetAbortError())
}

// SetAbortError notes why the run ends. The first error stays; later ones are mostly its consequences. It does not end
// the run's context: CancelContext does.
func (c *MigrationContext) SetAbortError(err error) {
	c.abortMutex.Lock()
	defer c.abortMutex.Unlock()
	if c.AbortError == nil {
		c.AbortError = err
	}
}

// GetAbortError is why the run ends; nil while it goes on, and after a success.
func (c *MigrationContext) GetAbortError() error {
	c.abortMutex.Lock()
	defer c.abortMutex.Unlock()
	return c.AbortError
}
