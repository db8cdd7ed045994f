package ledger

// transaction is what a writer sends next. The planner's share is already as the table will be after it.
type transaction struct {
	steps    []step
	explicit bool // BEGIN … COMMIT around it; else one statement that commits by itself
	rollback bool // ends in ROLLBACK: the writer takes it back from the share
}

// plan draws the next transaction.
func (p *planner) plan() transaction {
	switch drawn := p.random.IntN(100); {
	case drawn < 60:
		steps := p.operate()
		return transaction{steps: steps, explicit: len(steps) > 1 || p.random.IntN(4) == 0}
	case drawn < 85:
		return transaction{steps: p.several(), explicit: true}
	case drawn < 93:
		return transaction{steps: p.withSavepoint(), explicit: true}
	default:
		return transaction{steps: p.several(), explicit: true, rollback: true}
	}
}

func (p *planner) several() []step {
	var steps []step
	for range 2 + p.random.IntN(4) {
		steps = append(steps, p.operate()...)
	}
	return steps
}

// withSavepoint does, undoes and does: what lies between was in the server's transaction, and must not be in the table.
func (p *planner) withSavepoint() []step {
	steps := p.operate()
	mark := p.savepoint()
	steps = append(steps, step{query: "SAVEPOINT halfway", affected: anyNumber})
	steps = append(steps, p.several()...)
	p.rollbackTo(mark)
	steps = append(steps, step{query: "ROLLBACK TO SAVEPOINT halfway", affected: anyNumber})
	return append(steps, p.operate()...)
}
