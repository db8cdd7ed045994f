package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// names of the contenders that are always there
const (
	ours   = "gh-ost"
	native = "native ALTER"
)

// contender is one way to migrate: a gh-ost compatible program, or the server's own ALTER if path is empty.
type contender struct {
	name, path string
}

func (c contender) isNative() bool { return c.path == "" }

// contenders returns our program and the peers, each under a name of its own.
func (s *settings) contenders() ([]contender, error) {
	found := []contender{{ours, s.binary}}
	taken := map[string]bool{ours: true, native: true}
	for text := range strings.SplitSeq(s.peers, ",") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		name, path, named := strings.Cut(text, "=")
		if !named {
			name, path = filepath.Base(text), text
		}
		base := name
		for number := 2; taken[name]; number++ {
			name = fmt.Sprintf("%s-%d", base, number)
		}
		taken[name] = true
		found = append(found, contender{name, path})
	}
	for _, c := range found {
		if info, err := os.Stat(c.path); err != nil {
			return nil, fmt.Errorf("%w: contender %s: %w", errUsage, c.name, err)
		} else if info.IsDir() || info.Mode()&0o111 == 0 {
			return nil, fmt.Errorf("%w: contender %s: %s is no program", errUsage, c.name, c.path)
		}
	}
	return found, nil
}

// rotated returns the list beginning at another place each round: whoever comes first, or after whom, would otherwise be
// the same every time.
func rotated[T any](list []T, round int) []T {
	if len(list) == 0 {
		return nil
	}
	first := round % len(list)
	return append(append([]T{}, list[first:]...), list[:first]...)
}
