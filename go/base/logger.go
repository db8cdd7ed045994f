package base

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/openark/golib/log"
)

// Logger is what the migration reports to. The methods that return an error return what they were given to log, so
// that it can be passed on. Fatal, Fatalf and Fatale end the process in the default logger.
type Logger interface {
	Debug(args ...interface{})
	Debugf(format string, args ...interface{})
	Info(args ...interface{})
	Infof(format string, args ...interface{})
	Warning(args ...interface{}) error
	Warningf(format string, args ...interface{}) error
	Error(args ...interface{}) error
	Errorf(format string, args ...interface{}) error
	Errore(err error) error
	Fatal(args ...interface{}) error
	Fatalf(format string, args ...interface{}) error
	Fatale(err error) error
	SetLevel(level log.LogLevel)
	SetPrintStackTrace(printStackTraceFlag bool)
}

// simpleLogger writes lines "YYYY-MM-DD HH:MM:SS LEVEL message" to stderr, in local time or the zone named by TZ.
// Line format and time zone are golib's; the threshold is the logger's own, because golib's is one variable for the
// whole process, without synchronisation. Messages reach golib complete: it gets no format to expand a second time.
type simpleLogger struct {
	level      atomic.Int64 // least severe log.LogLevel that is written
	printStack atomic.Bool
}

// NewDefaultLogger returns a logger to stderr that writes everything down to DEBUG until SetLevel is called.
func NewDefaultLogger() *simpleLogger {
	logger := &simpleLogger{}
	logger.SetLevel(log.DEBUG)
	return logger
}

// SetLevel sets the least severe level that is written. Safe for concurrent use.
func (l *simpleLogger) SetLevel(level log.LogLevel) {
	l.level.Store(int64(level))
}

// SetPrintStackTrace writes a stack trace after each error if the flag is set. Safe for concurrent use.
func (l *simpleLogger) SetPrintStackTrace(printStackTraceFlag bool) {
	l.printStack.Store(printStackTraceFlag)
}

func (l *simpleLogger) Debug(args ...interface{}) {
	if l.enabled(log.DEBUG) {
		log.Debugf("%s", joined(args))
	}
}

func (l *simpleLogger) Debugf(format string, args ...interface{}) {
	if l.enabled(log.DEBUG) {
		log.Debugf("%s", fmt.Sprintf(format, args...))
	}
}

func (l *simpleLogger) Info(args ...interface{}) {
	if l.enabled(log.INFO) {
		log.Infof("%s", joined(args))
	}
}

func (l *simpleLogger) Infof(format string, args ...interface{}) {
	if l.enabled(log.INFO) {
		log.Infof("%s", fmt.Sprintf(format, args...))
	}
}

func (l *simpleLogger) Warning(args ...interface{}) error {
	return l.warn(errors.New(joined(args)))
}

func (l *simpleLogger) Warningf(format string, args ...interface{}) error {
	return l.warn(fmt.Errorf(format, args...))
}

func (l *simpleLogger) Error(args ...interface{}) error {
	return l.Errore(errors.New(joined(args)))
}

func (l *simpleLogger) Errorf(format string, args ...interface{}) error {
	return l.Errore(fmt.Errorf(format, args...))
}

// Errore logs an error and returns it. Nil is neither logged nor changed.
func (l *simpleLogger) Errore(err error) error {
	if err != nil && l.enabled(log.ERROR) {
		_ = log.Errorf("%s", err.Error())
		l.stackTrace()
	}
	return err
}

func (l *simpleLogger) Fatal(args ...interface{}) error {
	return l.Fatale(errors.New(joined(args)))
}

func (l *simpleLogger) Fatalf(format string, args ...interface{}) error {
	return l.Fatale(fmt.Errorf(format, args...))
}

// Fatale logs an error and ends the process with exit code 1, at whatever level the threshold stands.
func (l *simpleLogger) Fatale(err error) error {
	if err == nil {
		return nil
	}
	l.stackTrace()
	return log.Fatalf("%s", err.Error())
}

func (l *simpleLogger) warn(err error) error {
	if l.enabled(log.WARNING) {
		_ = log.Warningf("%s", err.Error())
	}
	return err
}

func (l *simpleLogger) enabled(level log.LogLevel) bool {
	return int64(level) <= l.level.Load()
}

func (l *simpleLogger) stackTrace() {
	if l.printStack.Load() {
		debug.PrintStack()
	}
}

// joined puts blanks between all the values, strings too.
func joined(args []interface{}) string {
	return strings.TrimSuffix(fmt.Sprintln(args...), "\n")
}
