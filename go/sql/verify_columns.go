package sql

import (
	"fmt"
	"slices"
	"strings"
)

// verifiedColumn is a pair of columns as the verification compares them.
type verifiedColumn struct {
	pair      SharedColumn
	converted bool // the original's value is read from the temporary table, where the server has converted it
}

// verifiedColumns decides for each pair that is written how its values are compared. A key's integers are never converted:
// one that does not fit would not be the same key any more.
func verifiedColumns(shared []SharedColumn, key *UniqueKey) (columns []verifiedColumn) {
	for _, pair := range shared {
		if !pair.IsWritten() {
			continue
		}
		_, inKey := key.Columns.Lookup(pair.Source.Name)
		columns = append(columns, verifiedColumn{pair: pair, converted: !storesAlike(pair) && !(inKey && areIntegers(pair))})
	}
	return columns
}

func areIntegers(pair SharedColumn) bool {
	return pair.Source.Type.IsInteger() && pair.Target.Type.IsInteger()
}

// storesAlike tells whether the value that arrives can be told from the original's by an expression: it is the same, in
// another character set at most. Of everything else the server is asked what it makes of it.
func storesAlike(pair SharedColumn) bool {
	source, target := pair.Source.Type, pair.Target.Type
	sameCharset := pair.Source.Charset == pair.Target.Charset
	switch {
	case source.IsCharacter() && target.IsCharacter():
		return holdsStrings(source, target, sameCharset || isUTF8(pair.Source.Charset) && isUTF8(pair.Target.Charset))
	case !sameCharset:
		return false
	case source.Text == target.Text:
		return true
	case source.IsInteger() && target.IsInteger():
		return widensInteger(source, target)
	case source.IsBinary() && target.IsBinary() && target.Kind != KindBinary:
		return holdsStrings(source, target, true)
	case source.Kind == KindEnum, source.Kind == KindSet:
		return source.Kind == target.Kind && len(target.Labels) >= len(source.Labels) && slices.Equal(source.Labels, target.Labels[:len(source.Labels)])
	}
	return false
}

// holdsStrings tells whether the target holds all strings of the source as they are. sameBytes: no string becomes longer.
func holdsStrings(source, target ColumnType, sameBytes bool) bool {
	longer := target.Length >= source.Length
	switch target.Kind {
	case KindChar:
		return source.Kind == KindChar && longer
	case KindVarChar:
		return source.Kind <= KindVarChar && longer
	case KindVarBinary:
		return source.Kind <= KindVarBinary && longer
	case KindTinyText, KindTinyBlob:
		return source.Kind == target.Kind && sameBytes
	}
	return target.Kind > source.Kind || target.Kind == source.Kind && sameBytes
}

// isUTF8 is true of the character sets whose strings are the same bytes in utf8mb4.
func isUTF8(charset string) bool {
	return charset == "utf8" || charset == "utf8mb3" || charset == "utf8mb4" || charset == "ascii"
}

// widensInteger tells whether the target holds all values of the source.
func widensInteger(source, target ColumnType) bool {
	if source.Unsigned == target.Unsigned {
		return target.bits() >= source.bits()
	}
	return source.Unsigned && target.bits() > source.bits()
}

// ofOriginal is the column's fingerprint in the original or, if it is converted, in the temporary table.
func (c verifiedColumn) ofOriginal(temporary string) string {
	if c.converted {
		return fingerprint(temporary, c.pair.Target.Type)
	}
	name := quoted(c.pair.Source.Name)
	if c.pair.Source.Charset != c.pair.Target.Charset {
		name = "CONVERT(" + name + " USING " + c.pair.Target.Charset + ")"
	}
	return fingerprint(name, c.pair.Target.Type)
}

// ofGhost is the column's fingerprint in the ghost.
func (c verifiedColumn) ofGhost() string {
	return fingerprint(quoted(c.pair.Target.Name), c.pair.Target.Type)
}

// fingerprint is an expression that is equal for equal values of a type and different for different ones, down to the bytes,
// and never has a comma. NULL is the letter N, which no other value is.
func fingerprint(value string, columnType ColumnType) string {
	return "IFNULL(" + plainFingerprint(value, columnType) + ",'N')"
}

func plainFingerprint(value string, columnType ColumnType) string {
	switch kind := columnType.Kind; {
	case columnType.IsInteger() && columnType.ZeroFill:
		return value + " + 0"
	case columnType.IsFloat():
		return value + " + 0e0" // all digits, whatever the type shows
	case kind == KindBit, kind == KindChar, kind == KindVarChar, kind == KindBinary, kind == KindVarBinary:
		return "HEX(" + value + ")"
	case kind == KindTimestamp:
		return "UNIX_TIMESTAMP(" + value + ")" // the moment itself, in any time zone
	case kind == KindEnum, kind == KindSet:
		return "CONCAT(" + value + " + 0,':',HEX(" + value + "))"
	case kind == KindJSON: // the text does not tell the types of numbers and dates, the size of the binary form tells most
		return "CONCAT(SHA2(" + value + ",256),':',JSON_STORAGE_SIZE(JSON_EXTRACT(" + value + ",'$')))"
	case kind == KindVector:
		return "SHA2(HEX(" + value + "),256)"
	case columnType.IsCharacter(), columnType.IsBinary(), kind == KindGeometry:
		return "SHA2(" + value + ",256)"
	}
	return value
}

// rowHash is the hash of a row's fingerprints: of those that the original itself shows, and of those of converted values.
func rowHash(own, converted []string) string {
	if len(converted) == 0 {
		return hashOf(own)
	}
	return hashOf(append([]string{hashOf(own)}, converted...))
}

func hashOf(fingerprints []string) string {
	if len(fingerprints) == 0 {
		return "''"
	}
	return fmt.Sprintf("SHA2(CONCAT_WS(',',%s),256)", strings.Join(fingerprints, ","))
}
