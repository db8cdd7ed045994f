package base

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// LoadMap holds a threshold for each of some server status variables.
type LoadMap map[string]int64

// NewLoadMap returns an empty map.
func NewLoadMap() LoadMap {
	return LoadMap{}
}

// ParseLoadMap reads a list such as "Threads_running=100,Threads_connected=500". An empty list gives an empty map.
// The error quotes the entry that cannot be understood.
func ParseLoadMap(loadList string) (LoadMap, error) {
	result := NewLoadMap()
	if strings.TrimSpace(loadList) == "" {
		return result, nil
	}
	for entry := range strings.SplitSeq(loadList, ",") {
		name, value, found := strings.Cut(entry, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !found || name == "" {
			return nil, fmt.Errorf("cannot read %q in load list %q: write status_variable=threshold, separated by commas", entry, loadList)
		}
		threshold, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("cannot read the threshold %q of %s in load list %q: it must be a whole number", value, name, loadList)
		}
		result[name] = threshold
	}
	return result, nil
}

// Duplicate returns a copy that shares nothing with the map.
func (m LoadMap) Duplicate() LoadMap {
	if m == nil {
		return NewLoadMap()
	}
	return maps.Clone(m)
}

// String gives the list in the form that ParseLoadMap reads, sorted by name.
func (m LoadMap) String() string {
	entries := make([]string, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		entries = append(entries, fmt.Sprintf("%s=%d", name, m[name]))
	}
	return strings.Join(entries, ",")
}
