package sql

import (
	"errors"
	"fmt"
	"strings"
)

// zones says how the binding moves between a TIMESTAMP, which is a moment, and types that hold local time.
type zones struct {
	TimeZones
	toLocal bool // the source is a TIMESTAMP and the target is not
	toUTC   bool // the target is a TIMESTAMP and the source is not, in a session that does not convert it by itself
	moments bool // both are TIMESTAMP, in a local session
}

func newZones(source, target Column, timeZones TimeZones) (zones, error) {
	fromMoment, toMoment := source.Type.Kind == KindTimestamp, target.Type.Kind == KindTimestamp
	if (!fromMoment && !toMoment) || timeZones.areUTC() {
		return zones{}, nil
	}
	if fromMoment && toMoment {
		return zones{TimeZones: timeZones, moments: timeZones.Local}, nil
	}
	if timeZones.Server == "" {
		return zones{}, errors.New("the server's time zone, in which TIMESTAMP and local time are converted, is not given")
	}
	return zones{TimeZones: timeZones, toLocal: fromMoment, toUTC: toMoment && !timeZones.Local}, nil
}

// temporalEncoder writes dates and times as their text where the target has the same type or takes text, and else as
// values of the source's type, so that the server converts from that type.
func temporalEncoder(source, target ColumnType, zones zones) encoder {
	cast, native := "CAST(? AS "+castType(source)+")", alterConversion(source, target)
	return func(query *strings.Builder, args *[]any, value any) error {
		text, ok := textOf(value)
		if !ok {
			return unexpected(value)
		}
		switch {
		case zones.moments && !isZeroDate(text):
			zones.appendMoment(query, args, text, target)
		case source.Kind == target.Kind:
			appendArgument(query, args, text)
		case isZeroDate(text) && (target.IsNumeric() || target.Kind == KindBit):
			appendArgument(query, args, int64(0)) // no number is made of its text
		case isZeroDate(text) && target.Kind == KindYear:
			query.WriteString(zeroAsYear)
		case isZeroDate(text) && source.Kind == KindDate && target.Kind == KindTime:
			appendText(query, args, text+" 00:00:00") // which alone is no time
		case isZeroDate(text):
			appendText(query, args, withDecimals(source, text))
		case zones.toLocal && isText(target):
			fmt.Fprintf(query, "CAST(CONVERT_TZ(%s, '+00:00', ?) AS CHAR)", cast)
			*args = append(*args, text, zones.Server)
		case zones.toLocal:
			query.WriteString(native.of("CONVERT_TZ(" + cast + ", '+00:00', ?)"))
			*args = append(*args, text, zones.Server)
		case zones.toUTC:
			zones.appendLocalAsUTC(query, args, cast, "?", []any{text})
		case isText(target):
			appendText(query, args, withDecimals(source, text))
		default:
			query.WriteString(native.of(cast))
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

// meansZeroDate is isZeroDate for values of any type.
func meansZeroDate(source ColumnType, value any) bool {
	if source.IsNumeric() || source.Kind == KindBit || source.Kind == KindYear {
		return strings.Trim(fmt.Sprint(value), "-0.") == ""
	}
	text, ok := textOf(value)
	return ok && isZeroDate(text)
}

// appendMoment writes a moment, given in UTC, in a local session. Literals with an offset have no more decimals than the
// target: MySQL 9.7 forgets the offset of one that it has to round.
func (z zones) appendMoment(query *strings.Builder, args *[]any, text string, target ColumnType) {
	if _, fraction, _ := strings.Cut(text, "."); z.OffsetLiterals && len(fraction) > target.Decimals {
		fmt.Fprintf(query, "CONCAT(CAST(? AS DATETIME(%d)), '+00:00')", target.Decimals)
		*args = append(*args, text)
		return
	}
	if z.OffsetLiterals {
		appendArgument(query, args, text+utc)
		return
	}
	// The server makes of a local time that occurs twice the one moment that CONVERT_TZ makes of it.
	query.WriteString("IF(CONVERT_TZ(CONVERT_TZ(?, '+00:00', ?), ?, '+00:00') = ?, CONVERT_TZ(?, '+00:00', ?), CONCAT('local time occurs twice for the moment in UTC: ', ?))")
	*args = append(*args, text, z.Server, z.Server, text, text, z.Server, text)
}

// appendLocalAsUTC converts local time as a native ALTER would. A time that the clock skipped is refused, as it is there:
// the text in its place is no date, so that the server ends the statement with it in the message. value is what local, an
// expression of the same arguments, was made of; it is NULL only where there was no value.
func (z zones) appendLocalAsUTC(query *strings.Builder, args *[]any, local, value string, arguments []any) {
	fmt.Fprintf(query, localAsUTC, local, "?", value)
	*args = append(*args, arguments...)
	*args = append(*args, z.Server, z.Server)
	for range 2 {
		*args = append(*args, arguments...)
	}
	*args = append(*args, z.Server)
	*args = append(*args, arguments...)
}

// localAsUTC is made of an expression of local time, one of the server's zone, and the value to name in a refusal.
const localAsUTC = "IF(CONVERT_TZ(CONVERT_TZ(%[1]s, %[2]s, '+00:00'), '+00:00', %[2]s) = %[1]s, CONVERT_TZ(%[1]s, %[2]s, '+00:00'), " +
	"CONCAT('no such local time: ', CONVERT(%[3]s USING utf8mb4)))"

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
		if meansZeroDate(source, value) {
			query.WriteString(inner.String())
			*args = append(*args, innerArgs...)
			return nil
		}
		z.appendLocalAsUTC(query, args, "CAST("+inner.String()+" AS DATETIME(6))", inner.String(), innerArgs)
		return nil
	}
}

// copyExpression is how the copy selects a column of one of these types, whose escaped name is given.
func (z zones) copyExpression(source, target ColumnType, name string) string {
	zone := textLiteral(z.Server)
	switch {
	case z.moments && z.OffsetLiterals: // MySQL's copy of a TIMESTAMP goes by its local time
		return fmt.Sprintf("IF(%[1]s = 0, %[1]s, CONCAT(CAST(TIMESTAMP('1970-01-01') + INTERVAL UNIX_TIMESTAMP(%[1]s) SECOND AS DATETIME(%[2]d)), '+00:00'))", name, min(source.Decimals, target.Decimals))
	case z.toLocal && !z.Local && isText(target):
		return "CAST(" + asLocal(name, zone) + " AS CHAR)"
	case z.toLocal && !z.Local && (target.IsNumeric() || target.Kind == KindBit):
		return asLocalNumber(source, target, name, zone)
	case z.toLocal && !z.Local:
		return asLocal(name, zone)
	case z.toUTC:
		local := name
		if !source.IsTemporal() {
			local = "CAST(" + name + " AS DATETIME(6))"
		}
		return fmt.Sprintf("IF(%s, '0000-00-00 00:00:00', %s)", isZero(source, name), fmt.Sprintf(localAsUTC, local, zone, name))
	}
	return name
}

// asLocal turns a TIMESTAMP, read at +00:00, into local time. The zero date, which is none, stands for itself.
func asLocal(name, zone string) string {
	return fmt.Sprintf("IF(%[1]s = 0, %[1]s, CONVERT_TZ(%[1]s, '+00:00', %[2]s))", name, zone)
}

// asLocalNumber is asLocal for a number. A whole number is made of whole seconds, rounded as times are.
func asLocalNumber(source, target ColumnType, name, zone string) string {
	decimals := source.Decimals
	if target.IsInteger() || target.Kind == KindBit {
		decimals = 0
	}
	return fmt.Sprintf("IF(%[1]s = 0, 0, CAST(CONVERT_TZ(%[1]s, '+00:00', %[2]s) AS DATETIME(%[3]d)) + 0)", name, zone, decimals)
}

// isZero is the condition of a value that means the zero date.
func isZero(source ColumnType, name string) string {
	switch {
	case source.IsTemporal():
		return name + " = 0"
	case source.IsNumeric(), source.Kind == KindBit, source.Kind == KindYear:
		return "CAST(" + name + " AS DATETIME) = 0"
	}
	return name + " LIKE '0000-00-00%'"
}
