package server

import (
	"fmt"
	"math"
	"strconv"
)

const noUpperBound = math.MaxInt64

// integer is a setting that is a whole number. What lies outside the bounds is taken for the nearer one.
func integer(least, most int64, get func(Controls) int64, set func(Controls, int64)) func(*request) error {
	return func(r *request) error {
		if r.argument == ask {
			return r.value(get(r.controls))
		}
		number, err := strconv.ParseInt(r.argument, 10, 64)
		if err != nil {
			return fmt.Errorf("%s=%s is not an integer; give one, as in %s=%d", r.name, printable(r.argument), r.name, get(r.controls))
		}
		set(r.controls, min(max(number, least), most))
		return r.status()
	}
}

// float is a setting that is a number, with bounds as for integer.
func float(least, most float64, get func(Controls) float64, set func(Controls, float64)) func(*request) error {
	return func(r *request) error {
		if r.argument == ask {
			return r.value(strconv.FormatFloat(get(r.controls), 'f', -1, 64))
		}
		number, err := strconv.ParseFloat(r.argument, 64)
		if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
			return fmt.Errorf("%s=%s is not a number; give one, as in %s=0.5", r.name, printable(r.argument), r.name)
		}
		set(r.controls, min(max(number, least), most))
		return r.status()
	}
}

// list is a setting whose text the migration parses. An empty one clears it; one that does not parse changes nothing.
func list(get func(Controls) string, set func(Controls, string) error) func(*request) error {
	return func(r *request) error {
		if r.argument == ask {
			return r.value(get(r.controls))
		}
		if err := set(r.controls, r.argument); err != nil {
			return err
		}
		return r.status()
	}
}

// throttleInput is a setting that may hold the migration back for long. Any text will do; an empty one clears it.
func throttleInput(get func(Controls) string, set func(Controls, string)) func(*request) error {
	return func(r *request) error {
		if r.argument == ask {
			return r.value(get(r.controls))
		}
		set(r.controls, r.argument)
		return r.noteAndStatus()
	}
}
