package main

import (
	"math"
	"slices"
)

// median is NaN of nothing.
func median(values []float64) float64 { return quantile(values, 0.5) }

// quantile interpolates between the two values that are next to it. It is NaN of nothing.
func quantile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	at := share * float64(len(sorted)-1)
	below := int(at)
	if below+1 == len(sorted) {
		return sorted[below]
	}
	return sorted[below] + (at-float64(below))*(sorted[below+1]-sorted[below])
}

// extent is the smallest and the largest value; NaN of nothing.
func extent(values []float64) (least, most float64) {
	if len(values) == 0 {
		return math.NaN(), math.NaN()
	}
	return slices.Min(values), slices.Max(values)
}
