package inspect

import (
	"cmp"
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// Trigger is a table's trigger with all that it takes to create the same again. Two triggers that are equal are the same.
type Trigger struct {
	mysql.Trigger
	Order   int    // among those of the same timing and event
	Definer string // as user@host, for people
	// SQLMode, Charset and Collation are those of the session that created it (character_set_client and
	// collation_connection): they decide what its text means.
	SQLMode, Charset, Collation string
	// Created tells triggers apart that are alike but for what information_schema does not show.
	Created string
}

// ReadTriggers reads a table's triggers in an order in which they can be created again: of those with the same timing and event,
// the one that fires first comes first. The session's character set must be utf8mb4 or utf8.
func ReadTriggers(ctx context.Context, db *gosql.DB, table sql.TableName) ([]Trigger, error) {
	const query = "SELECT /* gh-ost */ trigger_name, event_manipulation, action_timing, action_statement, action_order, definer, sql_mode," +
		" character_set_client, collation_connection, IFNULL(created, '') FROM information_schema.triggers" +
		" WHERE event_object_schema = ? AND event_object_table = ? AND "
	rows, err := db.QueryContext(ctx, query+exactly("event_object_table"), table.Schema, table.Name, table.Name) //nolint:rowserrcheck // ScanRows does
	var triggers []Trigger
	if err == nil {
		err = mysql.ScanRows(rows, func(v [][]byte) error {
			order, err := strconv.Atoi(string(v[4]))
			triggers = append(triggers, Trigger{
				Trigger: mysql.Trigger{Name: string(v[0]), Event: string(v[1]), Timing: string(v[2]), Statement: string(v[3])},
				Order:   order, Definer: string(v[5]), SQLMode: string(v[6]),
				Charset: string(v[7]), Collation: string(v[8]), Created: string(v[9]),
			})
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("reading the triggers of %s: %w", table, err)
	}
	slices.SortFunc(triggers, func(a, b Trigger) int {
		return cmp.Or(cmp.Compare(a.Event, b.Event), cmp.Compare(a.Timing, b.Timing), cmp.Compare(a.Order, b.Order))
	})
	return triggers, nil
}

// TriggerNamesTaken returns which of the names belong to a trigger of the schema already, with the table that it is on.
func TriggerNamesTaken(ctx context.Context, db *gosql.DB, schema string, names []string) (taken []string, err error) {
	for _, name := range names {
		found, err := readNames(ctx, db, "SELECT /* gh-ost */ event_object_schema, event_object_table, trigger_name FROM information_schema.triggers"+
			" WHERE trigger_schema = ? AND trigger_name = ? AND "+exactly("trigger_name"), schema, name, name)
		if err != nil {
			return nil, fmt.Errorf("looking for triggers called %s: %w", sql.EscapeName(name), err)
		}
		taken = append(taken, found...)
	}
	return taken, nil
}

// CreateRequest builds what creates the trigger under the name on another table of its schema, which is the sending session's
// default schema: two statements in one request, of which the first gives the session the trigger's settings. The text is in
// the trigger's own character set, byte for byte. The session that it is built with speaks utf8mb4, and is left with
// character_set_results = NULL.
//
// Each trigger has a request of its own because MySQL takes a semicolon that follows a body for a part of it.
func (t Trigger) CreateRequest(ctx context.Context, session *gosql.Conn, name string, table sql.TableName) (string, error) {
	statement, err := t.createStatement(ctx, session, name, table)
	if err != nil {
		return "", fmt.Errorf("reading the definition of trigger %s: %w", sql.EscapeName(t.Name), err)
	}
	return fmt.Sprintf("SET /* gh-ost */ SESSION sql_mode = '%s', character_set_client = %s, collation_connection = %s;%s",
		t.SQLMode, t.Charset, t.Collation, statement), nil
}

func (t Trigger) createStatement(ctx context.Context, session *gosql.Conn, name string, table sql.TableName) (string, error) {
	show := sql.TableName{Schema: table.Schema, Name: t.Name}
	stored, err := showTrigger(ctx, session, show, "NULL")
	if err != nil {
		return "", err
	}
	if t.speaksUTF8() || isASCII(stored) {
		parsed, err := sql.ParseTriggerStatement(stored)
		if err != nil {
			return "", err
		}
		head, err := t.encode(ctx, session, parsed.HeadFor(name, table))
		return head + parsed.Body(), err
	}
	// Where one character's second byte may be a quote, only UTF-8 can be parsed. The body is kept as it is: it may have bytes that
	// are no characters.
	text, err := showTrigger(ctx, session, show, "utf8mb4")
	if err != nil {
		return "", err
	}
	parsed, err := sql.ParseTriggerStatement(text)
	if err != nil {
		return "", err
	}
	storedHead, err := t.encode(ctx, session, parsed.Head())
	if err != nil {
		return "", err
	}
	body, found := strings.CutPrefix(stored, storedHead)
	if !found {
		return "", fmt.Errorf("its text does not bear conversion from %s", t.Charset)
	}
	head, err := t.encode(ctx, session, parsed.HeadFor(name, table))
	return head + body, err
}

// speaksUTF8 tells whether the trigger's text is UTF-8, or bytes that nobody converts.
func (t Trigger) speaksUTF8() bool {
	return strings.HasPrefix(t.Charset, "utf8") || t.Charset == "binary"
}

// encode converts UTF-8 to the trigger's character set.
func (t Trigger) encode(ctx context.Context, session *gosql.Conn, text string) (string, error) {
	if t.speaksUTF8() || isASCII(text) {
		return text, nil
	}
	if _, err := session.ExecContext(ctx, "SET /* gh-ost */ SESSION character_set_results = NULL"); err != nil {
		return "", err
	}
	var encoded, again []byte
	convert := "CONVERT(? USING " + t.Charset + ")"
	if err := session.QueryRowContext(ctx, "SELECT /* gh-ost */ "+convert+", CONVERT("+convert+" USING utf8mb4)", text, text).Scan(&encoded, &again); err != nil {
		return "", err
	}
	if string(again) != text {
		return "", fmt.Errorf("its character set %s does not have all characters of %q", t.Charset, text)
	}
	return string(encoded), nil
}

// showTrigger returns the trigger's statement in a character set; NULL: in that which it was typed in.
func showTrigger(ctx context.Context, session *gosql.Conn, name sql.TableName, charset string) (string, error) {
	if _, err := session.ExecContext(ctx, "SET /* gh-ost */ SESSION character_set_results = "+charset); err != nil {
		return "", err
	}
	rows, err := session.QueryContext(ctx, "SHOW /* gh-ost */ CREATE TRIGGER "+name.String()) //nolint:rowserrcheck // ScanRows does
	if err != nil {
		return "", err
	}
	const statementColumn = 2
	var statement []byte
	err = mysql.ScanRows(rows, func(values [][]byte) error {
		if len(values) > statementColumn {
			statement = values[statementColumn]
		}
		return nil
	})
	if err == nil && statement == nil {
		err = errors.New("the server does not show its statement. Does the account have the right TRIGGER?")
	}
	return string(statement), err
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
