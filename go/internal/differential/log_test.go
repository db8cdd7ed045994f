package differential

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/openark/golib/log"
)

// recorder keeps what a migration logs. Where a line has one of the moments' texts, the function runs before the
// migration goes on, once.
type recorder struct {
	mutex   sync.Mutex
	lines   []string
	moments map[string]func()
}

func (r *recorder) add(level, text string) {
	r.mutex.Lock()
	r.lines = append(r.lines, time.Now().Format("15:04:05.000 ")+level+" "+text)
	var happen []func()
	for moment, run := range r.moments {
		if strings.Contains(text, moment) {
			happen = append(happen, run)
			delete(r.moments, moment)
		}
	}
	r.mutex.Unlock()
	for _, run := range happen {
		run()
	}
}

func (r *recorder) fail(level, text string) error {
	r.add(level, text)
	return fmt.Errorf("%s", text)
}

func (r *recorder) String() string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return strings.Join(r.lines, "\n")
}

func (r *recorder) Debug(args ...any)                 { r.add("DEBUG", fmt.Sprint(args...)) }
func (r *recorder) Debugf(format string, args ...any) { r.add("DEBUG", fmt.Sprintf(format, args...)) }
func (r *recorder) Info(args ...any)                  { r.add("INFO", fmt.Sprint(args...)) }
func (r *recorder) Infof(format string, args ...any)  { r.add("INFO", fmt.Sprintf(format, args...)) }
func (r *recorder) Warning(args ...any) error         { return r.fail("WARNING", fmt.Sprint(args...)) }
func (r *recorder) Warningf(format string, args ...any) error {
	return r.fail("WARNING", fmt.Sprintf(format, args...))
}
func (r *recorder) Error(args ...any) error { return r.fail("ERROR", fmt.Sprint(args...)) }
func (r *recorder) Errorf(format string, args ...any) error {
	return r.fail("ERROR", fmt.Sprintf(format, args...))
}
func (r *recorder) Fatal(args ...any) error { return r.fail("FATAL", fmt.Sprint(args...)) }
func (r *recorder) Fatalf(format string, args ...any) error {
	return r.fail("FATAL", fmt.Sprintf(format, args...))
}
func (r *recorder) Fatale(err error) error  { return r.Errore(err) }
func (r *recorder) SetLevel(log.LogLevel)   {}
func (r *recorder) SetPrintStackTrace(bool) {}

func (r *recorder) Errore(err error) error {
	if err != nil {
		r.add("ERROR", err.Error())
	}
	return err
}
