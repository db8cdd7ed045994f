package sql

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// storesUnchecked is true where MariaDB's INSERT … SELECT puts a column's string into a shorter TEXT or BLOB without a look at
// its length: of 300 letters, a TINYTEXT gets the first 44, and nobody is told. What a function returns is looked at.
func storesUnchecked(source, target ColumnType) bool {
	if !target.isLong() || target.Kind == KindLongText || target.Kind == KindLongBlob {
		return false
	}
	switch {
	case source.IsCharacter() && target.IsCharacter(), source.IsBinary() && target.IsBinary():
		return source.Kind > target.Kind || !source.isLong()
	}
	return source.IsCharacter() || source.IsBinary() || source.Kind == KindJSON
}

// refusesBlanks is true where a native ALTER refuses blanks at the end of a VARCHAR for which the new one has no room. An INSERT
// of MariaDB, and one of values on both servers, drops them. So does the ALTER where it cannot keep the bytes as they are, because
// the collation changes or lengths are stored in fewer bytes.
func refusesBlanks(source, target Column) bool {
	return source.Type.Kind == KindVarChar && target.Type.Kind == KindVarChar && target.Type.Length < source.Type.Length &&
		source.Charset == target.Charset && source.Collation == target.Collation &&
		lengthBytes(source) == lengthBytes(target)
}

// lengthBytes is how many bytes in front of a VARCHAR's value say how long it is.
func lengthBytes(column Column) int {
	const most = 255
	if column.Type.Length*bytesPerCharacter(column.Charset) > most {
		return 2
	}
	return 1
}

// bytesPerCharacter are the most that a character of the set takes, the server's MAXLEN.
func bytesPerCharacter(charset string) int {
	switch charset {
	case "utf8mb4", "utf16", "utf16le", "utf32", "gb18030":
		return utf8.UTFMax
	case "utf8", "utf8mb3", "ujis", "eucjpms":
		return 3
	case "ucs2", "gbk", "gb2312", "big5", "sjis", "cp932", "euckr":
		return 2
	}
	return 1
}

// withoutLostBlanks lets a column's value that is too long end in a letter, so that no blanks can be dropped from it.
func withoutLostBlanks(name string, target ColumnType) string {
	return fmt.Sprintf("CONCAT(%[1]s, IF(CHAR_LENGTH(%[1]s) > %[2]d, 'x', ''))", name, target.Length)
}

// lostBlanksRefused is withoutLostBlanks for values.
func lostBlanksRefused(source Column, target ColumnType, encode encoder) encoder {
	letter := fmt.Sprintf("CONVERT('x' USING %s)", strings.TrimPrefix(introducer(source.Charset), "_"))
	return func(query *strings.Builder, args *[]any, value any) error {
		text, ok := textOf(value)
		if !ok {
			return unexpected(value)
		}
		if len(text) <= target.Length {
			return encode(query, args, value)
		}
		query.WriteString("CONCAT(")
		if err := encode(query, args, value); err != nil {
			return err
		}
		query.WriteString(", IF(CHAR_LENGTH(")
		if err := encode(query, args, value); err != nil {
			return err
		}
		fmt.Fprintf(query, ") > %d, %s, ''))", target.Length, letter)
		return nil
	}
}
