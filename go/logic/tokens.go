package logic

import "sync"

// tokenBoard delivers tokens that come back through the stream to whoever waits for them. Delivering never blocks:
// a token that nobody waits for (any more) is dropped, so a cut-over attempt that has given up cannot hold up the
// stream, and what is kept does not grow with the number of attempts.
type tokenBoard struct {
	mutex   sync.Mutex
	waiting map[string]chan struct{}
}

func newTokenBoard() *tokenBoard {
	return &tokenBoard{waiting: map[string]chan struct{}{}}
}

// expect registers a token, which must be done before it is written. The channel is closed when the token arrives;
// forget must be called in the end.
func (b *tokenBoard) expect(token string) (arrived <-chan struct{}, forget func()) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	channel := make(chan struct{})
	b.waiting[token] = channel
	return channel, func() {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		delete(b.waiting, token)
	}
}

// deliver tells whoever waits for the token, once.
func (b *tokenBoard) deliver(token string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if channel, waits := b.waiting[token]; waits {
		close(channel)
		delete(b.waiting, token)
	}
}
