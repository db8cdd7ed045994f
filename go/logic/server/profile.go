package server

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"
)

const (
	defaultProfileTime = 30 * time.Second
	longestProfileTime = time.Hour // while one is taken there can be no other
)

// Errors of the command cpu-profile.
var (
	ErrProfileOption     = errors.New("bad cpu-profile option")
	ErrProfileInProgress = errors.New("a cpu-profile is in progress already")
)

// profileOptions is what may follow cpu-profile=.
type profileOptions struct {
	duration time.Duration
	gzip     bool // compress once more what is sent
	block    bool // record blocking events meanwhile, too
}

// parseProfileOptions reads duration[,gzip][,block]. An empty duration is the default.
func parseProfileOptions(text string) (profileOptions, error) {
	fields := strings.Split(text, ",")
	options := profileOptions{duration: defaultProfileTime}
	if first := strings.TrimSpace(fields[0]); first != "" {
		duration, err := time.ParseDuration(first)
		if err != nil {
			return options, fmt.Errorf("%w: %w; give one as in cpu-profile=30s", ErrProfileOption, err)
		}
		options.duration = duration
	}
	if options.duration <= 0 || options.duration > longestProfileTime {
		return options, fmt.Errorf("%w: invalid duration %s: it must be positive and at most %s", ErrProfileOption, options.duration, longestProfileTime)
	}
	for _, field := range fields[1:] {
		switch option := strings.TrimSpace(field); option {
		case "gzip":
			options.gzip = true
		case "block", "blocked", "blocking":
			options.block = true
		default:
			return options, fmt.Errorf("%w: %s is neither gzip nor block", ErrProfileOption, printable(option))
		}
	}
	return options, nil
}

// runProfile replies with a CPU profile in base64, without a line break. When the server ends meanwhile, it is the profile of
// the time until then.
func (s *Server) runProfile(r *request) error {
	options, err := parseProfileOptions(r.argument)
	if err != nil {
		return err
	}
	if !s.profiling.TryLock() {
		return ErrProfileInProgress
	}
	defer s.profiling.Unlock()

	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		return fmt.Errorf("%w: %w", ErrProfileInProgress, err)
	}
	if options.block {
		runtime.SetBlockProfileRate(1)
		defer runtime.SetBlockProfileRate(0)
	}
	pause(r.ctx, options.duration)
	pprof.StopCPUProfile()
	return encodeProfile(&r.reply, profile.Bytes(), options)
}

// encodeProfile writes the profile through the layers asked for. Each layer holds back its last bytes until it is closed,
// the inner one first.
func encodeProfile(w io.Writer, profile []byte, options profileOptions) error {
	encoder := base64.NewEncoder(base64.StdEncoding, w)
	layers := []io.WriteCloser{encoder}
	if options.gzip {
		layers = append(layers, gzip.NewWriter(encoder))
	}
	_, err := layers[len(layers)-1].Write(profile)
	for i := len(layers) - 1; i >= 0; i-- {
		err = errors.Join(err, layers[i].Close())
	}
	if err != nil {
		return fmt.Errorf("encoding the profile: %w", err)
	}
	return nil
}
