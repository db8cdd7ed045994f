package base

import "context"

// SendWithContext sends a value unless the context ends first, in which case it returns the context's error. An ended
// context wins even if the channel could take the value.
func SendWithContext[T any](ctx context.Context, ch chan<- T, val T) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case ch <- val:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
