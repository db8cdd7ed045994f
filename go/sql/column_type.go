package sql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind says what a column stores. It is what code decides on; the text of a type is for people.
type Kind uint8

// The kinds of columns. KindGeometry stands for all spatial types, KindInet for MariaDB's fixed-size binary types that
// are written as text (inet4, inet6, uuid), KindUnknown for types that this version has not heard of.
const (
	KindUnknown Kind = iota
	KindTinyInt
	KindSmallInt
	KindMediumInt
	KindInt
	KindBigInt
	KindDecimal
	KindFloat
	KindDouble
	KindBit
	KindYear
	KindDate
	KindTime
	KindDateTime
	KindTimestamp
	KindChar
	KindVarChar
	KindTinyText
	KindText
	KindMediumText
	KindLongText
	KindBinary
	KindVarBinary
	KindTinyBlob
	KindBlob
	KindMediumBlob
	KindLongBlob
	KindEnum
	KindSet
	KindJSON
	KindGeometry
	KindVector
	KindInet
)

var kindsByName = map[string]Kind{
	"tinyint": KindTinyInt, "smallint": KindSmallInt, "mediumint": KindMediumInt, "int": KindInt, "integer": KindInt, "bigint": KindBigInt,
	"decimal": KindDecimal, "numeric": KindDecimal, "float": KindFloat, "double": KindDouble, "real": KindDouble,
	"bit": KindBit, "year": KindYear, "date": KindDate, "time": KindTime, "datetime": KindDateTime, "timestamp": KindTimestamp,
	"char": KindChar, "varchar": KindVarChar,
	"tinytext": KindTinyText, "text": KindText, "mediumtext": KindMediumText, "longtext": KindLongText,
	"binary": KindBinary, "varbinary": KindVarBinary,
	"tinyblob": KindTinyBlob, "blob": KindBlob, "mediumblob": KindMediumBlob, "longblob": KindLongBlob,
	"enum": KindEnum, "set": KindSet, "json": KindJSON, "vector": KindVector,
	"geometry": KindGeometry, "point": KindGeometry, "linestring": KindGeometry, "polygon": KindGeometry,
	"multipoint": KindGeometry, "multilinestring": KindGeometry, "multipolygon": KindGeometry,
	"geometrycollection": KindGeometry, "geomcollection": KindGeometry,
	"inet4": KindInet, "inet6": KindInet, "uuid": KindInet,
}

// ColumnType is a column's type, parsed once from the server's text.
type ColumnType struct {
	Text     string // as the server wrote it
	Name     string // the type's own word in lower case, such as "multipoint" or "inet6"
	Kind     Kind
	Unsigned bool
	ZeroFill bool
	// Length is the first number in the parentheses: characters or bytes of a string, total digits of a DECIMAL, FLOAT
	// or DOUBLE, bits, dimensions of a VECTOR, display width of an integer. Zero if the text has none.
	// Of a temporal type it is zero; see Decimals.
	Length int
	// Decimals is the number of digits after the point: of a DECIMAL, of a FLOAT or DOUBLE that declares them (see
	// FixedDecimals), and of the seconds of a temporal type.
	Decimals int
	// FixedDecimals is true if a FLOAT or DOUBLE declares its digits, as in double(10,2).
	FixedDecimals bool
	Labels        []string // of ENUM and SET, in the order of definition, unquoted, as UTF-8
}

// ParseColumnType reads the text of information_schema.columns.COLUMN_TYPE. A type it does not know gives KindUnknown
// and no error; an error means that the text is not a column type at all.
func ParseColumnType(columnType string) (ColumnType, error) {
	parser := typeParser{text: columnType, rest: stripComments(columnType)}
	return parser.parse()
}

// typeParser walks over the text of one type; rest is what it has not read yet.
type typeParser struct {
	text string
	rest string
}

func (p *typeParser) parse() (ColumnType, error) {
	result := ColumnType{Text: p.text}
	result.Name = strings.ToLower(p.word())
	if result.Name == "" {
		return result, p.errorf("it does not begin with a type's name")
	}
	result.Kind = kindsByName[result.Name]
	if result.Kind == KindDouble && strings.HasPrefix(strings.ToLower(p.rest), "precision") {
		p.word()
	}

	if p.accept('(') {
		arguments, err := p.arguments()
		if err != nil {
			return result, err
		}
		if err := result.setArguments(arguments); err != nil {
			return result, p.errorf("%w", err)
		}
	}
	for word := p.word(); word != ""; word = p.word() {
		switch strings.ToLower(word) {
		case "unsigned":
			result.Unsigned = true
		case "zerofill":
			result.ZeroFill, result.Unsigned = true, true
		}
	}
	result.setDefaults()
	return result, nil
}

// typeArgument is one item in a type's parentheses: a label of ENUM and SET, or a number.
type typeArgument struct {
	value  string
	quoted bool
}

func (p *typeParser) arguments() (arguments []typeArgument, err error) {
	for {
		var argument typeArgument
		p.skipBlanks()
		if strings.HasPrefix(p.rest, "'") {
			argument.quoted = true
			if argument.value, err = p.quoted(); err != nil {
				return nil, err
			}
		} else if argument.value = p.word(); argument.value == "" {
			return nil, p.errorf("an argument is missing at %q", p.rest)
		}
		arguments = append(arguments, argument)
		switch {
		case p.accept(','):
		case p.accept(')'):
			return arguments, nil
		default:
			return nil, p.errorf("a closing parenthesis is missing at %q", p.rest)
		}
	}
}

// quoted reads a label. The servers write it with quotes doubled and with backslash escapes for the backslash, the zero
// byte and line breaks.
func (p *typeParser) quoted() (string, error) {
	var label strings.Builder
	text := p.rest[1:]
	for i := 0; i < len(text); i++ {
		switch char := text[i]; char {
		case '\'':
			if i+1 == len(text) || text[i+1] != '\'' {
				p.rest = text[i+1:]
				return label.String(), nil
			}
			label.WriteByte('\'')
			i++
		case '\\':
			if i++; i == len(text) {
				return "", p.errorf("a label does not end")
			}
			label.WriteByte(unescapedByte(text[i]))
		default:
			label.WriteByte(char)
		}
	}
	return "", p.errorf("a label does not end")
}

func unescapedByte(char byte) byte {
	switch char {
	case '0':
		return 0
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default:
		return char
	}
}

func (p *typeParser) skipBlanks() {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
}

func (p *typeParser) accept(char byte) bool {
	p.skipBlanks()
	if p.rest == "" || p.rest[0] != char {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// word reads a run of characters up to a blank or punctuation; "" at the end or at punctuation.
func (p *typeParser) word() string {
	p.skipBlanks()
	end := strings.IndexAny(p.rest, " \t\r\n(),'")
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word
}

func (p *typeParser) errorf(format string, args ...any) error {
	return fmt.Errorf("cannot read the column type %q: "+format, append([]any{p.text}, args...)...)
}

func (t *ColumnType) setArguments(arguments []typeArgument) error {
	if t.Kind == KindEnum || t.Kind == KindSet {
		for _, argument := range arguments {
			if !argument.quoted {
				return fmt.Errorf("%q is not a quoted label", argument.value)
			}
			t.Labels = append(t.Labels, argument.value)
		}
		return nil
	}
	if t.Kind == KindUnknown {
		return nil
	}
	numbers := make([]int, 0, 2)
	for _, argument := range arguments {
		number, err := strconv.Atoi(argument.value)
		if err != nil || argument.quoted || number < 0 {
			return fmt.Errorf("%q is not a length", argument.value)
		}
		numbers = append(numbers, number)
	}
	if len(numbers) > 2 {
		return fmt.Errorf("it has %d lengths", len(numbers))
	}
	switch t.Kind {
	case KindTime, KindDateTime, KindTimestamp:
		t.Decimals = numbers[0]
		return nil
	}
	t.Length = numbers[0]
	if len(numbers) == 2 {
		t.Decimals = numbers[1]
		t.FixedDecimals = t.IsFloat()
	}
	return nil
}

func (t *ColumnType) setDefaults() {
	switch {
	case t.Length != 0:
	case t.Kind == KindBit, t.Kind == KindChar, t.Kind == KindBinary:
		if !strings.Contains(t.Text, "(") {
			t.Length = 1
		}
	case t.Kind == KindDecimal:
		t.Length = 10
	case t.Kind == KindInet:
		t.Length = map[string]int{"inet4": 4, "inet6": 16, "uuid": 16}[t.Name]
	}
}

// stripComments removes the comments that servers add to a type, such as the one that marks MariaDB's compressed columns.
// A comment's opening within a quoted label is part of the label.
func stripComments(text string) string {
	var result strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		if text[i] == '\'' {
			quoted = !quoted // a doubled quote toggles twice
		} else if quoted && text[i] == '\\' && i+1 < len(text) {
			result.WriteByte(text[i])
			i++
		} else if !quoted && strings.HasPrefix(text[i:], "/*") {
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return result.String()
			}
			i += 2 + end + 1
			continue
		}
		result.WriteByte(text[i])
	}
	return result.String()
}

// String returns the server's text of the type.
func (t ColumnType) String() string {
	return t.Text
}

// IsInteger is true of the five integer types. BIT and YEAR do not count.
func (t ColumnType) IsInteger() bool {
	return t.Kind >= KindTinyInt && t.Kind <= KindBigInt
}

// IsFloat is true of FLOAT and DOUBLE.
func (t ColumnType) IsFloat() bool {
	return t.Kind == KindFloat || t.Kind == KindDouble
}

// IsNumeric is true of integers, DECIMAL, FLOAT and DOUBLE.
func (t ColumnType) IsNumeric() bool {
	return t.Kind >= KindTinyInt && t.Kind <= KindDouble
}

// IsTemporal is true of DATE, TIME, DATETIME and TIMESTAMP. YEAR does not count: it is a number.
func (t ColumnType) IsTemporal() bool {
	return t.Kind >= KindDate && t.Kind <= KindTimestamp
}

// hasDate is true of DATE, DATETIME and TIMESTAMP.
func (t ColumnType) hasDate() bool {
	return t.IsTemporal() && t.Kind != KindTime
}

// IsCharacter is true of CHAR, VARCHAR and the TEXT types. ENUM and SET have a character set too, but do not count.
func (t ColumnType) IsCharacter() bool {
	return t.Kind >= KindChar && t.Kind <= KindLongText
}

// IsBinary is true of BINARY, VARBINARY and the BLOB types.
func (t ColumnType) IsBinary() bool {
	return t.Kind >= KindBinary && t.Kind <= KindLongBlob
}

// isLong is true of the TEXT and BLOB types.
func (t ColumnType) isLong() bool {
	return t.Kind >= KindTinyText && t.Kind <= KindLongText || t.Kind >= KindTinyBlob && t.Kind <= KindLongBlob
}

// bits is the width of an integer type.
func (t ColumnType) bits() uint {
	switch t.Kind {
	case KindTinyInt:
		return 8
	case KindSmallInt:
		return 16
	case KindMediumInt:
		return 24
	case KindInt:
		return 32
	default:
		return 64
	}
}

// labelPlaces are the places in the other type of this one's labels; nil if it lacks one of them.
func (t ColumnType) labelPlaces(other ColumnType) []int {
	places := make([]int, len(t.Labels))
	for i, label := range t.Labels {
		if places[i] = slices.Index(other.Labels, label); places[i] < 0 {
			return nil
		}
	}
	return places
}

// HoldsLabels is true if each label of the other ENUM or SET is one of this.
func (t ColumnType) HoldsLabels(other ColumnType) bool {
	return other.labelPlaces(t) != nil
}

// sameLabels is true if both types list the same labels in the same order.
func (t ColumnType) sameLabels(other ColumnType) bool {
	if len(t.Labels) != len(other.Labels) {
		return false
	}
	for i, label := range t.Labels {
		if label != other.Labels[i] {
			return false
		}
	}
	return true
}
