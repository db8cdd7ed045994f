package logic

import (
	"context"
	"crypto/sha256"
	gosql "database/sql"
	sqldriver "database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

const (
	// identityLimit bounds each statement of reading an identity; nobody waits for it.
	identityLimit = 30 * time.Second

	// maxIdentityLength is how long an identity's text may be: it has to fit into the changelog.
	maxIdentityLength = 4000
)

// tableIdentity tells whether the table that stands under a name is still the one that stood there before, and not
// another one that was made under the same name since. The name itself is no part of it: a table that was renamed is
// still the same.
type tableIdentity struct {
	Server    string   // which server: its UUID, on MariaDB server_id@hostname:port
	IDs       []uint64 // InnoDB's ids, of all partitions if there are some, sorted; empty if they cannot be read, or there are none
	Structure string   // the SHA-256, in hex, of SHOW CREATE TABLE without the table's name and next AUTO_INCREMENT value
}

// querier is a pool or a connection.
type querier interface {
	mysql.Querier
	mysql.Execer
	QueryRowContext(ctx context.Context, query string, args ...any) *gosql.Row
}

// readTableIdentity reads the identity of the table that stands under the name. A view, or no table at all, is an error;
// IsNoSuchTable tells the latter. Without the privilege PROCESS there are no IDs.
func readTableIdentity(ctx context.Context, db *gosql.DB, server *mysql.Server, table sql.TableName) (identity tableIdentity, err error) {
	err = withOwnConnection(ctx, db, func(connection *gosql.Conn) error {
		identity, err = readTableIdentityIn(ctx, connection, server, table)
		return err
	})
	return identity, err
}

// readTableIdentityIn is readTableIdentity in a session that is used for nothing else afterwards: its settings change.
func readTableIdentityIn(ctx context.Context, session querier, server *mysql.Server, table sql.TableName) (identity tableIdentity, err error) {
	definition, err := showDefinition(ctx, session, table)
	if err != nil {
		return tableIdentity{}, err
	}
	digest := sha256.Sum256([]byte(withoutNameAndCounter(definition)))
	identity = tableIdentity{Server: serverIdentity(server), Structure: hex.EncodeToString(digest[:])}
	identity.IDs, err = innodbTableIDs(ctx, session, server.Dialect, table)
	if err != nil && !mysql.IsAccessDenied(err) {
		return tableIdentity{}, err
	}
	return identity, nil
}

// withOwnConnection does something with a connection that goes back to no pool.
func withOwnConnection(ctx context.Context, db *gosql.DB, do func(*gosql.Conn) error) error {
	connection, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()                                              // nothing depends on it any more
	defer connection.Raw(func(any) error { return sqldriver.ErrBadConn }) //nolint:errcheck // makes the pool drop it
	return do(connection)
}

// serverIdentity tells a server from others, also from one that was made from its backup.
func serverIdentity(server *mysql.Server) string {
	if server.UUID != "" && !server.Dialect.IsMariaDB() {
		return server.UUID
	}
	return fmt.Sprintf("%d@%s:%d", server.ServerID, server.Hostname, server.Port)
}

// equals tells whether both are of the same table. Ids count where both sides know them.
func (i tableIdentity) equals(other tableIdentity) bool {
	if i.Server != other.Server || i.Structure != other.Structure {
		return false
	}
	return len(i.IDs) == 0 || len(other.IDs) == 0 || slices.Equal(i.IDs, other.IDs)
}

// provenBy tells whether the ids of both are known and say that it is the same table. A structure alone is no proof:
// anybody can make a second table like another one.
func (i tableIdentity) provenBy(other tableIdentity) bool {
	return len(i.IDs) > 0 && len(other.IDs) > 0 && i.equals(other)
}

// sharesIDs tells whether both are of a table with the same ids, whose definition the server, or somebody, may have changed since:
// names of checks follow the table's.
func (i tableIdentity) sharesIDs(other tableIdentity) bool {
	return i.Server == other.Server && len(i.IDs) > 0 && slices.Equal(i.IDs, other.IDs)
}

// String is the identity as JSON in ASCII, which parseTableIdentity reads. Ids that follow one another are written as a
// range. If a table has so many partitions all the same that the text would be too long for its place, it has no ids.
func (i tableIdentity) String() string {
	text := i.json(idRanges(i.IDs))
	if len(text) > maxIdentityLength {
		text = i.json("")
	}
	return text
}

// identityText is the form in which an identity is kept.
type identityText struct {
	Server    string `json:"server"`
	IDs       string `json:"ids,omitempty"`
	Structure string `json:"structure"`
}

func (i tableIdentity) json(ids string) string {
	text, _ := json.Marshal(identityText{strconv.QuoteToASCII(i.Server), ids, i.Structure}) // strings can always be written
	return string(text)
}

// parseTableIdentity reads what String has written.
func parseTableIdentity(text string) (identity tableIdentity, err error) {
	var read identityText
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		return tableIdentity{}, fmt.Errorf("reading a table's identity: %w", err)
	}
	identity.Structure = read.Structure
	if identity.Server, err = strconv.Unquote(read.Server); err != nil {
		return tableIdentity{}, fmt.Errorf("reading a table's identity: server %s: %w", read.Server, err)
	}
	if identity.IDs, err = parseIDRanges(read.IDs); err != nil {
		return tableIdentity{}, fmt.Errorf("reading a table's identity: ids %s: %w", read.IDs, err)
	}
	if identity.Server == "" || identity.Structure == "" {
		return tableIdentity{}, errors.New("reading a table's identity: it names no server, or no structure")
	}
	return identity, nil
}

// idRanges writes sorted ids as a list such as 1065-1072,1080.
func idRanges(ids []uint64) string {
	var ranges []string
	for first := 0; first < len(ids); {
		last := first
		for last+1 < len(ids) && ids[last+1] == ids[last]+1 {
			last++
		}
		text := strconv.FormatUint(ids[first], 10)
		if last > first {
			text += "-" + strconv.FormatUint(ids[last], 10)
		}
		ranges = append(ranges, text)
		first = last + 1
	}
	return strings.Join(ranges, ",")
}

// maxIDs is more partitions than a table can have, so that a broken text is not taken for a range without end.
const maxIDs = 100_000

func parseIDRanges(text string) (ids []uint64, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 64)
		if err != nil {
			return nil, err
		}
		last, err := strconv.ParseUint(to, 10, 64)
		if err != nil {
			return nil, err
		}
		if last < first || last-first >= maxIDs-uint64(len(ids)) {
			return nil, fmt.Errorf("%s is no range of ids", part)
		}
		for id := first; id <= last; id++ {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// readDefinition returns a table's SHOW CREATE TABLE; a view is an error.
func readDefinition(ctx context.Context, db *gosql.DB, table sql.TableName) (definition string, err error) {
	err = withOwnConnection(ctx, db, func(connection *gosql.Conn) error {
		definition, err = showDefinition(ctx, connection, table)
		return err
	})
	return definition, err
}

// showDefinition makes a session show definitions in one way, whatever the server's settings are by then.
func showDefinition(ctx context.Context, session querier, table sql.TableName) (definition string, err error) {
	ctx, cancel := context.WithTimeout(ctx, identityLimit)
	defer cancel()
	defer func() {
		if err != nil {
			err = fmt.Errorf("reading the definition of %s: %w", table, err)
		}
	}()
	if _, err := session.ExecContext(ctx, "SET /* gh-ost */ SESSION sql_mode = '', time_zone = '+00:00', sql_quote_show_create = 1, lock_wait_timeout = 10"); err != nil {
		return "", err
	}
	rows, err := session.QueryContext(ctx, "SHOW /* gh-ost */ CREATE TABLE "+table.String())
	if err != nil {
		return "", err
	}
	defer rows.Close() // rows.Err is what counts
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	if len(columns) != 2 {
		return "", errors.New("it is a view")
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name, &definition); err != nil {
			return "", err
		}
	}
	return definition, rows.Err()
}

// nextAutoIncrement is the option in the definition's line of options; column definitions are indented. It stands before
// any comment.
var nextAutoIncrement = regexp.MustCompile(`(?m)^(\) [^'"]*?)AUTO_INCREMENT=\d+ ?`)

func withoutNameAndCounter(definition string) string {
	_, body, found := strings.Cut(definition, " (\n")
	if !found {
		body = definition
	}
	return nextAutoIncrement.ReplaceAllString(body, "$1")
}

// innodbTableIDs returns InnoDB's ids of the table, or of its partitions, sorted; none if it is another engine's. The
// error for an account without the privilege PROCESS is one for which mysql.IsAccessDenied is true.
//
// Non-ASCII characters of a name are matched by any such character, so the ids of tables that differ in nothing else are
// among the result too. That the ids are the same is a proof all the same.
func innodbTableIDs(ctx context.Context, db querier, dialect mysql.Dialect, table sql.TableName) ([]uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, identityLimit)
	defer cancel()
	failed := func(err error) ([]uint64, error) {
		return nil, fmt.Errorf("reading InnoDB's ids of %s: %w", table, err)
	}
	var lower int
	if err := db.QueryRowContext(ctx, "SELECT /* gh-ost */ @@lower_case_table_names").Scan(&lower); err != nil {
		return failed(err)
	}
	like, exact := innodbName(table, lower != 0)
	ids, err := queryIDs(ctx, db, exact.MatchString, "SELECT /* gh-ost */ table_id, name FROM "+dialect.InnoDBTables()+" WHERE name LIKE ? ESCAPE '|'", like)
	if err != nil {
		return failed(err)
	}
	return ids, nil
}

// queryIDs returns the ids, sorted, of a result of ids and names, of those names that are wanted.
func queryIDs(ctx context.Context, db querier, wanted func(name string) bool, query string, args ...any) (ids []uint64, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // rows.Err is what counts
	for rows.Next() {
		var id uint64
		var name string
		if err := rows.Scan(&id, &name); err != nil {
			return nil, err
		}
		if wanted(name) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, rows.Err()
}

// innodbName returns a LIKE pattern that finds the table in InnoDB's list, and maybe others, and a regular expression
// that picks it and its partitions out of those. There, names are paths of files: ASCII letters, digits and _ stand as
// they are, other ASCII characters as @ and four hex digits, all others as @ and two or four characters by the server's
// own tables. Partitions follow behind #p# or #P#.
func innodbName(table sql.TableName, ignoreCase bool) (like string, exact *regexp.Regexp) {
	var pattern, expression strings.Builder
	encode := func(name string) {
		for _, r := range name {
			switch {
			case r == '_':
				pattern.WriteString("|_")
				expression.WriteByte('_')
			case '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
				pattern.WriteRune(r)
				expression.WriteRune(r)
			case r < 0x80:
				fmt.Fprintf(&pattern, "@%04x", r)
				fmt.Fprintf(&expression, "@%04x", r)
			default:
				pattern.WriteString("@%")
				expression.WriteString("@(?:[0-9a-f]{4}|[0-9A-Za-z]{2})")
			}
		}
	}
	encode(table.Schema)
	pattern.WriteByte('/')
	expression.WriteByte('/')
	encode(table.Name)
	pattern.WriteByte('%')
	flags := ""
	if ignoreCase {
		flags = "(?i)"
	}
	return pattern.String(), regexp.MustCompile(flags + "^" + expression.String() + "(?:#[pP]#.*)?$")
}
