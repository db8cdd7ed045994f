package sql

import (
	"fmt"
	"strings"
)

// packedDateTime reads a moment packed in a number: from the highest bits, year times 13 plus month, day (5 bits),
// hour (5), minute (6), second (6) and microseconds (24).
func packedDateTime(packed int64) string {
	micros, seconds := packed&(1<<24-1), packed>>24
	date, clock := seconds>>17, seconds&(1<<17-1)
	month := date >> 5
	return fmt.Sprintf("%04d-%02d-%02d %02d:%02d:%02d.%06d", month/13, month%13, date&31, clock>>12, clock>>6&63, clock&63, micros)
}

// packedTime reads a time, which may be negative as a whole: hours (10 bits), minutes (6), seconds (6), microseconds (24).
func packedTime(packed int64) string {
	sign := ""
	if packed < 0 {
		sign, packed = "-", -packed
	}
	micros, seconds := packed&(1<<24-1), packed>>24
	return fmt.Sprintf("%s%02d:%02d:%02d.%06d", sign, seconds>>12&1023, seconds>>6&63, seconds&63, micros)
}

// decodeJSONDecimal reads precision, scale, and the binary form of DECIMAL: groups of nine digits in four bytes, counted
// from the point, an incomplete group at either end in fewer; the first bit is inverted, and all bits of negative numbers.
func decodeJSONDecimal(data []byte) (precision, scale int, text string, err error) {
	if len(data) < 2 {
		return 0, 0, "", errJSONTruncated
	}
	precision, scale = int(data[0]), int(data[1])
	whole := precision - scale
	if precision == 0 || whole < 0 {
		return 0, 0, "", fmt.Errorf("the JSON document has a DECIMAL(%d,%d)", precision, scale)
	}
	groups := decimalGroups(whole, scale)
	size := 0
	for _, digits := range groups {
		size += decimalGroupBytes[digits]
	}
	if len(data) < 2+size {
		return 0, 0, "", errJSONTruncated
	}
	number := append([]byte(nil), data[2:2+size]...)
	number[0] ^= 0x80
	negative := number[0]&0x80 != 0
	if negative {
		for i := range number {
			number[i] ^= 0xff
		}
	}
	var result strings.Builder
	for _, digits := range groups {
		value := 0
		for range decimalGroupBytes[digits] {
			value = value<<8 | int(number[0])
			number = number[1:]
		}
		fmt.Fprintf(&result, "%0*d", digits, value)
	}
	text = result.String()
	text = text[:whole] + "." + text[whole:]
	text = strings.TrimSuffix(strings.TrimLeft(text, "0"), ".")
	if text == "" || text[0] == '.' {
		text = "0" + text
	}
	if negative {
		text = "-" + text
	}
	return precision, scale, text, nil
}

// decimalGroupBytes is how many bytes a group of so many digits takes.
var decimalGroupBytes = [...]int{0, 1, 1, 2, 2, 3, 3, 4, 4, 4}

const decimalGroupDigits = 9

// decimalGroups returns the groups' numbers of digits, from the left.
func decimalGroups(whole, scale int) []int {
	var groups []int
	if rest := whole % decimalGroupDigits; rest > 0 {
		groups = append(groups, rest)
	}
	for range whole/decimalGroupDigits + scale/decimalGroupDigits {
		groups = append(groups, decimalGroupDigits)
	}
	if rest := scale % decimalGroupDigits; rest > 0 {
		groups = append(groups, rest)
	}
	return groups
}
