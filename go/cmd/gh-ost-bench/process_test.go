package main

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProcessorTimeIsReadBehindANameWithBlanksAndParentheses(t *testing.T) {
	used, err := parseStat([]byte("12 (a) (b c) S 1 2 3 4 5 6 7 8 9 10 123 45 0 0 20 0 1"))

	require.NoError(t, err)
	assert.Equal(t, 1680*time.Millisecond, used)
}

func TestProcessorTimeOfSomethingElseIsAnError(t *testing.T) {
	for _, text := range []string{"", "12 (a) S 1 2", "12 (a) S 1 2 3 4 5 6 7 8 9 10 x y"} {
		_, err := parseStat([]byte(text))
		assert.Error(t, err, text)
	}
}

func TestSamplerSeesThisProcess(t *testing.T) {
	s := sample(os.Getpid())
	require.Eventually(t, func() bool { _, peak := s.figures(); return peak > 1<<20 }, 5*time.Second, time.Millisecond)
	s.end()
}
