package sql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func statementsFor(t testing.TB, original string, keyColumns int, types ...string) (*CopyStatements, *ApplyStatements) {
	t.Helper()
	var columns []Column
	for i, columnType := range types {
		c := column(t, string(rune('a'+i)), columnType, "latin1")
		c.Ordinal = i
		columns = append(columns, c)
	}
	key := primaryKey(columns[:keyColumns]...)
	shared := pairColumns(columns, columns)
	copying, err := NewCopyStatements(TableName{"db", original}, TableName{"db", "_" + original + "_gho"}, shared, key, "FOR SHARE", TimeZones{Server: "SYSTEM"})
	require.NoError(t, err)
	applying, err := NewApplyStatements(TableName{"db", "_" + original + "_gho"}, shared, key, TimeZones{Server: "SYSTEM"})
	require.NoError(t, err)
	return copying, applying
}

func TestCopyStatementsWalkTheKey(t *testing.T) {
	s, _ := statementsFor(t, "t", 2, "int", "varchar(9)", "text")
	assert.Equal(t, "SELECT /* gh-ost `db`.`t` */ `a`, `b` FROM `db`.`t` FORCE INDEX (`PRIMARY`) ORDER BY `a`, `b` LIMIT 1 FOR SHARE", s.MinBound())
	assert.Equal(t, "SELECT /* gh-ost `db`.`t` */ `a`, `b` FROM `db`.`t` FORCE INDEX (`PRIMARY`) ORDER BY `a` DESC, `b` DESC LIMIT 1 FOR SHARE", s.MaxBound())

	from, to := Bound{[]byte("1"), []byte("x")}, Bound{[]byte("2"), []byte("\xfc")}
	where := "WHERE (`a` > ? OR (`a` = ? AND (`b` > _latin1 ?))) AND (`a` < ? OR (`a` = ? AND (`b` <= _latin1 ?)))"
	args := []any{int64(1), int64(1), "x", int64(2), int64(2), "\xfc"}

	query, actual, err := s.ChunkEnd(from, false, to, 100, 7)
	require.NoError(t, err)
	assert.Equal(t, "SELECT /* gh-ost `db`.`t` iteration:7 */ `a`, `b` FROM `db`.`t` FORCE INDEX (`PRIMARY`) "+where+" ORDER BY `a`, `b` LIMIT 1 OFFSET 99", query)
	assert.Equal(t, args, actual)

	query, actual, err = s.InsertChunk(from, false, to)
	require.NoError(t, err)
	assert.Equal(t, "INSERT /* gh-ost `db`.`t` */ INTO `db`.`_t_gho` (`a`, `b`, `c`) SELECT `a`, `b`, `c` FROM `db`.`t` FORCE INDEX (`PRIMARY`) "+where+
		" FOR SHARE ON DUPLICATE KEY UPDATE `db`.`_t_gho`.`a` = `db`.`_t_gho`.`a`", query)
	assert.Equal(t, args, actual)

	query, _, err = s.LastBound(from, true, to, 8)
	require.NoError(t, err)
	assert.Contains(t, query, "(`b` >= _latin1 ?)")
	assert.Contains(t, query, "ORDER BY `a` DESC, `b` DESC LIMIT 1")

	_, _, err = s.ChunkEnd(from, false, Bound{int64(1)}, 100, 1)
	assert.ErrorContains(t, err, "a bound has 1 values, the key has 2 columns")
	_, _, err = s.ChunkEnd(from, false, to, 0, 1)
	assert.ErrorContains(t, err, "a chunk of 0 rows")
	_, _, err = s.InsertChunk(from, false, Bound{int64(1), nil})
	assert.ErrorContains(t, err, "column `b` of the unique key is NULL")
}

func TestAnEnumsRangeIsAListOfItsNumbers(t *testing.T) {
	s, _ := statementsFor(t, "t", 1, "enum('c','b','a')")
	query, args, err := s.LastBound(Bound{[]byte("1")}, false, Bound{[]byte("3")}, 1)
	require.NoError(t, err)
	assert.Contains(t, query, "SELECT /* gh-ost `db`.`t` iteration:1 */ `a` + 0 FROM")
	assert.Contains(t, query, "WHERE (`a` IN (2,3)) AND (`a` IN (0,1,2,3))")
	assert.Empty(t, args)

	query, _, err = s.LastBound(Bound{[]byte("3")}, false, Bound{[]byte("0")}, 1)
	require.NoError(t, err)
	assert.Contains(t, query, "WHERE (FALSE) AND (`a` IN (0))")
}

func TestApplyStatementsReplaceRowsAndDeleteKeys(t *testing.T) {
	_, s := statementsFor(t, "t", 1, "int unsigned", "varchar(9)")
	query, args, err := s.Replace([][]any{{int32(-1), "x"}, {int32(2), nil}})
	require.NoError(t, err)
	assert.Equal(t, "REPLACE /* gh-ost `db`.`_t_gho` */ INTO `db`.`_t_gho` (`a`, `b`) VALUES (?, _latin1 ?), (?, NULL)", query)
	assert.Equal(t, []any{uint64(4294967295), "x", uint64(2)}, args)

	query, args, err = s.Delete([][]any{{int32(1)}, {int32(2)}})
	require.NoError(t, err)
	assert.Equal(t, "DELETE /* gh-ost `db`.`_t_gho` */ FROM `db`.`_t_gho` WHERE `a` IN (?, ?)", query)
	assert.Equal(t, []any{uint64(1), uint64(2)}, args)

	_, s = statementsFor(t, "t", 2, "int", "varchar(9)")
	query, args, err = s.Delete([][]any{{int32(1), "x"}, {int32(2), "y"}})
	require.NoError(t, err)
	assert.Equal(t, "DELETE /* gh-ost `db`.`_t_gho` */ FROM `db`.`_t_gho` WHERE (`a` = ? AND `b` = _latin1 ?) OR (`a` = ? AND `b` = _latin1 ?)", query)
	assert.Equal(t, []any{int64(1), "x", int64(2), "y"}, args)

	_, _, err = s.Replace([][]any{{int32(1)}})
	assert.ErrorContains(t, err, "a row has 1 columns, column `b` is the number 2")
	_, _, err = s.Replace([][]any{{int32(1), nil}})
	assert.ErrorContains(t, err, "column `b` of the unique key is NULL")
	_, _, err = s.Delete(nil)
	assert.ErrorContains(t, err, "no keys")
	_, err = s.KeyString([]any{nil, "x"})
	assert.ErrorContains(t, err, "column `a` of the unique key is NULL")
}

func TestGeneratedColumnsServeInConditionsOnly(t *testing.T) {
	id, hash := column(t, "id", "int", ""), column(t, "hash", "int", "")
	hash.Generation, hash.Ordinal = StoredGenerated, 1
	shared := pairColumns([]Column{id, hash}, []Column{id, hash})
	copying, err := NewCopyStatements(TableName{"db", "t"}, TableName{"db", "g"}, shared, primaryKey(hash, id), "", TimeZones{})
	require.NoError(t, err)
	query, _, err := copying.InsertChunk(Bound{int64(1), int64(1)}, true, Bound{int64(2), int64(2)})
	require.NoError(t, err)
	assert.Contains(t, query, "INTO `db`.`g` (`id`) SELECT `id` FROM")
	assert.Contains(t, query, "ON DUPLICATE KEY UPDATE `db`.`g`.`id` = `db`.`g`.`id`")
	applying, err := NewApplyStatements(TableName{"db", "g"}, shared, primaryKey(hash, id), TimeZones{})
	require.NoError(t, err)
	query, args, err := applying.Replace([][]any{{int32(1), int32(2)}})
	require.NoError(t, err)
	assert.Contains(t, query, "(`id`) VALUES (?)")
	assert.Equal(t, []any{int64(1)}, args)

	_, err = NewApplyStatements(TableName{"db", "g"}, shared[:1], primaryKey(hash, id), TimeZones{})
	assert.ErrorContains(t, err, "column `hash` of the unique key `PRIMARY` is not in both tables")
	_, err = NewCopyStatements(TableName{"db", "t"}, TableName{"db", "g"}, shared[1:], primaryKey(hash), "", TimeZones{})
	assert.ErrorContains(t, err, "share no column")
}

func TestNamesWithQuestionMarksCarryTheirValuesWithinTheStatement(t *testing.T) {
	s, applying := statementsFor(t, "what?*/x", 1, "int", "varchar(9)", "varbinary(9)")
	query, args, err := applying.Replace([][]any{{int32(-5), "a'?", []byte{}}})
	require.NoError(t, err)
	assert.Equal(t, "REPLACE /* gh-ost `db`.`_what?* /x_gho` */ INTO `db`.`_what?*/x_gho` (`a`, `b`, `c`) VALUES (-5, _latin1 X'61273F', X'')", query)
	assert.Empty(t, args)
	assert.Equal(t, "SELECT /* gh-ost `db`.`what?* /x` */ `a` FROM `db`.`what?*/x` FORCE INDEX (`PRIMARY`) ORDER BY `a` LIMIT 1 FOR SHARE", s.MinBound())
}

func TestTheCopyWritesOutConversionsOfMomentsInSessionsAtUTC(t *testing.T) {
	for _, c := range []struct {
		zones    TimeZones
		source   string
		target   string
		selected string
	}{
		{TimeZones{Server: "SYSTEM"}, "timestamp(3)", "timestamp", "`m`"},
		{TimeZones{Server: "+00:00"}, "timestamp", "datetime", "`m`"},
		{TimeZones{Server: "SYSTEM"}, "timestamp", "datetime", "IF(`m` = 0, `m`, CONVERT_TZ(`m`, '+00:00', 'SYSTEM'))"},
		{TimeZones{Server: "SYSTEM", Local: true}, "timestamp", "datetime", "`m`"},
		{TimeZones{Server: "SYSTEM", Local: true}, "timestamp(3)", "timestamp", "`m`"},
		{TimeZones{Server: "SYSTEM", Local: true, OffsetLiterals: true}, "timestamp(3)", "timestamp",
			"IF(`m` = 0, `m`, CONCAT(CAST(TIMESTAMP('1970-01-01') + INTERVAL UNIX_TIMESTAMP(`m`) SECOND AS DATETIME(0)), '+00:00'))"},
	} {
		id, source, target := column(t, "id", "int", ""), column(t, "m", c.source, ""), column(t, "m", c.target, "")
		s, err := NewCopyStatements(TableName{"db", "t"}, TableName{"db", "g"}, pairColumns([]Column{id, source}, []Column{id, target}), primaryKey(id), "", c.zones)
		require.NoError(t, err)
		query, _, err := s.InsertChunk(Bound{int64(1)}, true, Bound{int64(2)})
		require.NoError(t, err)
		assert.Contains(t, query, "SELECT `id`, "+c.selected+" FROM")
	}
}

func TestColumnValuesShowThemselvesAsText(t *testing.T) {
	values := NewColumnValues([]any{[]byte("a"), int64(5), nil})
	assert.Equal(t, "a,5,NULL", values.String())
	assert.Equal(t, "5", values.StringColumn(1))
	assert.Equal(t, []any{[]byte("a"), int64(5), nil}, values.AbstractValues())
	assert.Empty(t, (*ColumnValues)(nil).String())
}

// The condition of a range is compared with the order of rows itself.
func TestRangeConditionsHoldForExactlyTheRowsBetweenTheBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 4).Draw(t, "columns")
		row := rapid.SliceOfN(rapid.Int64Range(0, 3), width, width)
		from, to, include := row.Draw(t, "from"), row.Draw(t, "to"), rapid.Bool().Draw(t, "include")
		columns := make([]Column, width)
		for i := range columns {
			kind := rapid.SampledFrom([]ColumnType{{Kind: KindInt}, {Kind: KindEnum, Labels: []string{"c", "b", "a"}}}).Draw(t, "type")
			columns[i] = Column{Name: fmt.Sprintf("c%d", i), Type: kind}
		}
		keys, err := newKeyRange(columns)
		require.NoError(t, err)
		var s statement
		require.NoError(t, keys.appendRange(&s, toBound(from), include, toBound(to)))

		for range 20 {
			candidate := row.Draw(t, "row")
			lower := slices.Compare(candidate, from)
			expected := (lower > 0 || (include && lower == 0)) && slices.Compare(candidate, to) <= 0
			c := condition{text: s.text.String(), args: s.args, row: candidate}
			assert.Equal(t, expected, c.or(), "%v in %s %v", candidate, s.text.String(), s.args)
			assert.Empty(t, c.text)
			assert.Empty(t, c.args)
		}
	})
}

func toBound(row []int64) Bound {
	bound := make(Bound, len(row))
	for i, value := range row {
		bound[i] = value
	}
	return bound
}

// condition evaluates conditions of the form that key ranges have, for one row.
type condition struct {
	text string
	args []any
	row  []int64
}

func (c *condition) accept(text string) bool {
	rest, found := strings.CutPrefix(c.text, text)
	c.text = rest
	return found
}

func (c *condition) or() bool {
	result := c.and()
	for c.accept(" OR ") {
		right := c.and()
		result = result || right
	}
	return result
}

func (c *condition) and() bool {
	result := c.term()
	for c.accept(" AND ") {
		right := c.term()
		result = result && right
	}
	return result
}

func (c *condition) term() bool {
	if c.accept("(") {
		result := c.or()
		if !c.accept(")") {
			panic("no closing parenthesis at " + c.text)
		}
		return result
	}
	if c.accept("FALSE") {
		return false
	}
	var index int
	if _, err := fmt.Sscanf(c.text, "`c%d`", &index); err != nil {
		panic(err)
	}
	c.text = c.text[len("`c0`"):]
	value := c.row[index]
	if c.accept(" IN (") {
		list, rest, _ := strings.Cut(c.text, ")")
		c.text = rest
		return slices.Contains(strings.Split(list, ","), fmt.Sprint(value))
	}
	for _, operator := range []string{" >= ?", " <= ?", " > ?", " < ?", " = ?"} {
		if c.accept(operator) {
			order := cmp.Compare(value, c.args[0].(int64))
			c.args = c.args[1:]
			return (order > 0 && operator[1] == '>') || (order < 0 && operator[1] == '<') || (order == 0 && strings.Contains(operator, "="))
		}
	}
	panic("no operator at " + c.text)
}

func TestKeyStringsDifferWhereKeysDiffer(t *testing.T) {
	_, s := statementsFor(t, "t", 3, "varbinary(9)", "bigint unsigned", "varchar(9)")
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.StringOf(rapid.SampledFrom([]rune("1:a\x00")))
		number := rapid.SampledFrom([]int64{0, 1, 11, -1, 111})
		draw := func(name string) []any {
			return []any{part.Draw(t, name), number.Draw(t, name), part.Draw(t, name)}
		}
		one, other := draw("one"), draw("other")
		oneText, err := s.KeyString(one)
		require.NoError(t, err)
		otherText, err := s.KeyString(other)
		require.NoError(t, err)
		assert.Equal(t, slices.Equal(one, other), oneText == otherText)
	})
}

func TestKeyStringsAreEqualHoweverAValueWasDecoded(t *testing.T) {
	for _, c := range []struct {
		columnType string
		one, other any
	}{
		{"int unsigned", int32(-1), []byte("4294967295")},
		{"binary(4)", "a", []byte("a\x00\x00\x00")},
		{"bit(9)", int64(257), []byte{1, 1}},
		{"double", 0.0, []byte("-0")},
		{"enum('a','b')", int64(2), []byte("2")},
		{"year", 0, []byte("0000")},
	} {
		_, s := statementsFor(t, "t", 1, c.columnType)
		one, err := s.KeyString([]any{c.one})
		require.NoError(t, err)
		other, err := s.KeyString([]any{c.other})
		require.NoError(t, err)
		assert.Equal(t, one, other, c.columnType)
	}
}
