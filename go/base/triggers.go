package base

import "strings"

// TriggerSettings says whether the original's triggers move along, and under which names.
type TriggerSettings struct {
	// IncludeTriggers creates the original's triggers on the new table.
	IncludeTriggers bool
	// RemoveTriggerSuffix strips TriggerSuffix from a trigger name that ends in it, where it would be appended otherwise.
	RemoveTriggerSuffix bool
	// TriggerSuffix keeps the names of new and old triggers apart: names are unique in a schema.
	TriggerSuffix string
}

// GetGhostTriggerName gives the new table's name for one of the original's triggers. The result may be longer than
// a server accepts; that is for the inspection to refuse.
func (t *TriggerSettings) GetGhostTriggerName(triggerName string) string {
	if t.RemoveTriggerSuffix && t.TriggerSuffix != "" && strings.HasSuffix(triggerName, t.TriggerSuffix) {
		return strings.TrimSuffix(triggerName, t.TriggerSuffix)
	}
	return triggerName + t.TriggerSuffix
}
