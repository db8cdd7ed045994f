package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// maxSocketPath is how long the path of a unix socket may be, in bytes; the last place is for a zero.
var maxSocketPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// applyServing settles where commands are taken from. A path that could not be bound is refused now, before anything is
// created on a server.
func (o *options) applyServing() error {
	m := o.migration
	if o.socketMode != "" {
		mode, err := strconv.ParseUint(o.socketMode, 8, 32)
		if err != nil {
			return fmt.Errorf("--serve-socket-mode: %w", err)
		}
		m.ServeSocketMode = os.FileMode(mode)
	}
	if m.ServeSocketFile == "" {
		m.ServeSocketFile = defaultSocketFile(m.DatabaseName, m.OriginalTableName)
	}
	if len(m.ServeSocketFile) > maxSocketPath {
		return fmt.Errorf("--serve-socket-file=%s has %d bytes: this system allows %d", m.ServeSocketFile, len(m.ServeSocketFile), maxSocketPath)
	}
	return nil
}

// defaultSocketFile is /tmp/gh-ost.<schema>.<table>.sock. Names that make no path of that form, being too long or holding
// a slash, are shortened and told apart by a digest.
func defaultSocketFile(schema, table string) string {
	name := "gh-ost." + schema + "." + table
	path := "/tmp/" + name + ".sock"
	if len(path) <= maxSocketPath && !strings.Contains(name, "/") {
		return path
	}
	digest := sha256.Sum256([]byte(name))
	const kept = 60
	name = strings.ReplaceAll(name, "/", "_")
	return "/tmp/" + strings.ToValidUTF8(name[:min(kept, len(name))], "") + "." + hex.EncodeToString(digest[:8]) + ".sock"
}
