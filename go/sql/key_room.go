package sql

import (
	"slices"
	"unicode/utf8"
)

// HasRoomForAll tells whether the target takes each value of the source. Where sql_mode is strict, what it does not take is
// refused; elsewhere the server makes the next best of it, which may be what another value becomes. It is about conversions that
// keep values apart as long as they fit.
func (s SharedColumn) HasRoomForAll() bool {
	source, target := s.Source.Type, s.Target.Type
	const digits, address = 20, 39 // of a BIGINT with its sign, of an IPv6 address; a UUID has 36
	switch {
	case source.IsInteger() && target.IsInteger():
		return widensInteger(source, target)
	case source.IsInteger() && target.Kind == KindDecimal:
		return target.Length-target.Decimals >= digits && (source.Unsigned || !target.Unsigned)
	case source.IsInteger():
		return target.isLong() || target.Length >= max(digits, source.Length)
	case source.Kind == KindInet && target.Kind != KindInet:
		return target.isLong() || target.Length >= address
	case source.Kind == KindEnum && target.IsCharacter():
		longest := slices.MaxFunc(source.Labels, func(a, b string) int { return utf8.RuneCountInString(a) - utf8.RuneCountInString(b) })
		return (target.isLong() || target.Length >= utf8.RuneCountInString(longest)) && (s.Source.Charset == s.Target.Charset || s.Target.Charset == "utf8mb4")
	case source.Kind == KindEnum && target.Kind == KindEnum, source.Kind == KindSet && target.Kind == KindSet:
		return target.HoldsLabels(source)
	case source.Kind == KindBinary && target.Kind == KindBinary, source.Kind == KindVarChar && target.Kind == KindChar && s.Source.Charset == s.Target.Charset:
		return target.Length >= source.Length
	case source.Kind == KindDecimal && target.Unsigned && !source.Unsigned:
		return false
	case source.Kind == KindDouble && target.Kind == KindDouble:
		return !target.FixedDecimals && (source.Unsigned || !target.Unsigned)
	}
	return isNamedAlike(s)
}
