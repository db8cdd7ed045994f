package apply

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/github/gh-ost/go/binlog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func rowsEvent(rows, bytes int) *binlog.Event {
	return &binlog.Event{Rows: make([]binlog.RowChange, rows), Bytes: bytes}
}

func TestHeartbeatsInARowTakeOneEntry(t *testing.T) {
	b := NewBacklog()
	var reached []int
	for i := range 10 * BacklogCapacity {
		b.PutHeartbeat(func() { reached = append(reached, i) })
	}
	require.Equal(t, 1, b.Len())
	entries, err := b.take(t.Context(), 1, 1)
	require.NoError(t, err)
	entries[0].reached()
	assert.Equal(t, []int{10*BacklogCapacity - 1}, reached, "the newest counts")
}

func TestAMarkerComesAfterEverythingPutBeforeIt(t *testing.T) {
	b := NewBacklog()
	require.NoError(t, b.Put(t.Context(), rowsEvent(1, 1)))
	require.NoError(t, b.Put(t.Context(), rowsEvent(1, 1)))
	require.NoError(t, b.PutMarker(t.Context(), func() {}))
	require.NoError(t, b.Put(t.Context(), rowsEvent(1, 1)))

	var shares []int
	for b.Len() > 0 {
		entries, err := b.take(t.Context(), 100, 100)
		require.NoError(t, err)
		shares = append(shares, len(entries))
	}
	assert.Equal(t, []int{2, 1, 1}, shares)
}

func TestSharesKeepWithinRowsAndBytesButTakeOneEntryAtLeast(t *testing.T) {
	b := NewBacklog()
	for _, event := range []*binlog.Event{rowsEvent(50, 10), rowsEvent(3, 10), rowsEvent(3, 95), rowsEvent(3, 10)} {
		require.NoError(t, b.Put(t.Context(), event))
	}
	var shares []int
	for b.Len() > 0 {
		entries, err := b.take(t.Context(), 10, 100)
		require.NoError(t, err)
		shares = append(shares, len(entries))
	}
	assert.Equal(t, []int{1, 1, 1, 1}, shares)
}

func TestPutWaitsWhileTheBacklogIsFullAndEndsWithItsContext(t *testing.T) {
	b := NewBacklog()
	for range BacklogCapacity {
		require.NoError(t, b.Put(t.Context(), rowsEvent(1, 1)))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, b.Put(ctx, rowsEvent(1, 1)), context.DeadlineExceeded)

	put := make(chan error, 1)
	go func() { put <- b.Put(t.Context(), rowsEvent(1, 1)) }()
	_, err := b.take(t.Context(), 1, 1)
	require.NoError(t, err)
	require.NoError(t, <-put)
}

func TestABacklogFullOfBytesTakesNoMore(t *testing.T) {
	b := NewBacklog()
	require.NoError(t, b.Put(t.Context(), rowsEvent(1, 2*backlogBytes)), "one entry is taken in however large it is")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.Error(t, b.Put(ctx, rowsEvent(1, 1)))
}

func TestEventsGatherUntilOneIsOldEnoughOrSomebodyWaits(t *testing.T) {
	b := NewBacklog()
	gathered := make(chan struct{})
	begin := func(age time.Duration) {
		gathered = make(chan struct{})
		go func() {
			defer close(gathered)
			_ = b.gather(t.Context(), age, 10)
		}()
	}
	waits := func() bool {
		select {
		case <-gathered:
			return false
		case <-time.After(30 * time.Millisecond):
			return true
		}
	}
	begin(time.Minute)
	require.True(t, waits(), "nothing is there")
	require.NoError(t, b.Put(t.Context(), &binlog.Event{}))
	b.PutHeartbeat(func() {})
	require.True(t, waits(), "two entries are few")
	require.NoError(t, b.PutMarker(t.Context(), func() {}))
	require.False(t, waits(), "somebody waits for a marker")

	for b.Len() > 0 {
		_, err := b.take(t.Context(), 100, 100)
		require.NoError(t, err)
	}
	begin(time.Minute)
	for range 10 {
		require.NoError(t, b.Put(t.Context(), &binlog.Event{}))
	}
	require.False(t, waits(), "ten are enough")

	_, err := b.take(t.Context(), 100, 100)
	require.NoError(t, err)
	require.NoError(t, b.Put(t.Context(), &binlog.Event{}))
	begin(time.Millisecond)
	require.False(t, waits(), "it has waited")
}
