package logic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestClientsAreBusyWhileTheyWrite(t *testing.T) {
	var writes clientWrites
	now := time.Now()
	writes.add(1000)
	assert.False(t, writes.areBusy(now), "how long that took is not known")

	writes.add(20)
	assert.False(t, writes.areBusy(now.Add(busyWindow/2)), "not looked at yet")
	now = now.Add(busyWindow)
	assert.True(t, writes.areBusy(now), "20 rows in a quarter of a second")

	writes.add(5)
	now = now.Add(busyWindow)
	assert.False(t, writes.areBusy(now))
}
