package mysql

// BinlogCoordinates is a place in a server's binary log: a file and an offset, or the set of transactions up to there.
// Values are immutable by convention: whoever wants to move one clones it first. Coordinates of different kinds are
// never equal, nor is one smaller than the other.
type BinlogCoordinates interface {
	// String returns the coordinates in the form in which they can be read back.
	String() string
	// DisplayString returns the coordinates as people see them.
	DisplayString() string
	// IsEmpty tells whether the coordinates name no place.
	IsEmpty() bool
	// Equals tells whether both are the same place.
	Equals(other BinlogCoordinates) bool
	// SmallerThan tells whether this place comes strictly before the other. For sets of transactions it means that
	// the other has all of these and more; two sets may well be neither smaller, equal nor greater.
	SmallerThan(other BinlogCoordinates) bool
	// SmallerThanOrEquals tells whether a reader who has arrived at the other has passed, or stands at, this place.
	SmallerThanOrEquals(other BinlogCoordinates) bool
	// Clone returns an independent copy.
	Clone() BinlogCoordinates
}
