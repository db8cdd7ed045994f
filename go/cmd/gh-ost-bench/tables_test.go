package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func someResults() engineResults {
	results := engineResults{header: header{Contenders: []string{ours, "peer <&>", native}, Rows: 1000, Began: time.Unix(0, 0).UTC()}}
	for round, values := range [][]float64{{2, 6, 1}, {4, 20, 2}, {3, 6, 3}} {
		for i, contender := range results.Contenders {
			results.Runs = append(results.Runs, run{Workload: "copy-narrow", Contender: contender, Round: round + 1, Counts: true, Timely: true, Value: values[i]})
		}
	}
	results.Runs = append(results.Runs, run{Workload: "copy-narrow", Contender: "peer <&>", Round: 4, Value: 0.001, Problem: "lost a row"})
	return results
}

func TestRatiosAreTakenWithinARoundAndRunsThatDoNotCountAreLeftOut(t *testing.T) {
	results := someResults()

	assert.Equal(t, 3.0, results.ratio("copy-narrow", "peer <&>")) // 3, 5, 2
	assert.Equal(t, 0.5, results.ratio("copy-narrow", native))     // 0.5, 0.5, 1
	var text bytes.Buffer
	engineTables(results)[0].writeText(&text)
	assert.Regexp(t, `peer <&> +6\.00 +6\.00 – 20\.0 +3\.00× .* 3 of 4`, text.String())
}

func TestRunsThatWereNotDoneInTimeAreShownAsMoreThanTheLimit(t *testing.T) {
	results := engineResults{header: header{Contenders: []string{ours}, Rows: 1000}, Runs: []run{
		{Workload: "full-speed", Contender: ours, Round: 1, Counts: true, Value: 300, Clients: &clients{Before: 100, During: 25}},
	}}

	var text bytes.Buffer
	engineTables(results)[0].writeMarkdown(&text)

	assert.Contains(t, text.String(), "> 300 (1 not done)")
	assert.Contains(t, text.String(), "75 %")
}

func TestPlotsAreWellFormedWhateverTheirLabels(t *testing.T) {
	for _, logarithmic := range []bool{false, true} {
		p := plot{title: "a <title> & more", unit: "ms", logarithmic: logarithmic, bars: []bar{
			{label: "peer <&> with a name that is far too long", values: []float64{0.5, 12, 700}},
			{label: ours, values: []float64{3}, ours: true},
			{label: "none"},
		}}

		decoder := xml.NewDecoder(strings.NewReader(p.svg()))
		for {
			_, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
		}
		assert.Contains(t, p.svg(), "no run that counts")
	}
}

func TestAxesHoldAllValuesBetweenRoundNumbers(t *testing.T) {
	for _, most := range []float64{0.003, 1, 7, 9.9, 100, 16900} {
		a := linearAxis(most)
		assert.GreaterOrEqual(t, a.to, most)
		assert.Less(t, a.to, 2*most+1e-9)
		assert.LessOrEqual(t, len(a.ticks), 12)
	}
	assert.Equal(t, []float64{1, 10, 100, 1000}, logarithmicAxis(3, 999).ticks)
}

func TestOnlyTheMarkedBlockOfAPageIsReplaced(t *testing.T) {
	page := "before\n" + blockBegin + "\nold\n" + blockEnd + "\nafter\n"

	once, err := replaceBlock(page, "new\n")
	require.NoError(t, err)
	twice, err := replaceBlock(once, "new\n")
	require.NoError(t, err)

	assert.Equal(t, "before\n"+blockBegin+"\n\nnew\n\n"+blockEnd+"\nafter\n", once)
	assert.Equal(t, once, twice)
	_, err = replaceBlock("no marks", "new")
	assert.ErrorContains(t, err, "results: begin")
}

func TestResultsAreReadAsTheyWereWritten(t *testing.T) {
	folder, want := t.TempDir(), someResults()
	want.Machine.Flavor = "mysql"
	path, err := write(folder, "engine-mysql", want)
	require.NoError(t, err)

	var have engineResults
	require.NoError(t, read(path, &have))
	assert.Equal(t, want, have)

	block, plots, err := document(folder)
	require.NoError(t, err)
	assert.Contains(t, block, "benchmarks/copy-narrow-mysql.svg")
	assert.Len(t, plots, 1)
}

func TestNumbersAreShownWithAboutThreeDigits(t *testing.T) {
	for value, text := range map[float64]string{0.1234: "0.12", 5.678: "5.68", 12.34: "12.3", 123.4: "123", 1234.5: "1,235", -1234567: "-1,234,567"} {
		assert.Equal(t, text, formatNumber(value))
	}
}
