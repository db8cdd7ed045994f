package metrics

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// maxObservations is how many observations of one histogram are kept between two writes. Beyond it, those kept are a
// uniform sample (reservoir sampling, Vitter's algorithm R), and the rate tells how many each stands for.
const maxObservations = 512

const (
	reservedInNames = ":|@\n"
	reservedInTags  = ",|\n"
)

// series is one metric with its tags: what counts and gauges are kept by.
type series struct {
	name string // with the prefix
	tags string // joined by commas
}

// series puts prefix and tags on. Signs that the protocol reserves become underscores.
func (c *Client) series(name string, tags []string) series {
	all := make([]string, 0, len(c.tags)+len(tags))
	all = append(all, c.tags...)
	for _, tag := range tags {
		all = append(all, withoutReserved(tag, reservedInTags))
	}
	return series{name: withoutReserved(c.prefix+name, reservedInNames), tags: strings.Join(all, ",")}
}

func withoutReserved(text, reserved string) string {
	if !strings.ContainsAny(text, reserved) {
		return text
	}
	return strings.Map(func(sign rune) rune {
		if strings.ContainsRune(reserved, sign) {
			return '_'
		}
		return sign
	}, text)
}

// aggregate adds up what is measured between two writes.
type aggregate struct {
	mutex      sync.Mutex
	gauges     map[series]float64
	counts     map[series]int64
	histograms map[series]*observations
}

type observations struct {
	kept []float64
	seen int
}

func newAggregate() *aggregate {
	a := &aggregate{}
	a.reset()
	return a
}

func (a *aggregate) reset() {
	a.gauges = map[series]float64{}
	a.counts = map[series]int64{}
	a.histograms = map[series]*observations{}
}

func (a *aggregate) gauge(key series, value float64) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.gauges[key] = value
}

func (a *aggregate) count(key series, value int64) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.counts[key] += value
}

func (a *aggregate) histogram(key series, value float64) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	observed := a.histograms[key]
	if observed == nil {
		observed = &observations{}
		a.histograms[key] = observed
	}
	observed.seen++
	if len(observed.kept) < maxObservations {
		observed.kept = append(observed.kept, value)
	} else if place := rand.IntN(observed.seen); place < maxObservations {
		observed.kept[place] = value
	}
}

// drain returns a line for each value, in order of name and tags, and starts anew.
func (a *aggregate) drain() []string {
	a.mutex.Lock()
	gauges, counts, histograms := a.gauges, a.counts, a.histograms
	a.reset()
	a.mutex.Unlock()

	var lines []string
	for _, key := range inOrder(gauges) {
		lines = append(lines, line(key, decimal(gauges[key]), "g", 1))
	}
	for _, key := range inOrder(counts) {
		lines = append(lines, line(key, strconv.FormatInt(counts[key], 10), "c", 1))
	}
	for _, key := range inOrder(histograms) {
		observed := histograms[key]
		rate := float64(len(observed.kept)) / float64(observed.seen)
		for _, value := range observed.kept {
			lines = append(lines, line(key, decimal(value), "h", rate))
		}
	}
	return lines
}

func inOrder[V any](measured map[series]V) []series {
	return slices.SortedFunc(maps.Keys(measured), func(a, b series) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.tags, b.tags))
	})
}

func line(key series, value, kind string, rate float64) string {
	text := key.name + ":" + value + "|" + kind
	if rate < 1 {
		text += "|@" + decimal(rate)
	}
	if key.tags != "" {
		text += "|#" + key.tags
	}
	return text
}

func decimal(value float64) string {
	return strconv.FormatFloat(value, 'f', -1, 64)
}
