package sql

import (
	"errors"
	"fmt"
	"strings"
)

// utc is the zone of TIMESTAMP values in the binary log, and of the session that applies them.
const utc = "+00:00"

// zones says how the binding moves between a TIMESTAMP, which is a moment, and types that hold local time.
type zones struct {
	server  string // the time zone in which local time is meant
	toLocal bool   // the source is a TIMESTAMP and the target is not
	toUTC   bool   // the target is a TIMESTAMP and the source is not
}

func newZones(source, target Column, timeZone string) (zones, error) {
	fromMoment, toMoment := source.Type.Kind == KindTimestamp, target.Type.Kind == KindTimestamp
	if fromMoment == toMoment || timeZone == utc {
		return zones{}, nil
	}
	if timeZone == "" {
		return zones{}, errors.New("the server's time zone, in which TIMESTAMP and local time are converted, is not given")
	}
	return zones{server: timeZone, toLocal: fromMoment, toUTC: toMoment}, nil
}

// temporalEncoder writes dates and times as their text where the target has the same type or takes text, and else as
// values of the source's type, so that the server converts from that type.
func temporalEncoder(source, target ColumnType, zones zones) encoder {
	cast := "CAST(? AS " + castType(source) + ")"
	return func(query *strings.Builder, args *[]any, value any) error {
		text, ok := textOf(value)
		if !ok {
			return unexpected(value)
		}
		switch {
		case source.Kind == target.Kind:
			appendArgument(query, args, text)
		case isZeroDate(text) && (target.IsNumeric() || target.Kind == KindBit):
			appendArgument(query, args, int64(0)) // no number is made of its text
		case isZeroDate(text):
			appendText(query, args, withDecimals(source, text))
		case zones.toLocal && isText(target):
			fmt.Fprintf(query, "CAST(CONVERT_TZ(%s, '+00:00', ?) AS CHAR)", cast)
			*args = append(*args, text, zones.server)
		case zones.toLocal:
			fmt.Fprintf(query, "CONVERT_TZ(%s, '+00:00', ?)", cast)
			*args = append(*args, text, zones.server)
		case zones.toUTC:
			appendLocalAsUTC(query, args, cast, text, zones.server)
		case isText(target):
			appendText(query, args, withDecimals(source, text))
		default:
			query.WriteString(cast)
			*args = append(*args, text)
		}
		return nil
	}
}

// castType is the source's type as CAST takes it; a TIMESTAMP is a DATETIME there.
func castType(column ColumnType) string {
	switch column.Kind {
	case KindDate:
		return "DATE"
	case KindTime:
		return fmt.Sprintf("TIME(%d)", column.Decimals)
	default:
		return fmt.Sprintf("DATETIME(%d)", column.Decimals)
	}
}

// withDecimals shows all digits of the seconds that the column has, as the server does; a decoded text may lack them.
func withDecimals(column ColumnType, text string) string {
	if column.Decimals == 0 {
		return text
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if missing := column.Decimals - len(fraction); missing > 0 {
		fraction += strings.Repeat("0", missing)
	}
	return whole + "." + fraction
}

// isZeroDate is true of the zero date with or without a time, which stands for itself in every zone.
func isZeroDate(text string) bool {
	return strings.HasPrefix(text, "0000-00-00")
}

// appendLocalAsUTC converts local time as a native ALTER would. A time that the clock skipped is refused, as it is there:
// the text in its place is no date, so that the server ends the statement with it in the message.
func appendLocalAsUTC(query *strings.Builder, args *[]any, local string, argument any, zone string) {
	fmt.Fprintf(query, "IF(CONVERT_TZ(CONVERT_TZ(%[1]s, ?, '+00:00'), '+00:00', ?) = %[1]s, CONVERT_TZ(%[1]s, ?, '+00:00'), "+
		"CONCAT('no such local time: ', %[1]s))", local)
	*args = append(*args, argument, zone, zone, argument, argument, zone, argument)
}

// wrapText converts local time that comes as something else than a date type, such as text or a number, to a TIMESTAMP.
func (z zones) wrapText(source ColumnType, encode encoder) encoder {
	if !z.toUTC || source.IsTemporal() {
		return encode
	}
	return func(query *strings.Builder, args *[]any, value any) error {
		var inner strings.Builder
		var innerArgs []any
		if err := encode(&inner, &innerArgs, value); err != nil {
			return err
		}
		if text, ok := textOf(value); (ok && isZeroDate(text)) || len(innerArgs) != 1 {
			query.WriteString(inner.String())
			*args = append(*args, innerArgs...)
			return nil
		}
		appendLocalAsUTC(query, args, "CAST("+inner.String()+" AS DATETIME(6))", innerArgs[0], z.server)
		return nil
	}
}
