package status

// Progress is how far the row copy is.
type Progress struct {
	Copied   int64 // rows the chunks have inserted; a resumed run begins at its checkpoint's number
	Estimate int64 // rows the original is thought to hold; may be less than Copied
	Complete bool  // no further range is left; the estimate is then as good as Copied
}

// EffectiveEstimate is the number of rows to show as the goal: the estimate, and once the copy is complete what was copied.
func (p Progress) EffectiveEstimate() int64 {
	if p.Complete {
		return p.Copied
	}
	return p.Estimate
}

// Percentage is the share of rows copied, in percent. It is 100 when nothing is expected, and passes 100 when more rows
// were copied than expected.
func (p Progress) Percentage() float64 {
	goal := p.EffectiveEstimate()
	if goal == 0 {
		return 100
	}
	return 100 * float64(p.Copied) / float64(goal)
}

// remaining is the number of rows still to copy, never negative.
func (p Progress) remaining() int64 {
	return max(p.EffectiveEstimate()-p.Copied, 0)
}
