package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestQuantilesLieBetweenTheValuesNextToThem(t *testing.T) {
	values := []float64{40, 10, 30, 20}

	assert.Equal(t, 25.0, median(values))
	assert.Equal(t, 10.0, quantile(values, 0))
	assert.Equal(t, 40.0, quantile(values, 1))
	assert.InDelta(t, 38.5, quantile(values, 0.95), 1e-9)
	assert.Equal(t, []float64{40, 10, 30, 20}, values, "left as they were")
	assert.True(t, math.IsNaN(median(nil)))
}

func TestRotationsHoldEveryContenderOnce(t *testing.T) {
	list := []string{"a", "b", "c"}

	assert.Equal(t, []string{"a", "b", "c"}, rotated(list, 0))
	assert.Equal(t, []string{"c", "a", "b"}, rotated(list, 5))
	assert.Empty(t, rotated([]string(nil), 1))
}
