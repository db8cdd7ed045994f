package server

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAProfileArrivesWhole(t *testing.T) {
	s := New(Config{Controls: newFakeMigration(), Log: &testLog{}})
	for line, unpackings := range map[string]int{
		"cpu-profile=150ms":               1, // a profile is packed once by itself
		"cpu-profile=150ms,block":         1,
		"cpu-profile=150ms,gzip":          2,
		"cpu-profile=150ms,gzip,blocking": 2,
	} {
		reply := string(s.answer(t.Context(), line))
		require.False(t, strings.ContainsAny(reply, "\n"), reply)
		content, err := base64.StdEncoding.DecodeString(reply)
		require.NoError(t, err)
		for range unpackings {
			reader, err := gzip.NewReader(bytes.NewReader(content))
			require.NoError(t, err)
			content, err = io.ReadAll(reader)
			require.NoError(t, err, "%s: the stream was cut short", line)
		}
		require.Contains(t, string(content), "cpu", line)
	}
}

func TestEncodingLosesNoByteWhateverTheLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		profile := rapid.SliceOf(rapid.Byte()).Draw(t, "profile")
		packed := rapid.Bool().Draw(t, "gzip")
		var encoded bytes.Buffer
		require.NoError(t, encodeProfile(&encoded, profile, profileOptions{gzip: packed}))
		var content io.Reader = base64.NewDecoder(base64.StdEncoding, &encoded)
		if packed {
			reader, err := gzip.NewReader(content)
			require.NoError(t, err)
			content = reader
		}
		got, err := io.ReadAll(content)
		require.NoError(t, err)
		require.True(t, bytes.Equal(profile, got))
	})
}

func TestOnlyOneProfileIsTakenAtATime(t *testing.T) {
	s := New(Config{Controls: newFakeMigration(), Log: &testLog{}})
	first := make(chan []byte)
	go func() { first <- s.answer(t.Context(), "cpu-profile=300ms") }()
	require.Eventually(t, func() bool {
		free := s.profiling.TryLock()
		if free {
			s.profiling.Unlock()
		}
		return !free
	}, time.Second, time.Millisecond)
	require.Equal(t, "a cpu-profile is in progress already\n", string(s.answer(t.Context(), "cpu-profile=1ms")))
	require.NotContains(t, string(<-first), " ")
}

func TestTheDefaultProfileTakesHalfAMinute(t *testing.T) {
	for _, text := range []string{"", " ", "30s"} {
		options, err := parseProfileOptions(text)
		require.NoError(t, err)
		require.Equal(t, profileOptions{duration: 30 * time.Second}, options)
	}
	options, err := parseProfileOptions(",gzip , blocked")
	require.NoError(t, err)
	require.Equal(t, profileOptions{duration: 30 * time.Second, gzip: true, block: true}, options)
}
