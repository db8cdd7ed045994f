package sql

// SharedColumn pairs a column of the original with the ghost's column that receives its values. Names may differ where
// the ALTER renames; neither side is generated, unless the column only serves in conditions as part of the key.
type SharedColumn struct {
	Source Column
	Target Column
}

// IsWritten is true if the ghost's column takes values, that is if no server computes it.
func (s SharedColumn) IsWritten() bool {
	return !s.Source.IsGenerated() && !s.Target.IsGenerated()
}
