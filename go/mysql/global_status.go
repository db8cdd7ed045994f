package mysql

import (
	"context"
	gosql "database/sql"
	"fmt"
	"math"
	"strconv"
)

// GlobalStatus returns one counter of SHOW GLOBAL STATUS. For a name that the server does not know the error is
// sql.ErrNoRows itself, whose text is what status lines show.
func GlobalStatus(ctx context.Context, q Querier, name string) (int64, error) {
	values, err := GlobalStatuses(ctx, q, name)
	if err != nil {
		return 0, err
	}
	value, ok := values[name]
	if !ok {
		return 0, gosql.ErrNoRows
	}
	return value, nil
}

// GlobalStatuses returns several counters in one round trip; the server adds them up over all sessions once. A name
// that the server does not know is missing in the result.
func GlobalStatuses(ctx context.Context, q Querier, names ...string) (map[string]int64, error) {
	texts, err := showNamed(ctx, q, "SHOW /* gh-ost */ GLOBAL STATUS", names)
	if err != nil {
		return nil, fmt.Errorf("reading global status: %w", err)
	}
	values := make(map[string]int64, len(texts))
	for name, text := range texts {
		if values[name], err = parseCounter(text); err != nil {
			return nil, fmt.Errorf("status variable %s: %w", name, err)
		}
	}
	return values, nil
}

// parseCounter reads what a status variable holds: mostly whole numbers, some with a fraction, which is dropped. What
// is beyond an int64 is cut to its limit: it is compared with thresholds only.
func parseCounter(text string) (int64, error) {
	if value, err := strconv.ParseInt(text, 10, 64); err == nil {
		return value, nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(value) {
		return 0, fmt.Errorf("its value %q is not a number, so no threshold can be set on it", text)
	}
	switch {
	case value >= math.MaxInt64:
		return math.MaxInt64, nil
	case value <= math.MinInt64:
		return math.MinInt64, nil
	}
	return int64(value), nil
}
