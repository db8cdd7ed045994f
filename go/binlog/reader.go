package binlog

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"time"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
)

const (
	firstPause = 250 * time.Millisecond // before reconnecting; doubled each time without progress
	maxPause   = 15 * time.Second

	// A server id is taken to be in use after so many times that the server threw us out for it, each within the window.
	maxKicks   = 3
	kickWindow = 5 * time.Minute
)

// reader keeps a connection alive: one session after the other, until it makes no sense any more.
type reader struct {
	settings  Settings
	log       Logger
	sequencer *sequencer

	failures int // successive, without progress
	kicks    []time.Time
}

// run reads until ctx ends, which is its only end without an error of the stream.
func (r *reader) run(ctx context.Context) error {
	for {
		r.sequencer.restart()
		where := r.sequencer.place.coordinates
		s := &session{
			settings: r.settings, log: r.log, sequencer: r.sequencer,
			decoder: newDecoder(r.settings.Flavor, r.settings.Follow, where),
		}
		err, fatal := s.run(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if fatal {
			return err
		}
		if err := r.judge(err, time.Now()); err != nil {
			return err
		}
		pause := pauseBefore(r.failures)
		at := r.sequencer.place.completedCoordinates()
		if r.settings.OnReconnect != nil {
			r.settings.OnReconnect(err, at)
		}
		if r.log != nil {
			r.log.Infof("binary log stream lost: %v; reconnecting in %s at %s", err, pause, at.DisplayString())
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
}

// judge returns the error with which the stream ends, or nil if another connection may do better.
func (r *reader) judge(err error, now time.Time) error {
	at := r.sequencer.place.completedCoordinates()
	server := serverError(err)
	switch {
	case isServerIDTaken(server):
		r.kicks = append(r.kicks, now)
		if len(r.kicks) >= maxKicks && now.Sub(r.kicks[len(r.kicks)-maxKicks]) < kickWindow {
			return &ServerIDInUseError{ServerID: r.settings.ServerID, Err: server}
		}
	case isPurged(server):
		return &PurgedError{At: at, Err: server}
	case server != nil && isHopeless(server.Code), isCertificateError(err):
		return fmt.Errorf("reading the binary log of %s as user %s, who needs REPLICATION SLAVE: %w",
			r.settings.Connection.Key.DisplayString(), r.settings.Connection.User, err)
	}
	if r.sequencer.advanced {
		r.failures = 0
	}
	r.failures++
	limit := r.settings.MaxReconnectAttempts
	if limit <= 0 && !r.sequencer.connected {
		limit = initialAttempts
	}
	if limit > 0 && r.failures > limit {
		return &StalledError{Attempts: r.failures, At: at, Err: err}
	}
	return nil
}

func pauseBefore(attempt int) time.Duration {
	pause := firstPause
	for range attempt - 1 {
		if pause *= 2; pause >= maxPause {
			return maxPause
		}
	}
	return pause
}

func wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// isRetryable tells of an event that was refused whether it may come better another time.
func isRetryable(err error) bool {
	return errors.Is(err, errChecksum)
}

// serverError finds what the server itself said, nil if the error is not its.
func serverError(err error) *gomysql.MyError {
	var server *gomysql.MyError
	errors.As(err, &server)
	return server
}

// Numbers that the library has no names for.
const (
	erSlaveSameID                = 4052 // MariaDB: another replica with this id has connected
	erSourceFatalReadingBinlog   = 1236 // the log cannot be sent; why, stands in the text
	erSourceHasPurgedGTIDs       = 1789
	erGTIDPositionNotFound       = 1945
	erSecureTransportRequired    = 3159
	erAccountLocked              = 3118
	erMustChangePasswordLogin    = 1862
	erAccessDeniedNoPassword     = 1698
	erSpecificAccessDenied       = 1227
	erClientNotSupportingRequest = 1251
)

func isServerIDTaken(err *gomysql.MyError) bool {
	return err != nil && (err.Code == erSlaveSameID ||
		err.Code == erSourceFatalReadingBinlog && strings.Contains(err.Message, "same server_uuid/server_id"))
}

// isPurged tells whether the log cannot be sent from where it was asked for. The server tells some other troubles under
// the same number.
func isPurged(err *gomysql.MyError) bool {
	if err == nil {
		return false
	}
	switch err.Code {
	case erSourceHasPurgedGTIDs, erGTIDPositionNotFound:
		return true
	case erSourceFatalReadingBinlog:
		return !strings.Contains(err.Message, "max_allowed_packet") && !strings.Contains(err.Message, "not open")
	}
	return false
}

// isHopeless tells errors that no later attempt will cure.
func isHopeless(code uint16) bool {
	switch code {
	case gomysql.ER_ACCESS_DENIED_ERROR, gomysql.ER_DBACCESS_DENIED_ERROR, gomysql.ER_TABLEACCESS_DENIED_ERROR,
		gomysql.ER_HOST_NOT_PRIVILEGED, gomysql.ER_HOST_IS_BLOCKED, erSourceFatalReadingBinlog, erSpecificAccessDenied,
		erAccessDeniedNoPassword, erMustChangePasswordLogin, erAccountLocked, erSecureTransportRequired,
		erClientNotSupportingRequest:
		return true
	}
	return false
}

func isCertificateError(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &hostname) || errors.As(err, &invalid)
}
