package sql

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNULLIsRefusedWhereTheServerWouldPutANumber(t *testing.T) {
	store := func(pair SharedColumn, value any) error {
		column, err := bindColumn(pair, TimeZones{})
		require.NoError(t, err)
		return column.binding.Append(new(strings.Builder), new([]any), value)
	}
	pair := keyPair(t, "int", "bigint", "")
	assert.NoError(t, store(pair, nil))
	pair.Target.AutoIncrement = true
	assert.ErrorContains(t, store(pair, nil), "column `k`")
	assert.NoError(t, store(pair, int64(0)))
	pair.Source.AutoIncrement = true
	assert.NoError(t, store(pair, nil))
}
