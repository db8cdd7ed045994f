package mysql

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInstanceKeyIsReadAsPeopleWriteIt(t *testing.T) {
	for text, want := range map[string]InstanceKey{
		"db1":                      {"db1", 3306},
		"db1:3307":                 {"db1", 3307},
		" db1.example.com:3307 ":   {"db1.example.com", 3307},
		"10.0.0.1":                 {"10.0.0.1", 3306},
		"10.0.0.1:65535":           {"10.0.0.1", 65535},
		"::1":                      {"::1", 3306},
		"2001:db8::7":              {"2001:db8::7", 3306},
		"[2001:db8::7]":            {"2001:db8::7", 3306},
		"[2001:db8::7]:3308":       {"2001:db8::7", 3308},
		"[fe80::1%eth0]:3308":      {"fe80::1%eth0", 3308},
		"db_with_underscore-9:123": {"db_with_underscore-9", 123},
	} {
		key, err := ParseInstanceKey(text)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, *key, text)
		}
	}
}

func TestInstanceKeyThatCannotBeMeantIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "  ", ":3306", "db1:", "db1:port", "db1:0", "db1:-1", "db1:65536", "db1:3306:3307",
		"[db1]:3306", "[::1", "[::1]3306", "[::1]:", "[::1]:0",
	} {
		_, err := ParseInstanceKey(text)
		assert.Error(t, err, text)
	}
}

func TestInstanceKeyComesBackFromItsText(t *testing.T) {
	for _, key := range []InstanceKey{{"db1", 3306}, {"::1", 3307}, {"10.0.0.1", 1}} {
		read, err := ParseInstanceKey(key.StringCode())
		require.NoError(t, err)
		assert.Equal(t, key, *read)
		assert.True(t, key.Equals(read))
	}
}

func TestInstanceKeyOfALostHostIsInvalid(t *testing.T) {
	assert.True(t, InstanceKey{"db1", 3306}.IsValid())
	for _, key := range []InstanceKey{{}, {"", 3306}, {"_", 3306}, {"db1", 0}} {
		assert.False(t, key.IsValid(), key)
	}
	assert.False(t, InstanceKey{}.Equals(nil))
}

func TestInstanceKeyMapReadsAndWritesItsLists(t *testing.T) {
	servers := NewInstanceKeyMap()
	require.NoError(t, servers.ReadCommaDelimitedList(""))
	require.Zero(t, servers.Len())

	require.NoError(t, servers.ReadCommaDelimitedList("b:3307, a ,b:3306,a:3306"))
	assert.Equal(t, 3, servers.Len())
	assert.Equal(t, "a:3306,b:3306,b:3307", servers.ToCommaDelimitedList())
	assert.True(t, servers.HasKey(InstanceKey{"b", 3307}))
	assert.False(t, servers.HasKey(InstanceKey{"c", 3307}))

	again := NewInstanceKeyMap()
	require.NoError(t, again.ReadJson(servers.ToJSONString()))
	assert.Equal(t, servers, again)
}

func TestInstanceKeyMapTakesAllOfAListOrNothing(t *testing.T) {
	servers := NewInstanceKeyMap()
	err := servers.ReadCommaDelimitedList("a:3306,b:port")
	require.ErrorContains(t, err, `"b:port"`)
	assert.Zero(t, servers.Len())
}
