package mysql

// Trigger is a trigger of a table, as information_schema.triggers has it.
type Trigger struct {
	Name      string
	Event     string // INSERT, UPDATE or DELETE
	Statement string // the body
	Timing    string // BEFORE or AFTER
}
