package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// lines between which documentCommand writes
const (
	blockBegin = "<!-- results: begin (made by make bench-doc) -->"
	blockEnd   = "<!-- results: end -->"
)

func documentCommand(arguments []string, stdout, stderr io.Writer) error {
	flags, settings := newFlags("document", stderr)
	page := flags.String("page", "doc/benchmarks.md", "the `file` with the marked block")
	if err := parse(flags, arguments); err != nil {
		return err
	}
	block, plots, err := document(settings.out)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(*page)
	if err != nil {
		return fmt.Errorf("reading the page: %w", err)
	}
	changed, err := replaceBlock(string(text), block)
	if err != nil {
		return fmt.Errorf("%s: %w", *page, err)
	}
	folder := filepath.Join(filepath.Dir(*page), plotFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("writing plots: %w", err)
	}
	for _, p := range plots {
		if err := os.WriteFile(filepath.Join(folder, p.file), []byte(p.svg()), 0o644); err != nil {
			return fmt.Errorf("writing plots: %w", err)
		}
	}
	if err := os.WriteFile(*page, []byte(changed), 0o644); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	fmt.Fprintf(stdout, "bench: wrote %s and %d plots beside it\n", *page, len(plots))
	return nil
}

// plotFolder lies beside the page.
const plotFolder = "benchmarks"

type plotFile struct {
	plot
	file string
}

// document makes tables and plots of all results in the folder.
func document(folder string) (block string, plots []plotFile, err error) {
	var out bytes.Buffer
	found := 0
	for _, flavor := range []string{"mysql", "mariadb"} {
		var engine engineResults
		var cutOver cutOverResults
		var chunks chunksResults
		for _, part := range []struct {
			name    string
			results any
			render  func()
		}{
			{"cutover-" + flavor, &cutOver, func() { plots = append(plots, renderCutOver(&out, cutOver)...) }},
			{"engine-" + flavor, &engine, func() { plots = append(plots, renderEngine(&out, engine)...) }},
			{"chunks-" + flavor, &chunks, func() { renderChunks(&out, chunks) }},
		} {
			err := read(filepath.Join(folder, part.name+".json"), part.results)
			switch {
			case errors.Is(err, os.ErrNotExist):
				continue
			case err != nil:
				return "", nil, err
			}
			found++
			part.render()
		}
	}
	if found == 0 {
		return "", nil, fmt.Errorf("there are no results in %s; run make bench or make bench-cutover first", folder)
	}
	return out.String(), plots, nil
}

func (h header) describe(what string) string {
	return fmt.Sprintf("### %s on %s\n\nServer %s; %d processors (%s); Linux %s; load average %s before. Begun %s UTC, ended %s.\n\n", what, h.Machine.name(),
		h.Machine.Server, h.Machine.Processors, h.Machine.Model, h.Machine.Kernel, h.Machine.LoadAtStart, h.Began.Format("2006-01-02 15:04"), h.Ended.Format("15:04"))
}

func renderCutOver(out io.Writer, results cutOverResults) []plotFile {
	fmt.Fprint(out, results.describe("Cut-over"))
	var plots []plotFile
	for i, kind := range []string{successful, timedOut} {
		p := plotFile{file: fmt.Sprintf("cutover-%s-%s.svg", []string{"successful", "timed-out"}[i], results.Machine.Flavor)}
		p.title, p.unit, p.logarithmic = cutOverTitle(results, kind)+": longest waits of clients", "ms", true
		p.subtitle = "a dot for each cut-over, a line for the median; logarithmic axis; less is better"
		for _, contender := range results.Contenders {
			for _, column := range stallColumns {
				p.bars = append(p.bars, bar{label: contender + ", " + column.title, values: stalls(results.Runs, contender, kind, column.value), ours: contender == ours})
			}
		}
		cutOverTables(results)[i].writeMarkdown(out)
		linkPlot(out, p)
		plots = append(plots, p)
	}
	return plots
}

func renderEngine(out io.Writer, results engineResults) []plotFile {
	fmt.Fprint(out, results.describe("Copy and apply"))
	var plots []plotFile
	for _, w := range workloads {
		if !results.has(w.name) {
			continue
		}
		p := plotFile{file: fmt.Sprintf("%s-%s.svg", w.name, results.Machine.Flavor)}
		p.title, p.unit = w.title, w.unit
		p.subtitle = fmt.Sprintf("%s, %s rows; a bar for the median, a dot for each run; %s is better", results.Machine.name(),
			thousands(int64(w.rows(results.Rows))), map[order]string{lower: "less", higher: "more"}[w.better])
		for _, contender := range results.Contenders {
			if results.total(w.name, contender) > 0 {
				runs := results.runsOf(w.name, contender)
				p.bars = append(p.bars, bar{label: contender, values: collect(runs, valueOf), ours: contender == ours, late: len(timely(runs)) < len(runs)})
			}
		}
		engineTable(results, w).writeMarkdown(out)
		linkPlot(out, p)
		plots = append(plots, p)
	}
	return plots
}

func renderChunks(out io.Writer, results chunksResults) {
	fmt.Fprint(out, results.describe("Plain SQL"))
	chunksTable(results).writeMarkdown(out)
}

func linkPlot(out io.Writer, p plotFile) {
	fmt.Fprintf(out, "![%s](%s/%s)\n\n", p.title, plotFolder, p.file)
}

// replaceBlock puts the block between the marks.
func replaceBlock(page, block string) (string, error) {
	before, rest, found := strings.Cut(page, blockBegin+"\n")
	if !found {
		return "", fmt.Errorf("there is no line %q", blockBegin)
	}
	_, after, found := strings.Cut(rest, blockEnd)
	if !found {
		return "", fmt.Errorf("there is no line %q after the first", blockEnd)
	}
	return before + blockBegin + "\n\n" + strings.TrimSpace(block) + "\n\n" + blockEnd + after, nil
}
