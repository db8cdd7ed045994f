package mysql

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const (
	uuidA = "11111111-1111-1111-1111-111111111111"
	uuidB = "22222222-2222-2222-2222-222222222222"
)

func TestBinlogFilesAreOrderedByNumber(t *testing.T) {
	ordered := []*FileBinlogCoordinates{
		{LogFile: "binlog.000009", LogPos: 900},
		{LogFile: "binlog.000010", LogPos: 4},
		{LogFile: "binlog.000010", LogPos: 10},
		{LogFile: "binlog.999999", LogPos: 5},
		{LogFile: "binlog.1000000", LogPos: 4},
		{LogFile: "binlog.99999999999999999999999", LogPos: 4},
	}
	for i, a := range ordered {
		for j, b := range ordered {
			assert.Equal(t, i < j, a.SmallerThan(b), "%s < %s", a, b)
			assert.Equal(t, i <= j, a.SmallerThanOrEquals(b), "%s <= %s", a, b)
			assert.Equal(t, i == j, a.Equals(b), "%s = %s", a, b)
		}
	}
}

func TestBinlogFileNamesMayHaveDotsAndColons(t *testing.T) {
	coordinates, err := ParseFileBinlogCoordinates("db:1.example.binlog.000042:1234")
	require.NoError(t, err)
	assert.Equal(t, "db:1.example.binlog.000042", coordinates.LogFile)
	assert.EqualValues(t, 1234, coordinates.LogPos)
	assert.Equal(t, "db:1.example.binlog.000042:1234", coordinates.DisplayString())

	for _, text := range []string{"", "binlog.000001", ":4", "binlog.000001:", "binlog.000001:-4", "binlog.000001:x"} {
		_, err := ParseFileBinlogCoordinates(text)
		assert.Error(t, err, text)
	}
}

func TestBinlogFilesOfDifferentBasesStillHaveOneOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]string{"a.1", "a.02", "a.10", "b.1", "b.x", "b.", "c", "", "a.0", "a.00"})
		draw := func(label string) *FileBinlogCoordinates {
			return NewFileBinlogCoordinates(names.Draw(t, label), rapid.Int64Range(0, 2).Draw(t, label+" position"))
		}
		a, b, c := draw("a"), draw("b"), draw("c")
		if a.SmallerThan(b) && b.SmallerThan(a) {
			t.Fatalf("%s and %s are each smaller than the other", a, b)
		}
		if a.SmallerThan(b) && b.SmallerThan(c) && !a.SmallerThan(c) {
			t.Fatalf("%s < %s < %s, but not the first than the last", a, b, c)
		}
	})
}

func TestFileCoordinatesCompareWithTheirKindOnly(t *testing.T) {
	file := NewFileBinlogCoordinates("binlog.000001", 4)
	gtid := mustGTID(t, MySQLFlavor, uuidA+":1")
	assert.False(t, file.Equals(gtid) || file.SmallerThan(gtid) || gtid.Equals(file) || gtid.SmallerThanOrEquals(file))
	assert.False(t, file.Equals(nil) || gtid.Equals(nil))
}

func TestFileCloneIsIndependent(t *testing.T) {
	original := &FileBinlogCoordinates{LogFile: "binlog.000001", LogPos: 4, EventSize: 10}
	clone, ok := original.Clone().(*FileBinlogCoordinates)
	require.True(t, ok)
	require.Equal(t, original, clone)
	clone.LogPos = 5
	assert.EqualValues(t, 4, original.LogPos)
	assert.True(t, (&FileBinlogCoordinates{}).IsEmpty())
	assert.False(t, original.IsEmpty())
}

func TestMySQLGTIDSetsAreOrderedBySubset(t *testing.T) {
	for _, test := range []struct {
		a, b                string
		smaller, equal, ord bool // ord: smaller or equal
	}{
		{"", "", false, true, true},
		{"", uuidA + ":1", true, false, true},
		{uuidA + ":1-5", uuidA + ":1-6", true, false, true},
		{uuidA + ":1-5", uuidA + ":1-2:3-5", false, true, true},
		{uuidA + ":1-5", uuidA + ":1-4," + uuidB + ":1", false, false, false},
		{uuidA + ":1-5", uuidA + ":1-5,\n" + uuidB + ":1", true, false, true},
		{uuidA + ":5", uuidA + ":1-4:6-9", false, false, false},
		{uuidA + ":1-5", uuidA + ":tag:1-5", false, false, false},
		{uuidA + ":tag:1-5", uuidA + ":1-3:tag:1-9", true, false, true},
	} {
		a, b := mustGTID(t, MySQLFlavor, test.a), mustGTID(t, MySQLFlavor, test.b)
		assert.Equal(t, test.smaller, a.SmallerThan(b), "%q < %q", test.a, test.b)
		assert.Equal(t, test.equal, a.Equals(b), "%q = %q", test.a, test.b)
		assert.Equal(t, test.ord, a.SmallerThanOrEquals(b), "%q <= %q", test.a, test.b)
	}
}

func TestMariaDBPositionContainsAllEarlierOfItsDomain(t *testing.T) {
	for _, test := range []struct {
		a, b         string
		smaller, ord bool
	}{
		{"0-1-100", "0-1-101", true, true},
		{"0-1-100", "0-2-101", true, true}, // another server took over
		{"0-1-100", "0-1-100", false, true},
		{"0-1-100", "0-1-100,7-1-1", true, true},
		{"0-1-100,7-1-2", "0-1-101,7-1-1", false, false},
		{"", "0-1-1", true, true},
		{"0-1-1", "", false, false},
	} {
		a, b := mustGTID(t, MariaDBFlavor, test.a), mustGTID(t, MariaDBFlavor, test.b)
		assert.Equal(t, test.smaller, a.SmallerThan(b), "%q < %q", test.a, test.b)
		assert.Equal(t, test.ord, a.SmallerThanOrEquals(b), "%q <= %q", test.a, test.b)
	}
}

func TestGTIDsOfDifferentFamiliesDoNotCompare(t *testing.T) {
	a, b := mustGTID(t, MySQLFlavor, uuidA+":1"), mustGTID(t, MariaDBFlavor, "0-1-1")
	assert.False(t, a.Equals(b) || a.SmallerThan(b) || b.SmallerThanOrEquals(a))
}

func TestGTIDCloneIsIndependent(t *testing.T) {
	for flavor, texts := range map[string][3]string{
		MySQLFlavor:   {uuidA + ":1-5", uuidA + ":6", uuidA + ":1-6"},
		MariaDBFlavor: {"0-1-5", "0-1-6", "0-1-6"},
	} {
		original := mustGTID(t, flavor, texts[0])
		clone, ok := original.Clone().(*GTIDBinlogCoordinates)
		require.True(t, ok)
		require.NoError(t, clone.GTIDSet.Update(texts[1]))
		assert.Equal(t, texts[2], clone.String())
		assert.Equal(t, texts[0], original.String())
	}
	assert.True(t, (&GTIDBinlogCoordinates{}).Clone().IsEmpty())
}

func TestGTIDTextComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Int64Range(1, 1000).Draw(t, "first")
		last := rapid.Int64Range(first+1, 2000).Draw(t, "last")
		text := fmt.Sprintf("%s:%d-%d", uuidA, first, last)
		set, err := NewGTIDBinlogCoordinates(MySQLFlavor, text)
		if err != nil || set.String() != text {
			t.Fatalf("%s came back as %s, %v", text, set, err)
		}
	})
	for _, text := range []string{"x", uuidA, uuidA + ":0-", "0-1-1"} {
		_, err := NewGTIDBinlogCoordinates(MySQLFlavor, text)
		assert.Error(t, err, text)
	}
	_, err := NewGTIDBinlogCoordinates("oracle", "")
	assert.Error(t, err)
}

func mustGTID(t testing.TB, flavor, text string) *GTIDBinlogCoordinates {
	t.Helper()
	set, err := NewGTIDBinlogCoordinates(flavor, text)
	require.NoError(t, err, text)
	return set
}
