package main

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// flagSpec is all there is to know about one flag.
type flagSpec struct {
	name        string
	kind        string // as shown to users: bool, string, int, uint, float, list
	defaultText string // as shown to users
	help        string
	set         func(text string) error // writes the value to where it belongs
	requirement string                  // what the value must be, in words; empty: anything of its kind
	words       []string                // values worth offering in a shell
	pathKind    pathKind                // what kind of path the value is
}

// pathKind says which names of the file system a shell offers for a value.
type pathKind uint8

const (
	noPath pathKind = iota
	filePath
	directoryPath
)

// flagGroup is a group of flags under one title.
type flagGroup struct {
	title string
	flags []flagSpec
}

// offering names the values that a shell offers; others may be taken as well.
func (f flagSpec) offering(words ...string) flagSpec {
	f.words = words
	return f
}

// file marks a flag whose value is the path of a file.
func (f flagSpec) file() flagSpec {
	f.pathKind = filePath
	return f
}

// directory marks a flag whose value is the path of a directory.
func (f flagSpec) directory() flagSpec {
	f.pathKind = directoryPath
	return f
}

// check adds a condition on the value, with what must be true of it in words.
func (f flagSpec) check(requirement string, holds func(text string) bool) flagSpec {
	set := f.set
	f.requirement = requirement
	f.set = func(text string) error {
		if err := set(text); err != nil {
			return err
		}
		if !holds(text) {
			return fmt.Errorf("allowed: %s", requirement)
		}
		return nil
	}
	return f
}

// within bounds a number. math.MaxInt64 as the upper end means that there is none.
func (f flagSpec) within(low, high int64) flagSpec {
	requirement := fmt.Sprintf("%d to %d", low, high)
	if high == math.MaxInt64 {
		requirement = fmt.Sprintf("%d or more", low)
	}
	return f.check(requirement, func(text string) bool {
		number, err := strconv.ParseFloat(text, 64)
		if whole, wholeErr := strconv.ParseInt(text, 0, 64); wholeErr == nil {
			number, err = float64(whole), nil
		}
		return err == nil && number >= float64(low) && (high == math.MaxInt64 || number <= float64(high))
	})
}

func stringFlag(target *string, name, defaultValue, help string) flagSpec {
	*target = defaultValue
	return flagSpec{name: name, kind: "string", defaultText: defaultValue, help: help, set: func(text string) error {
		*target = text
		return nil
	}}
}

func boolFlag(target *bool, name string, defaultValue bool, help string) flagSpec {
	*target = defaultValue
	return flagSpec{name: name, kind: "bool", defaultText: strconv.FormatBool(defaultValue), help: help, set: func(text string) (err error) {
		if *target, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("true or false is wanted")
		}
		return nil
	}}
}

func intFlag[T int | int64](target *T, name string, defaultValue T, help string) flagSpec {
	*target = defaultValue
	return flagSpec{name: name, kind: "int", defaultText: strconv.FormatInt(int64(defaultValue), 10), help: help, set: func(text string) error {
		number, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			return fmt.Errorf("a whole number is wanted")
		}
		*target = T(number)
		return nil
	}}
}

func uintFlag(target *uint, name string, defaultValue uint, help string) flagSpec {
	*target = defaultValue
	return flagSpec{name: name, kind: "uint", defaultText: strconv.FormatUint(uint64(defaultValue), 10), help: help, set: func(text string) error {
		number, err := strconv.ParseUint(text, 0, strconv.IntSize)
		if err != nil {
			return fmt.Errorf("a whole number, not below 0, is wanted")
		}
		*target = uint(number)
		return nil
	}}
}

func floatFlag(target *float64, name string, defaultValue float64, help string) flagSpec {
	*target = defaultValue
	return flagSpec{name: name, kind: "float", defaultText: strconv.FormatFloat(defaultValue, 'g', -1, 64), help: help, set: func(text string) error {
		number, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
			return fmt.Errorf("a number is wanted")
		}
		*target = number
		return nil
	}}
}

// listFlag may be given more than once.
func listFlag(target *[]string, name, help string) flagSpec {
	*target = nil
	return flagSpec{name: name, kind: "list", help: help, set: func(text string) error {
		*target = append(*target, text)
		return nil
	}}
}

// register makes the flag known to the parser. given is told each flag that occurs.
func (f flagSpec) register(flags *flag.FlagSet, given func(flagSpec)) {
	set := func(text string) error {
		if err := f.set(text); err != nil {
			return err
		}
		given(f)
		return nil
	}
	if f.kind == "bool" {
		flags.BoolFunc(f.name, f.help, func(text string) error {
			if value, err := strconv.ParseBool(text); err == nil {
				text = strconv.FormatBool(value)
			}
			return set(text)
		})
		return
	}
	flags.Func(f.name, f.help, set)
}

// showDefault tells whether the default says anything: not where it is empty, zero or false.
func (f flagSpec) showDefault() bool {
	return !slices.Contains([]string{"", "0", "false"}, f.defaultText)
}
