package sql

import "strings"

// wrapping is SQL around an expression of the source's type, such that an INSERT converts it as an ALTER would. The zero value
// leaves that to the server.
type wrapping struct{ before, after string }

func (w wrapping) of(expression string) string { return w.before + expression + w.after }

// wrap lets the encoder's expressions be wrapped.
func (w wrapping) wrap(encode encoder) encoder {
	if w == (wrapping{}) {
		return encode
	}
	return func(query *strings.Builder, args *[]any, value any) error {
		query.WriteString(w.before)
		if err := encode(query, args, value); err != nil {
			return err
		}
		query.WriteString(w.after)
		return nil
	}
}

// Comments that one of the servers reads as code. No name stands within them: it could hold the end of a comment.
const (
	mysqlOnly   = "/*!50700 "
	mariadbOnly = "/*M! "
	onlyEnd     = " */"
)

func forMySQL(before, after string) wrapping {
	return wrapping{onlyThere(mysqlOnly, before), onlyThere(mysqlOnly, after)}
}

func forMariaDB(before, after string) wrapping {
	return wrapping{onlyThere(mariadbOnly, before), onlyThere(mariadbOnly, after)}
}

func onlyThere(server, code string) string {
	if code == "" {
		return ""
	}
	return server + code + onlyEnd
}

// alterConversion wraps what an ALTER converts by another way than an INSERT does:
//   - strings to integers: MariaDB's ALTER refuses '1.5' and '1e2', which its INSERT rounds;
//   - JSON to numbers and times: the ALTER of MySQL reads the text, which has 12.5 rounded and true refused; to the INSERT, true
//     is 1, 12.5 an integer of 12, and "12" a number. Only to a DECIMAL both convert alike;
//   - dates and times to YEAR: the ALTER of MySQL takes them as numbers, an INSERT the year of a date, and today's of a time;
//   - FLOAT and DOUBLE to YEAR: the ALTER of MySQL rounds, an INSERT cuts the fraction off;
//   - FLOAT and DOUBLE to fewer digits: MySQL copies the bytes, and so keeps digits that the column does not show; rows that are
//     applied could not have them, so those that are copied shall not either;
//   - YEAR to dates: the ALTER of MariaDB reads its digits, and finds no date in 0000.
//
// Other conversions of that kind are in numberAsDate, numberAsLabel, bitFormat and zones.
func alterConversion(source, target ColumnType) wrapping {
	switch {
	case (source.IsCharacter() || source.IsBinary()) && target.IsInteger():
		return forMariaDB("CAST(", "AS SIGNED)")
	case source.Kind == KindJSON && (target.IsInteger() || target.IsFloat() || target.Kind == KindYear || target.IsTemporal()):
		return wrapping{"CAST(", " AS CHAR)"}
	case source.IsTemporal() && target.Kind == KindYear:
		return forMySQL("ROUND(", "+ 0)")
	case source.IsFloat() && target.Kind == KindYear:
		return forMySQL("ROUND(", ")")
	case source.IsFloat() && target.IsFloat() && target.FixedDecimals && source.Text != target.Text:
		return wrapping{"", " + 0e0"}
	case source.Kind == KindYear && target.hasDate():
		return forMariaDB("CONCAT(", ")")
	}
	return wrapping{}
}

// zeroAsYear is the zero date for a YEAR, whose number MySQL's ALTER takes. MariaDB's refuses all dates.
const zeroAsYear = mysqlOnly + "0" + onlyEnd + mariadbOnly + "'0000-00-00'" + onlyEnd

// numberAsLabel wraps the text of a number whose target is an ENUM or SET. There MySQL's ALTER looks for a label that reads like
// the number, while MariaDB's takes the number, rounded, as index or mask: code to MariaDB alone.
func numberAsLabel(source, target ColumnType) wrapping {
	switch {
	case target.Kind != KindEnum && target.Kind != KindSet:
		return wrapping{}
	case source.IsFloat():
		return forMariaDB("ROUND(", ")")
	case source.Kind == KindDecimal:
		return forMariaDB("CAST(CAST(", "AS DECIMAL(65)) AS SIGNED)")
	case source.IsInteger() && !source.Unsigned:
		return forMariaDB("CAST(", "AS SIGNED)")
	}
	return forMariaDB("CAST(", "AS UNSIGNED)")
}
