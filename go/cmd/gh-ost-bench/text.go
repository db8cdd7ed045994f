package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// textTable is a table for the terminal and for documents.
type textTable struct {
	title   string
	columns []string
	rows    [][]string
	notes   []string
}

func (t textTable) writeText(out io.Writer) {
	fmt.Fprintln(out, t.title)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  "+strings.Join(t.columns, "\t"))
	for _, row := range t.rows {
		fmt.Fprintln(w, "  "+strings.Join(row, "\t"))
	}
	w.Flush()
	for _, note := range t.notes {
		fmt.Fprintln(out, "  "+note)
	}
	fmt.Fprintln(out)
}

func (t textTable) writeMarkdown(out io.Writer) {
	fmt.Fprintf(out, "**%s**\n\n", t.title)
	fmt.Fprintf(out, "| %s |\n|%s\n", strings.Join(t.columns, " | "), strings.Repeat("---|", len(t.columns)))
	for _, row := range t.rows {
		escaped := make([]string, len(row))
		for i, cell := range row {
			escaped[i] = strings.ReplaceAll(cell, "|", `\|`)
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(escaped, " | "))
	}
	fmt.Fprintln(out)
	for _, note := range t.notes {
		fmt.Fprintf(out, "%s\n\n", note)
	}
}

// formatNumber shows about three digits.
func formatNumber(value float64) string {
	switch size := math.Abs(value); {
	case math.IsNaN(value):
		return "–"
	case size >= 1000:
		return thousands(int64(math.Round(value)))
	case size >= 100:
		return strconv.FormatFloat(value, 'f', 0, 64)
	case size >= 10:
		return strconv.FormatFloat(value, 'f', 1, 64)
	}
	return strconv.FormatFloat(value, 'f', 2, 64)
}

func formatRatio(value float64) string {
	if math.IsNaN(value) {
		return "–"
	}
	return formatNumber(value) + "×"
}

// thousands writes a number with a comma at each third digit.
func thousands(number int64) string {
	text := strconv.FormatInt(number, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func width(text string) int { return utf8.RuneCountInString(text) }
