package throttle

// AbortCause is what ends a migration from here.
type AbortCause string

// The causes to abort.
const (
	PanicFlagFile AbortCause = "panic-flag-file"
	CriticalLoad  AbortCause = "critical-load"
)

// An AbortError says why the migration must end.
type AbortError struct {
	Cause  AbortCause
	Reason string
}

// Error is the reason.
func (e *AbortError) Error() string { return e.Reason }

func (t *Throttler) abortWith(err *AbortError) {
	t.abort.Do(func() { t.config.Abort(err) })
}
