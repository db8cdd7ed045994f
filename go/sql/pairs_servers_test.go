package sql

import (
	gosql "database/sql"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// sampleOfPairs is the share of all pairs that every `go test` tries; `make pairs` tries all of them.
const sampleOfPairs = 200

// deviation is a pair whose values come out otherwise than by a native ALTER: because that bends them without an error, which
// doc/compatibility.md tells of, or because they are refused where they need not be.
type deviation struct {
	outcome string // "refused" or "differs"
	pair    *regexp.Regexp
}

var deviations = []deviation{
	{"refused", regexp.MustCompile(`^\S*(text|blob)\b.* -> bit`)}, // text that holds no number is 0
	{"refused", regexp.MustCompile(`^\S*text\b.* -> decimal`)},    // the same
	{"refused", regexp.MustCompile(`^(point|geometry|vector).* -> bit`)},
	{"refused", regexp.MustCompile(`^(bit|blob|longblob).* -> vector`)},           // bytes that are no vector are taken
	{"refused", regexp.MustCompile(`^(float|double).* -> (bigint|bit|time)`)},     // beyond its limits
	{"refused", regexp.MustCompile(`^(double|float|bit).* -> (double|float)\(`)},  // beyond its digits
	{"differs", regexp.MustCompile(`^(double|float).* -> (double|float)\(`)},      // digits that it does not show
	{"refused", regexp.MustCompile(`^binary.* -> (\w*int|decimal|float|double)`)}, // blanks at the end (MariaDB)
	{"differs", regexp.MustCompile(`^bit\(64\) -> (float|double)`)},               // beyond 2^63 a negative number (MariaDB)
}

func isDeviation(outcome, pair string) bool {
	return slices.ContainsFunc(deviations, func(d deviation) bool { return d.outcome == outcome && d.pair.MatchString(pair) })
}

func TestEachPairOfTypesIsConvertedAsByANativeALTER(t *testing.T) {
	sample := sampleOfPairs
	if os.Getenv("PAIRS") == "all" {
		sample = 1
	}
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		p := newPairs(t, server)
		type pair struct {
			from conversion
			to   string
		}
		var chosen []pair
		groups := pairedTypes()
		number := 0
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			types := slices.DeleteFunc(groups[name], func(c conversion) bool { return c.only != "" && c.only != server.Flavor })
			slices.SortFunc(types, func(a, b conversion) int { return strings.Compare(a.from, b.from) })
			for _, from := range types {
				for _, to := range types {
					if number++; from.from != to.from && number%sample == 0 {
						chosen = append(chosen, pair{from, to.from})
					}
				}
			}
		}
		var sources []conversion
		for _, pair := range chosen {
			sources = append(sources, pair.from)
		}
		originals := p.fill(sources)
		for _, pair := range chosen {
			p.try(pair.from, pair.to, originals)
		}
		t.Logf("%d values were tried in %d pairs", p.tried, len(chosen))
	})
}

// pairs tries conversions on one server.
type pairs struct {
	t      *testing.T
	server *testserver.Server
	schema string
	zones  TimeZones

	loose    *gosql.Conn // that writes any value
	native   *gosql.Conn // of the native ALTER
	applying *gosql.Conn // as copy and apply have it

	tables, tried int
}

func newPairs(t *testing.T, server *testserver.Server) *pairs {
	schema := server.Schema(t)
	var mode string
	require.NoError(t, server.DB(t).QueryRowContext(t.Context(), "SELECT @@global.sql_mode").Scan(&mode))
	return &pairs{t: t, server: server, schema: schema,
		zones:    TimeZones{Server: utc, OffsetLiterals: server.Flavor == testserver.MySQL},
		loose:    session(t, server, schema, utc, ""),
		native:   session(t, server, schema, utc, mode),
		applying: session(t, server, schema, utc, mode+","+strictMode),
	}
}

// original is a table of one value, and its row as the binary log has it.
type original struct {
	table string
	row   [][]any
}

// fill makes the originals, by type and value.
func (p *pairs) fill(types []conversion) map[string]original {
	start := binlogEnd(p.t, p.server, p.server.DB(p.t))
	originals := map[string]original{}
	for _, c := range types {
		for _, value := range c.values {
			if _, filled := originals[c.from+value]; filled {
				continue
			}
			p.tables++
			table := fmt.Sprintf("o%d", p.tables)
			fill(p.t, p.loose, table, conversion{from: c.from, values: []string{value}})
			originals[c.from+value] = original{table: table}
		}
	}
	rows := insertedRows(p.t, p.server, p.schema, start, binlogEnd(p.t, p.server, p.server.DB(p.t)))
	for name, o := range originals {
		o.row = rows[o.table]
		originals[name] = o
	}
	return originals
}

// try converts each value natively, by a copy, and from the binary log.
func (p *pairs) try(from conversion, to string, originals map[string]original) {
	pair := from.from + " -> " + to
	for i, value := range from.values {
		o := originals[from.from+value]
		if i == 0 {
			mustExec(p.t, p.native, "DROP TABLE IF EXISTS ghost")
			mustExec(p.t, p.native, "CREATE TABLE ghost LIKE "+o.table)
			if _, err := p.native.ExecContext(p.t.Context(), "ALTER TABLE ghost MODIFY v "+to); err != nil {
				return // no value can be converted
			}
		}
		p.tried++
		mustExec(p.t, p.native, "DROP TABLE IF EXISTS native")
		mustExec(p.t, p.native, "CREATE TABLE native LIKE "+o.table)
		mustExec(p.t, p.loose, "INSERT INTO native SELECT * FROM "+o.table)
		_, err := p.native.ExecContext(p.t.Context(), "ALTER TABLE native MODIFY v "+to)
		source, target := describe(p.t, p.native, p.schema, o.table), describe(p.t, p.native, p.schema, "ghost")
		expected, refused := p.outcome("native", target, err)
		for name, write := range map[string]func(original, []Column, []Column) error{"copied": p.copied, "applied": p.applied} {
			mustExec(p.t, p.native, "TRUNCATE TABLE ghost")
			actual, refusedToo := p.outcome("ghost", target, write(o, source, target))
			switch {
			case refused && refusedToo, actual == expected:
			case refusedToo && isDeviation("refused", pair), !refused && !refusedToo && isDeviation("differs", pair):
			default:
				assert.Equal(p.t, expected, actual, "%s: %s, %s", pair, value, name)
			}
		}
	}
}

// outcome is the table's only row, or the error.
func (p *pairs) outcome(table string, columns []Column, err error) (text string, refused bool) {
	if err != nil {
		return err.Error(), true
	}
	return strings.Join(contents(p.t, p.applying, table, columns), "\n"), false
}

func (p *pairs) copied(o original, source, target []Column) error {
	statements, err := NewCopyStatements(TableName{p.schema, o.table}, TableName{p.schema, "ghost"}, pairColumns(source, target), primaryKey(source[0]), "LOCK IN SHARE MODE", p.zones)
	if err != nil {
		return err
	}
	query, args, err := statements.InsertChunk(Bound{int64(0)}, true, Bound{int64(1)})
	require.NoError(p.t, err)
	_, err = p.applying.ExecContext(p.t.Context(), query, args...)
	return err
}

func (p *pairs) applied(o original, source, target []Column) error {
	statements, err := NewApplyStatements(TableName{p.schema, "ghost"}, pairColumns(source, target), primaryKey(source[0]), p.zones)
	if err != nil {
		return err
	}
	query, args, err := statements.Replace(o.row)
	if err != nil {
		return err
	}
	_, err = p.applying.ExecContext(p.t.Context(), query, args...)
	return err
}
