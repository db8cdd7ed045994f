package ledger

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
)

// step is one statement, with the number of rows the server must say it changed.
type step struct {
	query    string
	args     []any
	affected int64
}

// anyNumber as a step's affected leaves the number unchecked: statements that change no rows.
const anyNumber = -1

// operation changes the share as the statements it returns will change the table. It returns none, and changes
// nothing, where the share has not got the rows or free values it needs.
type operation func(*planner) []step

// planner makes transactions for one share.
type planner struct {
	*share
	table  string // escaped
	random *rand.Rand
}

// weighted operations: hand-overs of unique values are what breaks naive copying, so they are the larger part. As many
// rows come as go.
var operations = []struct {
	name   string
	weight int
	plan   operation
}{
	{"insert", 22, (*planner).insert},
	{"update", 20, (*planner).update},
	{"update many", 4, (*planner).updateMany},
	{"move slot", 12, (*planner).moveSlot},
	{"swap slots", 14, (*planner).swapSlots},
	{"delete", 6, (*planner).delete},
	{"take over slot by update", 10, (*planner).takeOverByUpdate},
	{"take over slot by insert", 6, (*planner).takeOverByInsert},
	{"replace", 5, (*planner).replace},
	{"replace by slot", 5, (*planner).replaceBySlot},
	{"replace two rows", 3, (*planner).replaceTwo},
	{"upsert", 4, (*planner).upsert},
	{"change id", 6, (*planner).changeID},
	{"take over id", 3, (*planner).takeOverID},
}

// operate plans one operation, drawn by weight. A share that has strayed far from its first size is led back.
func (p *planner) operate() []step {
	switch {
	case p.live.len() > p.size+p.size/8+4:
		return p.delete()
	case p.live.len() < p.size-p.size/8-4:
		return p.insert()
	}
	total := 0
	for _, candidate := range operations {
		total += candidate.weight
	}
	for {
		drawn := p.random.IntN(total)
		for _, candidate := range operations {
			if drawn -= candidate.weight; drawn < 0 {
				if steps := candidate.plan(p); steps != nil {
					return steps
				}
				break
			}
		}
	}
}

func (p *planner) insert() []step {
	ids, slots := p.freeIDs.draw(p.random, 1), p.freeSlots.draw(p.random, 1)
	if len(ids) == 0 || len(slots) == 0 {
		return nil
	}
	return []step{p.insertRow(ids[0], p.newRow(slots[0]))}
}

func (p *planner) insertRow(id int64, now row) step {
	p.put(id, &now)
	return step{"INSERT INTO " + p.table + " (id, slot, payload, counter) VALUES (?, ?, ?, ?)",
		[]any{id, now.slot, now.payload, now.counter}, 1}
}

func (p *planner) update() []step {
	ids := p.live.draw(p.random, 1)
	if len(ids) == 0 {
		return nil
	}
	now := p.rows[ids[0]]
	now.payload = p.newPayload()
	now.counter++
	p.put(ids[0], &now)
	return []step{{"UPDATE " + p.table + " SET payload = ?, counter = counter + 1 WHERE id = ?", []any{now.payload, ids[0]}, 1}}
}

func (p *planner) updateMany() []step {
	ids := p.live.draw(p.random, 2+p.random.IntN(9))
	if len(ids) == 0 {
		return nil
	}
	list := make([]string, len(ids))
	for i, id := range ids {
		now := p.rows[id]
		now.counter += 10
		p.put(id, &now)
		list[i] = fmt.Sprint(id)
	}
	return []step{{"UPDATE " + p.table + " SET counter = counter + 10 WHERE id IN (" + strings.Join(list, ", ") + ")", nil, int64(len(ids))}}
}

func (p *planner) moveSlot() []step {
	ids, slots := p.live.draw(p.random, 1), p.freeSlots.draw(p.random, 1)
	if len(ids) == 0 || len(slots) == 0 {
		return nil
	}
	return []step{p.setSlot(ids[0], slots[0])}
}

func (p *planner) setSlot(id, slot int64) step {
	now := p.rows[id]
	now.slot = slot
	now.counter++
	p.put(id, &now)
	return step{"UPDATE " + p.table + " SET slot = ?, counter = counter + 1 WHERE id = ?", []any{slot, id}, 1}
}

// swapSlots takes a detour over a free value, as a unique key is checked row by row.
func (p *planner) swapSlots() []step {
	ids, slots := p.live.draw(p.random, 2), p.freeSlots.draw(p.random, 1)
	if len(ids) < 2 || len(slots) == 0 {
		return nil
	}
	first, second := p.rows[ids[0]].slot, p.rows[ids[1]].slot
	return []step{p.setSlot(ids[0], slots[0]), p.setSlot(ids[1], first), p.setSlot(ids[0], second)}
}

func (p *planner) delete() []step {
	ids := p.live.draw(p.random, 1)
	if len(ids) == 0 {
		return nil
	}
	return []step{p.deleteRow(ids[0])}
}

// deleteRow deletes by either unique key.
func (p *planner) deleteRow(id int64) step {
	slot := p.rows[id].slot
	p.put(id, nil)
	if p.random.IntN(4) == 0 {
		return step{"DELETE FROM " + p.table + " WHERE slot = ?", []any{slot}, 1}
	}
	return step{"DELETE FROM " + p.table + " WHERE id = ?", []any{id}, 1}
}

func (p *planner) takeOverByUpdate() []step {
	ids := p.live.draw(p.random, 2)
	if len(ids) < 2 {
		return nil
	}
	slot := p.rows[ids[0]].slot
	return []step{p.deleteRow(ids[0]), p.setSlot(ids[1], slot)}
}

func (p *planner) takeOverByInsert() []step {
	ids, free := p.live.draw(p.random, 1), p.freeIDs.draw(p.random, 1)
	if len(ids) == 0 || len(free) == 0 {
		return nil
	}
	slot := p.rows[ids[0]].slot
	return []step{p.deleteRow(ids[0]), p.insertRow(free[0], p.newRow(slot))}
}

// replace meets a row with the same id, and gives it another slot where one is free.
func (p *planner) replace() []step {
	ids := p.live.draw(p.random, 1)
	if len(ids) == 0 {
		return nil
	}
	slot := p.rows[ids[0]].slot
	if free := p.freeSlots.draw(p.random, 1); len(free) > 0 && p.random.IntN(2) == 0 {
		slot = free[0]
	}
	return []step{p.replaceRow(ids[0], p.newRow(slot), 2)}
}

// replaceBySlot meets a row with another id.
func (p *planner) replaceBySlot() []step {
	ids, free := p.live.draw(p.random, 1), p.freeIDs.draw(p.random, 1)
	if len(ids) == 0 || len(free) == 0 {
		return nil
	}
	slot := p.rows[ids[0]].slot
	p.put(ids[0], nil)
	return []step{p.replaceRow(free[0], p.newRow(slot), 2)}
}

// replaceTwo meets one row by its id and another by its slot.
func (p *planner) replaceTwo() []step {
	ids := p.live.draw(p.random, 2)
	if len(ids) < 2 {
		return nil
	}
	slot := p.rows[ids[1]].slot
	p.put(ids[1], nil)
	return []step{p.replaceRow(ids[0], p.newRow(slot), 3)}
}

func (p *planner) replaceRow(id int64, now row, affected int64) step {
	p.put(id, &now)
	return step{"REPLACE INTO " + p.table + " (id, slot, payload, counter) VALUES (?, ?, ?, ?)",
		[]any{id, now.slot, now.payload, now.counter}, affected}
}

func (p *planner) upsert() []step {
	ids := p.live.draw(p.random, 1)
	if len(ids) == 0 {
		return nil
	}
	now := p.rows[ids[0]]
	now.payload = p.newPayload()
	now.counter++
	p.put(ids[0], &now)
	return []step{{"INSERT INTO " + p.table + " (id, slot, payload, counter) VALUES (?, ?, ?, 0)" +
		" ON DUPLICATE KEY UPDATE payload = ?, counter = counter + 1", []any{ids[0], now.slot, now.payload, now.payload}, 2}}
}

func (p *planner) changeID() []step {
	ids, free := p.live.draw(p.random, 1), p.freeIDs.draw(p.random, 1)
	if len(ids) == 0 || len(free) == 0 {
		return nil
	}
	return []step{p.setID(ids[0], free[0])}
}

// takeOverID gives a row the id that another row just had.
func (p *planner) takeOverID() []step {
	ids := p.live.draw(p.random, 2)
	if len(ids) < 2 {
		return nil
	}
	return []step{p.deleteRow(ids[0]), p.setID(ids[1], ids[0])}
}

func (p *planner) setID(from, to int64) step {
	now := p.rows[from]
	now.counter++
	p.put(from, nil)
	p.put(to, &now)
	return step{"UPDATE " + p.table + " SET id = ?, counter = counter + 1 WHERE id = ?", []any{to, from}, 1}
}

// newRow differs from the row that it may replace in its counter at least: a server that replaces a row by its equal
// counts one change instead of two.
func (p *planner) newRow(slot int64) row {
	return row{slot: slot, payload: p.newPayload(), counter: p.random.Int64N(1 << 40)}
}

// letters that need one to four bytes, and those that quoting has to mind.
var letters = []rune("abcdefghijklmnopqrstuvwxyz ABCDEF 0123456789 äöüßéñ €ﬁ漢字 😀🐬 '\"\\%_\n\t")

// newPayload returns NULL, an empty or a longer text.
func (p *planner) newPayload() sql.NullString {
	switch p.random.IntN(20) {
	case 0:
		return sql.NullString{}
	case 1:
		return sql.NullString{Valid: true}
	}
	text := make([]rune, 1+p.random.IntN(60))
	for i := range text {
		text[i] = letters[p.random.IntN(len(letters))]
	}
	return sql.NullString{String: string(text), Valid: true}
}
