package main

import (
	"fmt"
	"math"
	"slices"
)

// runsOf are the runs of one contender that count, in the order of the rounds.
func (r engineResults) runsOf(workload, contender string) []run {
	var found []run
	for _, candidate := range r.Runs {
		if candidate.Counts && candidate.Workload == workload && candidate.Contender == contender {
			found = append(found, candidate)
		}
	}
	return found
}

func collect(runs []run, value func(run) float64) []float64 {
	var found []float64
	for _, r := range runs {
		if v := value(r); !math.IsNaN(v) {
			found = append(found, v)
		}
	}
	return found
}

func valueOf(r run) float64 { return r.Value }

// ratio is the median, over the rounds that both have, of a contender's value to ours.
func (r engineResults) ratio(workload, contender string) float64 {
	mine := map[int]float64{}
	for _, candidate := range r.runsOf(workload, ours) {
		mine[candidate.Round] = candidate.Value
	}
	return median(collect(r.runsOf(workload, contender), func(candidate run) float64 {
		if base, found := mine[candidate.Round]; found && base > 0 {
			return candidate.Value / base
		}
		return math.NaN()
	}))
}

func (r engineResults) has(workload string) bool {
	return slices.ContainsFunc(r.Runs, func(candidate run) bool { return candidate.Workload == workload })
}

// total is how many runs there were, those that do not count included.
func (r engineResults) total(workload, contender string) int {
	total := 0
	for _, candidate := range r.Runs {
		if candidate.Workload == workload && candidate.Contender == contender {
			total++
		}
	}
	return total
}

func engineTables(results engineResults) []textTable {
	var tables []textTable
	for _, w := range workloads {
		if !results.has(w.name) {
			continue
		}
		tables = append(tables, engineTable(results, w))
	}
	return tables
}

func engineTable(results engineResults, w workload) textTable {
	underLoad := slices.ContainsFunc(results.Runs, func(r run) bool { return r.Workload == w.name && r.Clients != nil })
	t := textTable{title: fmt.Sprintf("%s (%s, %s rows)", w.title, results.Machine.name(), thousands(int64(w.rows(results.Rows))))}
	t.columns = []string{"", w.unit + ", median", "least – most", "to " + ours, "CPU s tool", "CPU s server", "peak MiB tool"}
	if underLoad {
		t.columns = append(t.columns, "write p99 ms (before)", "longest write ms", "longest read ms", "throughput lost")
	}
	t.columns = append(t.columns, "runs that count")
	for _, contender := range results.Contenders {
		total := results.total(w.name, contender)
		if total == 0 {
			continue
		}
		runs := results.runsOf(w.name, contender)
		values := collect(runs, valueOf)
		least, most := extent(values)
		value := formatNumber(median(values))
		if late := len(runs) - len(timely(runs)); late > 0 {
			value = fmt.Sprintf("> %s (%d not done)", value, late)
		}
		row := []string{contender, value, formatNumber(least) + " – " + formatNumber(most), formatRatio(results.ratio(w.name, contender))}
		tool, memory := "–", "–"
		if contender != native {
			tool = formatNumber(median(collect(runs, func(r run) float64 { return r.ToolCPU })))
			memory = formatNumber(median(collect(runs, func(r run) float64 { return float64(r.ToolMemory) / (1 << 20) })))
		}
		row = append(row, tool, formatNumber(median(collect(runs, func(r run) float64 { return r.ServerCPU }))), memory)
		if underLoad {
			row = append(row,
				fmt.Sprintf("%s (%s)", clientMedian(runs, func(c *clients) float64 { return c.WriteP99 }), clientMedian(runs, func(c *clients) float64 { return c.WriteP99Before })),
				clientMedian(runs, func(c *clients) float64 { return c.WriteLongest }),
				clientMedian(runs, func(c *clients) float64 {
					if c.Reads == 0 {
						return math.NaN()
					}
					return c.ReadLongest
				}),
				percent(median(collect(runs, ofClients((*clients).lost)))))
		}
		t.rows = append(t.rows, append(row, fmt.Sprintf("%d of %d", len(runs), total)))
	}
	return t
}

func timely(runs []run) []run {
	return slices.DeleteFunc(slices.Clone(runs), func(r run) bool { return !r.Timely })
}

func ofClients(value func(*clients) float64) func(run) float64 {
	return func(r run) float64 {
		if r.Clients == nil {
			return math.NaN()
		}
		return value(r.Clients)
	}
}

func clientMedian(runs []run, value func(*clients) float64) string {
	return formatNumber(median(collect(runs, ofClients(value))))
}

func percent(share float64) string {
	if math.IsNaN(share) {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

func (m machine) name() string {
	if m.Flavor == "mariadb" {
		return "MariaDB"
	}
	return "MySQL"
}

var stallColumns = []struct {
	title string
	value func(cutOverSample) float64
}{
	{"write stall", func(s cutOverSample) float64 { return s.WriteStall }},
	{"read stall", func(s cutOverSample) float64 { return s.ReadStall }},
}

func cutOverTables(results cutOverResults) []textTable {
	var tables []textTable
	for _, kind := range []string{successful, timedOut} {
		t := textTable{title: cutOverTitle(results, kind)}
		t.columns = []string{"", "what", "median ms", "p95 ms", "most ms", "median to " + ours, "ordinary longest wait, median ms", "cut-overs that count"}
		for _, contender := range results.Contenders {
			total := 0
			for _, s := range results.Runs {
				if s.Contender == contender && s.Kind == kind {
					total++
				}
			}
			for i, column := range stallColumns {
				values := stalls(results.Runs, contender, kind, column.value)
				_, most := extent(values)
				base := median(stalls(results.Runs, ours, kind, column.value))
				ordinary := func(s cutOverSample) float64 { return s.OrdinaryWrite }
				if i == 1 {
					ordinary = func(s cutOverSample) float64 { return s.OrdinaryRead }
				}
				t.rows = append(t.rows, []string{contender, column.title, formatNumber(median(values)), formatNumber(quantile(values, 0.95)), formatNumber(most),
					formatRatio(median(values) / base), formatNumber(median(stalls(results.Runs, contender, kind, ordinary))), fmt.Sprintf("%d of %d", len(values), total)})
			}
		}
		if len(results.Runs) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

func cutOverTitle(results cutOverResults, kind string) string {
	if kind == timedOut {
		return fmt.Sprintf("Timed-out attempts, lock timeout %s s (%s)", formatNumber(results.LockTimeout), results.Machine.name())
	}
	return fmt.Sprintf("Successful cut-overs (%s)", results.Machine.name())
}

func chunksTable(results chunksResults) textTable {
	t := textTable{title: fmt.Sprintf("Copy in plain SQL (%s, %s narrow rows)", results.Machine.name(), thousands(int64(results.Rows)))}
	t.columns = []string{"", "s, median", "least – most", "to " + native, "CPU s server"}
	type key struct{ sessions, chunk int }
	var order []key
	byKey := map[key][]chunkRun{}
	baseline := map[int]float64{}
	for _, r := range results.Runs {
		k := key{r.Sessions, r.Chunk}
		if byKey[k] == nil {
			order = append(order, k)
		}
		byKey[k] = append(byKey[k], r)
		if r.Sessions == 0 {
			baseline[r.Round] = r.Seconds
		}
	}
	slices.SortFunc(order, func(a, b key) int {
		if a.sessions != b.sessions {
			return a.sessions - b.sessions
		}
		return a.chunk - b.chunk
	})
	for _, k := range order {
		var seconds, ratios, used []float64
		for _, r := range byKey[k] {
			seconds, used = append(seconds, r.Seconds), append(used, r.ServerCPU)
			if base := baseline[r.Round]; base > 0 {
				ratios = append(ratios, r.Seconds/base)
			}
		}
		least, most := extent(seconds)
		t.rows = append(t.rows, []string{byKey[k][0].label(), formatNumber(median(seconds)), formatNumber(least) + " – " + formatNumber(most),
			formatRatio(median(ratios)), formatNumber(median(used))})
	}
	return t
}
