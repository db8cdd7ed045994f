package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/binlog"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// A client may have its changes logged as text (binlog_format=STATEMENT in its session). Text that names the original ends the
// migration. Other text may reach it all the same: by a view, by a trigger, by a stored function. The log does not say so, but the server
// knows what a name means, and is asked. It answers of now, not of the moment of the event, which is shortly before; what was
// dropped or made in between is not seen.
//
// What stands in the original's schema may reach it in ways that nobody follows, such as a trigger that calls a procedure. What stands in
// another has to name the original's schema, or to change yet other tables. It is suspect, too, where the account may not see its definition.

const (
	// textAnswersLast is for how long an answer of the server is believed: clients that log text tend to repeat themselves.
	textAnswersLast = 5 * time.Second

	// maxTextAnswers bounds the memory for them.
	maxTextAnswers = 1000

	// textLookLimit bounds one look at the server.
	textLookLimit = 10 * time.Second

	// textLooks is how often a look is tried that fails for the server's sake, such as in a restart.
	textLooks = 5
)

// textChanges asks the server whose binary log is read what changes that are logged as text may reach. It is used by the stream's
// goroutine.
type textChanges struct {
	db       *gosql.DB
	original sql.TableName
	names    sql.NameCase
	log      base.Logger
	answers  map[textQuestion]textAnswer
	unseen   bool // it was told that something could not be seen
}

// textQuestion is what the server is asked for: a table, or a function if call is one.
type textQuestion struct {
	table sql.TableName
	call  sql.Call
}

type textAnswer struct {
	reaches string // how it may reach other tables; "" if it does not
	at      time.Time
}

func newTextChanges(db *gosql.DB, original sql.TableName, names sql.NameCase, log base.Logger) *textChanges {
	return &textChanges{db: db, original: original, names: names, log: log, answers: map[textQuestion]textAnswer{}}
}

// reach tells how a change that does not name the original may reach it; "" if it does not.
func (t *textChanges) reach(ctx context.Context, event *binlog.Event) (what string, err error) {
	change, ok := sql.ReadTextChange(event.Statement, event.Schema)
	if !ok || t == nil {
		return "", nil
	}
	for _, target := range change.Targets {
		if err == nil && what == "" && target.Schema != "" { // without a schema the server would have refused it
			what, err = t.answer(ctx, textQuestion{table: target}, target, func(ctx context.Context) (string, error) { return t.askOfTable(ctx, target) })
		}
	}
	for _, call := range change.Calls {
		if err == nil && what == "" {
			what, err = t.answer(ctx, textQuestion{call: call}, call.Function, func(ctx context.Context) (string, error) { return t.askOfFunction(ctx, call) })
		}
	}
	if err != nil || what == "" {
		return "", err
	}
	return fmt.Sprintf("somebody ran %s, logged as text, %s: whether that has changed rows of it the stream does not tell (%s). Have that client log rows (binlog_format=ROW)",
		change.Verb, what, abridgedStatement(event.Statement)), nil
}

func (t *textChanges) answer(ctx context.Context, question textQuestion, name sql.TableName, ask func(context.Context) (string, error)) (string, error) {
	if known, ok := t.answers[question]; ok && time.Since(known.at) < textAnswersLast {
		return known.reaches, nil
	}
	for look := 1; ; look++ {
		reaches, err := askOnce(ctx, ask)
		if err == nil {
			if len(t.answers) >= maxTextAnswers {
				clear(t.answers)
			}
			t.answers[question] = textAnswer{reaches, time.Now()}
			return reaches, nil
		}
		if look == textLooks || mysql.IsPermanent(err) || ctx.Err() != nil {
			return "", fmt.Errorf("asking what a change that was logged as text may reach, %s: %w", name, err)
		}
		if err := pause(ctx, time.Second); err != nil {
			return "", err
		}
	}
}

func askOnce(ctx context.Context, ask func(context.Context) (string, error)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, textLookLimit)
	defer cancel()
	return ask(ctx)
}

// askOfTable asks what the name of a changed table means.
func (t *textChanges) askOfTable(ctx context.Context, table sql.TableName) (reaches string, err error) {
	kinds, err := t.definitions(ctx, table, "SELECT /* gh-ost */ t.table_schema, t.table_name, IF(t.table_type LIKE '%VIEW', v.view_definition, 'a table') FROM information_schema.tables t"+
		" LEFT JOIN information_schema.views v ON v.table_schema = t.table_schema AND v.table_name = t.table_name WHERE t.table_schema = ? AND t.table_name = ?")
	if err != nil {
		return "", err
	}
	triggers, err := t.definitions(ctx, table, "SELECT /* gh-ost */ event_object_schema, event_object_table, action_statement FROM information_schema.triggers"+
		" WHERE event_object_schema = ? AND event_object_table = ?")
	if err != nil {
		return "", err
	}
	if len(kinds) == 0 { // a temporary table, one that is gone, or none for this account to see
		t.tellUnseen(table)
	}
	for _, kind := range kinds {
		if kind.String != "a table" && t.mayReach(table.Schema, kind) {
			return fmt.Sprintf("on the view %s", table), nil
		}
	}
	for _, trigger := range triggers {
		if t.mayReach(table.Schema, trigger) {
			return fmt.Sprintf("on %s, which has triggers", table), nil
		}
	}
	return "", nil
}

// definitions reads what information_schema has of a table, which may be found by names that differ in their case.
func (t *textChanges) definitions(ctx context.Context, table sql.TableName, query string) (definitions []gosql.NullString, err error) {
	rows, err := t.db.QueryContext(ctx, query, table.Schema, table.Name)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // rows.Err is what counts
	for rows.Next() {
		var found sql.TableName
		var definition gosql.NullString
		if err := rows.Scan(&found.Schema, &found.Name, &definition); err != nil {
			return nil, err
		}
		if t.names.SameTable(found, table) {
			definitions = append(definitions, definition)
		}
	}
	return definitions, rows.Err()
}

// askOfFunction asks whether a call is of a stored function.
func (t *textChanges) askOfFunction(ctx context.Context, call sql.Call) (reaches string, err error) {
	session, err := t.db.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer session.Close()
	function := call.Function
	if stored, err := isStored(ctx, session, call); err != nil || !stored {
		return "", err
	}
	var definition gosql.NullString
	err = session.QueryRowContext(ctx, "SELECT /* gh-ost */ routine_definition FROM information_schema.routines WHERE routine_type = 'FUNCTION' AND routine_schema = ? AND routine_name = ?",
		function.Schema, function.Name).Scan(&definition)
	if err != nil && !errors.Is(err, gosql.ErrNoRows) {
		return "", err
	}
	if !t.mayReach(function.Schema, definition) {
		return "", nil
	}
	return fmt.Sprintf("with the stored function %s", function), nil
}

// isStored tells whether a call is, or may be, of a stored function: one of the server's own is none of a schema's. The calls that it
// tries are prepared and never executed. An account without the right to execute learns from the server only which functions are the server's.
func isStored(ctx context.Context, session *gosql.Conn, call sql.Call) (bool, error) {
	err := prepareCall(ctx, session, call.Function.String())
	switch {
	case mysql.IsUnknownFunction(err):
		return false, nil
	case mysql.IsAccessDenied(err) && call.Text != "":
		err = prepareCall(ctx, session, call.Text)
		if err == nil || mysql.ErrorNumber(err) != 0 && !mysql.IsRetryable(err) && !mysql.IsAccessDenied(err) && !mysql.IsUnknownFunction(err) {
			return false, nil // the server's own, called rightly or wrongly
		}
	}
	if err != nil && (mysql.ErrorNumber(err) == 0 || mysql.IsRetryable(err)) { // the server has not answered
		return false, err
	}
	return true, nil
}

// prepareCall returns the server's error for a call without arguments.
func prepareCall(ctx context.Context, session *gosql.Conn, function string) error {
	statement, err := session.PrepareContext(ctx, "SELECT /* gh-ost */ "+function+"()")
	if err == nil {
		defer statement.Close() // the session ends soon in any case
	}
	return err
}

// changesMore matches the words by which a trigger or a function changes other tables, or has them changed.
var changesMore = regexp.MustCompile(`(?i)\b(insert|update|delete|replace|call|load)\b`)

// mayReach tells whether something in that schema and of that definition, which is NULL or empty where this account may not see
// it, may change the original.
func (t *textChanges) mayReach(schema string, definition gosql.NullString) bool {
	return strings.EqualFold(schema, t.original.Schema) || definition.String == "" || changesMore.MatchString(definition.String) ||
		strings.Contains(strings.ToLower(definition.String), strings.ToLower(t.original.Schema))
}

// tellUnseen says, once, that a table was changed of which nothing is to be seen.
func (t *textChanges) tellUnseen(table sql.TableName) {
	if t.unseen {
		return
	}
	t.unseen = true
	_ = t.log.Warningf("a change of %s was logged as text (binlog_format=STATEMENT in a client's session), and this account sees no such table: if it was a view, or has triggers, by which rows of %s are changed, they are missed",
		table, t.original)
}

// abridgedStatement is the beginning of a statement, for messages.
func abridgedStatement(statement string) string {
	const shown = 80
	if runes := []rune(statement); len(runes) > shown {
		return string(runes[:shown]) + "…"
	}
	return statement
}
