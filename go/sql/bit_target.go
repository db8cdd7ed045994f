package sql

import (
	"fmt"
	"strings"
)

// bitFormat is how an expression of the source's type is written where the target is a BIT, with %[1]s for the expression.
// An INSERT stores the bytes of a string, a date or a document as the bits, and cuts a DOUBLE's fraction off; an ALTER
// stores the whole number that they stand for, rounds, and refuses what is none, and so does a CAST. Of an exact DECIMAL only
// MySQL's ALTER makes a signed number, in a comment that is no code to MariaDB.
//
// A native ALTER is less strict in places, and stores another value there; we refuse: TEXT and BLOB that hold no number
// (MySQL), letters in character sets of two bytes or more, and a FLOAT beyond 2^63.
//
// The widest BIT has room for what a CAST bends: a string beyond the signed numbers becomes a negative one, a DOUBLE the
// nearest number. An overflow refuses them there. It begins at the last DOUBLE below 2^63, which MySQL's ALTER refuses.
func bitFormat(source, target ColumnType) string {
	widest := target.Length >= 64
	switch {
	case source.IsInteger(), source.Kind == KindBit, source.Kind == KindYear, source.Kind == KindEnum, source.Kind == KindSet, source.Kind == KindInet:
		return "%[1]s"
	case source.Kind == KindDecimal:
		return "/*!50700 CAST(*/%[1]s/*!50700 AS SIGNED)*/"
	case source.IsFloat() && widest:
		return "CAST(%[1]s AS SIGNED) + (ABS(%[1]s) >= 9223372036854774784e0) * 9223372036854775807 * 2"
	case (source.IsCharacter() || source.IsBinary()) && widest:
		return "CAST(%[1]s AS SIGNED) + (CAST(%[1]s AS DECIMAL(65)) > 9223372036854775807) * 9223372036854775807 * 2"
	}
	return "CAST(%[1]s AS SIGNED)"
}

// bitEncoderOf lets the encoder's expressions arrive in a BIT as bitFormat says.
func bitEncoderOf(source, target ColumnType, encode encoder) encoder {
	format := bitFormat(source, target)
	return func(query *strings.Builder, args *[]any, value any) error {
		var inner strings.Builder
		var innerArgs []any
		if err := encode(&inner, &innerArgs, value); err != nil {
			return err
		}
		fmt.Fprintf(query, format, inner.String())
		for range strings.Count(format, "%[1]s") {
			*args = append(*args, innerArgs...)
		}
		return nil
	}
}
