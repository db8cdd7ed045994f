package base

import "time"

// GetPostponeCutOverFlagFile is the file that postpones the cut-over while it exists: the one that an operator named
// last, else the one given at the start. Empty: none.
func (c *MigrationContext) GetPostponeCutOverFlagFile() string {
	c.LiveSettings.mutex.Lock()
	defer c.LiveSettings.mutex.Unlock()
	if c.postponeFile != nil {
		return *c.postponeFile
	}
	return c.PostponeCutOverFlagFile
}

// SetPostponeCutOverFlagFile replaces the file that postpones the cut-over while it exists. It creates no file.
func (l *LiveSettings) SetPostponeCutOverFlagFile(path string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.postponeFile = &path
}

// RequestUnpostpone notes that an operator asked for the cut-over at that moment, though the flag file may exist. The
// request stands until it is withdrawn, so one given too early is not lost.
func (l *LiveSettings) RequestUnpostpone(at time.Time) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.unpostponeRequested = at
}

// UnpostponeRequested is the moment at which the cut-over was asked for, and whether the request still stands. Comparing
// it with the flag file's modification time tells which is the later wish.
func (l *LiveSettings) UnpostponeRequested() (at time.Time, stands bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.unpostponeRequested, !l.unpostponeRequested.IsZero()
}

// WithdrawUnpostpone ends the request: the cut-over took place, or a later wish is to postpone.
func (l *LiveSettings) WithdrawUnpostpone() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.unpostponeRequested = time.Time{}
}
