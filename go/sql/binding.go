package sql

import (
	"errors"
	"fmt"
	"strings"
)

// Binding writes values of one source column into SQL so that they arrive in one target column as a native ALTER would
// have converted them. It decides once, from the two columns, how; what can be left to the server is left to it.
//
// A Binding holds no state between calls and may be used by several goroutines.
type Binding struct {
	source  Column
	target  Column
	store   encoder               // for VALUES lists
	compare encoder               // for conditions on the target column
	refuse  func(value any) error // of values that must not be stored; nil: none
}

// encoder appends one value, which is not nil, as an expression and its arguments.
type encoder func(query *strings.Builder, args *[]any, value any) error

// NewBinding returns the binding for values of source that are written to, or compared with, target. The server's time zone
// must be given if exactly one of the two is a TIMESTAMP. A column type that this version does not know is an error.
func NewBinding(source, target Column, timeZones TimeZones) (*Binding, error) {
	b := &Binding{source: source, target: target}
	store, compare, err := encodersFor(source, target, timeZones)
	if err != nil {
		return nil, fmt.Errorf("column %s %s cannot be written to %s %s: %w",
			EscapeName(source.Name), source.Type.Text, EscapeName(target.Name), target.Type.Text, err)
	}
	b.store, b.compare = store, compare
	return b, nil
}

// Append appends the value to a statement as an expression with placeholders for a VALUES list. The value is as decoded
// from the binary log, or as read by a range read; nil is NULL. An error means that the value does not fit its source
// column's type, which is a fault in what decoded it.
func (b *Binding) Append(query *strings.Builder, args *[]any, value any) error {
	if b.refuse != nil {
		if err := b.refuse(value); err != nil {
			return err
		}
	}
	return b.append(b.store, query, args, value)
}

// AppendComparable appends the value as an expression to compare the target column with, such that the comparison is exact
// and an index on the target column serves it. The value must not be nil.
func (b *Binding) AppendComparable(query *strings.Builder, args *[]any, value any) error {
	if value == nil {
		return b.nullError()
	}
	return b.append(b.compare, query, args, value)
}

func (b *Binding) nullError() error {
	return fmt.Errorf("column %s of the unique key is NULL in a row: rows cannot be told apart by NULL; remove such rows, or choose a key without nullable columns",
		EscapeName(b.source.Name))
}

func (b *Binding) append(encode encoder, query *strings.Builder, args *[]any, value any) error {
	if value == nil {
		query.WriteString("NULL")
		return nil
	}
	if err := encode(query, args, value); err != nil {
		return fmt.Errorf("value of column %s %s: %w", EscapeName(b.source.Name), b.source.Type.Text, err)
	}
	return nil
}

// encodersFor chooses how to store a value and how to compare with it; most types do both alike.
func encodersFor(source, target Column, timeZones TimeZones) (store, compare encoder, err error) {
	if target.Type.Kind == KindUnknown {
		return nil, nil, fmt.Errorf("the type %q is not known", target.Type.Text)
	}
	if target.Type.Kind == KindBit && (source.Type.Kind == KindGeometry || source.Type.Kind == KindVector) {
		return nil, nil, errors.New("such a value stands for no number; convert it to another type, or drop the column and add it")
	}
	if target.Type.Kind == KindVector && source.Type.IsTemporal() {
		return nil, nil, errors.New("such a value stands for no vector; drop the column and add it")
	}
	zones, err := newZones(source, target, timeZones)
	if err != nil {
		return nil, nil, err
	}
	native := alterConversion(source.Type, target.Type)
	switch from := source.Type; {
	case from.IsInteger():
		store = integerEncoder(from, target.Type)
	case from.Kind == KindDecimal:
		store = decimalEncoder(from, target.Type)
	case from.IsFloat():
		store = native.wrap(floatEncoder(from, target.Type))
	case from.Kind == KindBit:
		store = bitEncoder(from, target.Type)
	case from.Kind == KindYear:
		store = native.wrap(yearEncoder(target.Type))
	case from.IsTemporal():
		store = temporalEncoder(from, target.Type, zones)
	case from.IsCharacter():
		store = characterEncoder(source)
		switch {
		case refusesBlanks(source, target):
			return lostBlanksRefused(source, target.Type, store), store, nil
		case target.Type.IsInteger():
			return native.wrap(store), store, nil
		case target.Type.Kind == KindChar && !target.PadsSpaces():
			return store, wrapping{"TRIM(TRAILING ' ' FROM ", ")"}.wrap(store), nil
		}
	case from.IsBinary():
		store = binaryEncoder(from)
		switch {
		case target.Type.Kind == KindBinary:
			return store, paddedEncoder(target.Type), nil
		case target.Type.IsInteger():
			return native.wrap(store), store, nil
		}
	case from.Kind == KindEnum:
		return enumEncoders(source, target, zones)
	case from.Kind == KindSet:
		store = setEncoder(source, target)
		if places := from.labelPlaces(target.Type); target.Type.Kind == KindSet && places != nil {
			return store, setComparison(from, places), nil
		}
	case from.Kind == KindJSON:
		store = native.wrap(jsonEncoder)
	case from.Kind == KindGeometry, from.Kind == KindVector:
		store = rawEncoder
	case from.Kind == KindInet:
		store = inetEncoder(from, target.Type)
	default:
		return nil, nil, fmt.Errorf("the type %q is not known", from.Text)
	}
	store = zones.wrapText(source.Type, store)
	if target.Type.Kind == KindBit {
		store = bitEncoderOf(source.Type, target.Type, store)
	}
	return store, store, nil
}

// appendArgument is the plainest encoder's body: one placeholder.
func appendArgument(query *strings.Builder, args *[]any, argument any) {
	query.WriteByte('?')
	*args = append(*args, argument)
}

// appendText appends text of our own making, such as digits, as a string of the connection's character set.
func appendText(query *strings.Builder, args *[]any, text string) {
	query.WriteString("_utf8mb4 ?")
	*args = append(*args, text)
}

// appendNumberText appends a number's text to a target that takes text.
func appendNumberText(query *strings.Builder, args *[]any, source, target ColumnType, text string) {
	label := numberAsLabel(source, target)
	query.WriteString(label.before)
	appendText(query, args, text)
	query.WriteString(label.after)
}

// isText is true of a target that receives the text of a number or a date, byte for byte as the server would print it.
func isText(target ColumnType) bool {
	return target.IsCharacter() || target.IsBinary() || target.Kind == KindEnum || target.Kind == KindSet
}

// takesDigits is true of a target that a native ALTER gives a number's text to. MySQL's JSON reads it, and takes no number.
func takesDigits(target ColumnType) bool {
	return isText(target) || target.Kind == KindJSON
}
