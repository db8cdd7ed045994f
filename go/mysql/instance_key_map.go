package mysql

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// InstanceKeyMap is a set of servers. It is not safe for concurrent use.
type InstanceKeyMap map[InstanceKey]bool

// NewInstanceKeyMap returns an empty set.
func NewInstanceKeyMap() *InstanceKeyMap {
	return &InstanceKeyMap{}
}

// Len returns the number of servers in the set.
func (m *InstanceKeyMap) Len() int {
	return len(*m)
}

// AddKey adds one server.
func (m *InstanceKeyMap) AddKey(key InstanceKey) {
	(*m)[key] = true
}

// AddKeys adds servers.
func (m *InstanceKeyMap) AddKeys(keys []InstanceKey) {
	for _, key := range keys {
		m.AddKey(key)
	}
}

// HasKey tells whether the server is in the set.
func (m *InstanceKeyMap) HasKey(key InstanceKey) bool {
	return (*m)[key]
}

// GetInstanceKeys returns the servers, ordered by host and port.
func (m *InstanceKeyMap) GetInstanceKeys() []InstanceKey {
	keys := make([]InstanceKey, 0, len(*m))
	for key, present := range *m {
		if present {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b InstanceKey) int {
		switch {
		case a == b:
			return 0
		case a.SmallerThan(&b):
			return -1
		default:
			return 1
		}
	})
	return keys
}

// ReadCommaDelimitedList adds the servers of a list such as "a:3306,b:3307". An empty list adds none. If one entry
// cannot be read, nothing is added.
func (m *InstanceKeyMap) ReadCommaDelimitedList(list string) error {
	if strings.TrimSpace(list) == "" {
		return nil
	}
	var keys []InstanceKey
	for entry := range strings.SplitSeq(list, ",") {
		key, err := ParseInstanceKey(entry)
		if err != nil {
			return fmt.Errorf("reading the server list %q: %w", list, err)
		}
		keys = append(keys, *key)
	}
	m.AddKeys(keys)
	return nil
}

// ToCommaDelimitedList returns the servers as ReadCommaDelimitedList reads them, in order.
func (m *InstanceKeyMap) ToCommaDelimitedList() string {
	keys := m.GetInstanceKeys()
	texts := make([]string, 0, len(keys))
	for _, key := range keys {
		texts = append(texts, key.StringCode())
	}
	return strings.Join(texts, ",")
}

// MarshalJSON encodes the set as an ordered array of keys.
func (m InstanceKeyMap) MarshalJSON() ([]byte, error) {
	return json.Marshal(m.GetInstanceKeys())
}

// UnmarshalJSON replaces the set by the array of keys.
func (m *InstanceKeyMap) UnmarshalJSON(data []byte) error {
	var keys []InstanceKey
	if err := json.Unmarshal(data, &keys); err != nil {
		return fmt.Errorf("reading a list of servers from JSON: %w", err)
	}
	*m = InstanceKeyMap{}
	m.AddKeys(keys)
	return nil
}

// ToJSON encodes the set as an ordered array of keys.
func (m *InstanceKeyMap) ToJSON() (string, error) {
	encoded, err := m.MarshalJSON()
	return string(encoded), err
}

// ToJSONString is ToJSON for places that have no use for an error; a set of hosts and ports always encodes.
func (m *InstanceKeyMap) ToJSONString() string {
	encoded, _ := m.ToJSON()
	return encoded
}

// ReadJson adds the servers of a JSON array of keys, as ToJSON writes it.
func (m *InstanceKeyMap) ReadJson(text string) error {
	read := InstanceKeyMap{}
	if err := read.UnmarshalJSON([]byte(text)); err != nil {
		return err
	}
	m.AddKeys(read.GetInstanceKeys())
	return nil
}
