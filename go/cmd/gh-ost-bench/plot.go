package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// plot is a horizontal chart: a bar for each median, a dot for each run.
type plot struct {
	title, subtitle string
	unit            string
	bars            []bar
	logarithmic     bool // dots and a mark for the median instead of bars, which have no meaning on such an axis
}

type bar struct {
	label  string
	values []float64
	ours   bool
	late   bool // some of the runs were ended at their limit, which is their value
}

// The colours are told apart by people who do not see all of them, and stand on the plot's own white ground.
const (
	inkColour   = "#1f2933"
	faintColour = "#6b7280"
	gridColour  = "#e5e7eb"
	oursColour  = "#1d6fb8"
	otherColour = "#9aa5b1"
)

const (
	plotWidth   = 760
	plotLeft    = 190
	plotRight   = 110
	plotTop     = 64
	barStep     = 40
	barHeight   = 18
	plotBottom  = 40
	letterWidth = 7 // about, at the size of labels
)

// svg returns the plot as a document, the same for the same results.
func (p plot) svg() string {
	var b strings.Builder
	height := plotTop + len(p.bars)*barStep + plotBottom
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s" font-family="system-ui, sans-serif" font-size="13">`+"\n",
		plotWidth, height, plotWidth, height, html.EscapeString(p.title))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", plotWidth, height)
	fmt.Fprintf(&b, `<text x="16" y="26" font-size="16" font-weight="600" fill="%s">%s</text>`+"\n", inkColour, html.EscapeString(p.title))
	fmt.Fprintf(&b, `<text x="16" y="46" font-size="12" fill="%s">%s</text>`+"\n", faintColour, html.EscapeString(p.subtitle))
	scale := p.scale()
	p.grid(&b, scale, height)
	for i, bar := range p.bars {
		p.row(&b, scale, bar, plotTop+i*barStep+barStep/2)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// axis maps values to places.
type axis struct {
	from, to    float64
	logarithmic bool
	ticks       []float64
}

func (a axis) x(value float64) float64 {
	from, to := a.from, a.to
	if a.logarithmic {
		value, from, to = math.Log10(max(value, a.from)), math.Log10(from), math.Log10(to)
	}
	return plotLeft + (value-from)/(to-from)*(plotWidth-plotLeft-plotRight)
}

func (p plot) scale() axis {
	least, most := math.Inf(1), 0.0
	for _, bar := range p.bars {
		for _, value := range bar.values {
			least, most = min(least, value), max(most, value)
		}
	}
	if most == 0 {
		return axis{from: 0, to: 1, ticks: []float64{0, 1}}
	}
	if p.logarithmic {
		return logarithmicAxis(max(least, most/1e6), most)
	}
	return linearAxis(most)
}

// linearAxis begins at 0 and has about five ticks at round numbers.
func linearAxis(most float64) axis {
	step := math.Pow(10, math.Floor(math.Log10(most/4)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if step*factor*5 >= most {
			step *= factor
			break
		}
	}
	a := axis{}
	for i := 0; a.to < most || i == 0; i++ {
		a.to = float64(i) * step
		a.ticks = append(a.ticks, a.to)
	}
	return a
}

func logarithmicAxis(least, most float64) axis {
	a := axis{from: math.Pow(10, math.Floor(math.Log10(least))), to: math.Pow(10, math.Ceil(math.Log10(most))), logarithmic: true}
	if a.from == a.to {
		a.to *= 10
	}
	for tick := a.from; tick <= a.to*1.0001; tick *= 10 {
		a.ticks = append(a.ticks, tick)
	}
	return a
}

func (p plot) grid(b *strings.Builder, scale axis, height int) {
	bottom := height - plotBottom
	for _, tick := range scale.ticks {
		x := scale.x(tick)
		fmt.Fprintf(b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s"/>`+"\n", x, plotTop, x, bottom, gridColour)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" font-size="11" fill="%s">%s</text>`+"\n", x, bottom+16, faintColour, tickText(tick))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end" font-size="11" fill="%s">%s</text>`+"\n", plotWidth-16, bottom+16, faintColour, html.EscapeString(p.unit))
}

func tickText(value float64) string {
	if value >= 1000 {
		return thousands(int64(math.Round(value)))
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", value), "0"), ".")
}

func (p plot) row(b *strings.Builder, scale axis, bar bar, y int) {
	colour := otherColour
	weight := "400"
	if bar.ours {
		colour, weight = oursColour, "600"
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end" font-weight="%s" fill="%s">%s</text>`+"\n", plotLeft-12, y+4, weight, inkColour,
		html.EscapeString(shorten(bar.label, (plotLeft-20)/letterWidth)))
	if len(bar.values) == 0 {
		fmt.Fprintf(b, `<text x="%d" y="%d" fill="%s">no run that counts</text>`+"\n", plotLeft+8, y+4, faintColour)
		return
	}
	middle := median(bar.values)
	_, most := extent(bar.values)
	if p.logarithmic {
		fmt.Fprintf(b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s" stroke-width="3"/>`+"\n", scale.x(middle), y-barHeight/2, scale.x(middle), y+barHeight/2, colour)
	} else {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%.1f" height="%d" rx="2" fill="%s" fill-opacity="0.85"/>`+"\n", plotLeft, y-barHeight/2, scale.x(middle)-plotLeft, barHeight, colour)
	}
	for _, value := range bar.values {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%d" r="3" fill="#ffffff" fill-opacity="0.7" stroke="%s" stroke-width="1.2"/>`+"\n", scale.x(value), y, p.dotColour(colour))
	}
	text := formatNumber(middle)
	if bar.late {
		text = "&gt; " + text
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%d" font-weight="%s" fill="%s">%s</text>`+"\n", max(scale.x(most), scale.x(middle))+10, y+4, weight, inkColour, text)
}

// dotColour keeps dots visible on their own bar.
func (p plot) dotColour(bar string) string {
	if p.logarithmic {
		return bar
	}
	return inkColour
}

func shorten(text string, letters int) string {
	if width(text) <= letters {
		return text
	}
	return string([]rune(text)[:letters-1]) + "…"
}
