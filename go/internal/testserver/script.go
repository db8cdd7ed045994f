package testserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// scriptTimeout covers the very first start on a machine, which fetches the server programs.
const scriptTimeout = 10 * time.Minute

// info is what script/mysql-server prints of a server, by key.
type info map[string]string

func (i info) number(key string) (int, error) {
	number, err := strconv.Atoi(i[key])
	if err != nil {
		return 0, fmt.Errorf("script/mysql-server printed no number for %s: %w", key, err)
	}
	return number, nil
}

// runScript runs script/mysql-server to its end and returns the key=value lines that it printed.
func runScript(ctx context.Context, arguments ...string) (info, error) {
	root, err := checkout()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, scriptTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, filepath.Join(root, "script", "mysql-server"), arguments...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // lets it end what it started
	command.WaitDelay = 30 * time.Second
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("script/mysql-server %s: %w\n%s", strings.Join(arguments, " "), err, stderr.String())
	}
	return parseInfo(stdout.String()), nil
}

func parseInfo(text string) info {
	lines := info{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok {
			lines[key] = value
		}
	}
	return lines
}

// checkout is the folder with go.mod: `go test` runs each test binary in its package's folder.
func checkout() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("find the checkout: no go.mod in the working directory or above it")
		}
		folder = parent
	}
}
