package base

// RowsEstimateMethod says how the number of rows was arrived at.
type RowsEstimateMethod string

// The ways to estimate the number of rows: from table statistics, from the optimizer, or by counting them.
const (
	TableStatusRowsEstimate RowsEstimateMethod = "TableStatusRowsEstimate"
	ExplainRowsEstimate     RowsEstimateMethod = "ExplainRowsEstimate"
	CountRowsEstimate       RowsEstimateMethod = "CountRowsEstimate"
)

// RowCountSettings says whether rows are counted and not only estimated.
type RowCountSettings struct {
	// CountTableRows counts the rows with COUNT(*) and keeps the count up to date with applied events.
	CountTableRows bool
	// ConcurrentCountTableRows counts in the background while copying; false counts before the copy starts.
	ConcurrentCountTableRows bool
	// UsedRowsEstimateMethod is set by the migration to the method that gave RowsEstimate.
	UsedRowsEstimateMethod RowsEstimateMethod
}
