package sql

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// AlterSyntaxError says where an ALTER text stops making sense. It covers only what the parser has to understand;
// the server remains the judge of everything else.
type AlterSyntaxError struct {
	Line, Column int    // where, counted from one; Column counts characters
	Near         string // the beginning of the text at that place; empty at its end
	Problem      string
}

func (e *AlterSyntaxError) Error() string {
	if e.Near == "" {
		return fmt.Sprintf("cannot parse the ALTER text: %s (line %d, column %d, at its end)", e.Problem, e.Line, e.Column)
	}
	return fmt.Sprintf("cannot parse the ALTER text: %s (line %d, column %d, at %q)", e.Problem, e.Line, e.Column, e.Near)
}

func newAlterSyntaxError(text string, offset int, problem string, args ...any) *AlterSyntaxError {
	before := text[:offset]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	return &AlterSyntaxError{
		Line:    strings.Count(before, "\n") + 1,
		Column:  utf8.RuneCountInString(before[lineStart:]) + 1,
		Near:    excerpt(text[offset:]),
		Problem: fmt.Sprintf(problem, args...),
	}
}

// excerpt returns the beginning of a text, short enough for a message.
func excerpt(text string) string {
	const longest = 40
	count := 0
	for i := range text {
		if count == longest {
			return text[:i] + "…"
		}
		count++
	}
	return text
}

// RefusalReason says why an ALTER that a server may well accept cannot be migrated.
type RefusalReason uint8

const (
	_ RefusalReason = iota
	// RefusedMultipleStatements: something follows a semicolon.
	RefusedMultipleStatements
	// RefusedTablespace: DISCARD or IMPORT TABLESPACE, of the table or of partitions.
	RefusedTablespace
	// RefusedPartitionExchange: EXCHANGE PARTITION, and MariaDB's CONVERT PARTITION and CONVERT TABLE.
	RefusedPartitionExchange
	// RefusedPartitionData: DROP or TRUNCATE PARTITION. On the ghost table they would delete nothing, and the rows be copied all the same.
	RefusedPartitionData
	// RefusedPartitionMaintenance: ANALYZE, CHECK or REPAIR PARTITION. On the ghost table they would look at empty partitions.
	RefusedPartitionMaintenance
	// RefusedSecondaryEngine: SECONDARY_LOAD or SECONDARY_UNLOAD.
	RefusedSecondaryEngine
	// RefusedConditionalComment: what becomes of the columns depends on whether a server executes a versioned comment.
	RefusedConditionalComment
)

func (r RefusalReason) String() string {
	switch r {
	case RefusedMultipleStatements:
		return "only one statement can be migrated at a time; remove what follows the semicolon"
	case RefusedTablespace:
		return "tablespace files belong to the original table, not to the ghost table; run this statement on the server itself"
	case RefusedPartitionExchange:
		return "it moves rows between tables, which the ghost table does not have yet; run this statement on the server itself"
	case RefusedPartitionData:
		return "the ghost table is empty when it is altered, so this would delete no row; run this statement on the server itself"
	case RefusedPartitionMaintenance:
		return "the ghost table is empty when it is altered, so this would tell nothing about the data; run this statement on the server itself"
	case RefusedSecondaryEngine:
		return "a secondary engine is loaded from the original table; run this statement on the server itself"
	case RefusedConditionalComment:
		return "whether columns are renamed or dropped, or options set, depends on a comment that only some servers execute; write it without the comment"
	}
	return "it cannot be migrated"
}

// RefusedAlterError is returned for an ALTER that must not be run on a ghost table: it would fail to have the effect that it has on
// the original, or have one elsewhere.
type RefusedAlterError struct {
	Reason RefusalReason
	Action string // the refused part of the text, verbatim
}

func (e *RefusedAlterError) Error() string {
	return fmt.Sprintf("refusing ALTER %q: %s", excerpt(e.Action), e.Reason)
}
