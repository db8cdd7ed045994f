package apply

import (
	"context"
	"sync"
)

// Hold keeps the writer from changing the ghost table. It returns when the batch that the writer was at is done, and from then
// on nothing is applied until release is called; calling that again does nothing. Markers that come before any change are
// still passed on. If the context ends first, its error is returned and nothing is held.
func (w *Writer) Hold(ctx context.Context) (release func(), err error) {
	if err := w.takeTurn(ctx); err != nil {
		return nil, err
	}
	var once sync.Once
	return func() { once.Do(w.endTurn) }, nil
}

// takeTurn waits until nobody else changes the ghost table, or holds the writer.
func (w *Writer) takeTurn(ctx context.Context) error {
	select {
	case w.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *Writer) endTurn() { <-w.turn }

// applyInTurn applies a batch when the writer is not held.
func (w *Writer) applyInTurn(ctx context.Context, entries []entry) error {
	if err := w.takeTurn(ctx); err != nil {
		return err
	}
	defer w.endTurn()
	return w.apply(ctx, entries)
}
