package differential

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/github/gh-ost/go/internal/testserver"
)

// minimizeTime bounds how long a failing case is made smaller, beyond what rapid has done.
const minimizeTime = time.Minute

// minimize takes statements and actions away for as long as the case fails without them. It knows what a case is made of,
// which rapid, that shrinks the random choices behind it, does not. It returns the smallest that failed, and its failure.
func minimize(ctx context.Context, server *testserver.Server, c randomCase, failure error) (randomCase, error) {
	end := time.Now().Add(minimizeTime)
	for smaller := true; smaller; {
		smaller = false
		for part := range c.parts() {
			for i := 0; i < len(*c.parts()[part]); {
				if time.Now().After(end) || ctx.Err() != nil {
					return c, failure
				}
				attempt := c
				list := attempt.parts()[part]
				*list = slices.Delete(slices.Clone(*list), i, i+1)
				_, err := tryCase(ctx, server, attempt)
				if err == nil || errors.Is(err, errNoCase) {
					i++
					continue
				}
				c, failure, smaller = attempt, err, true
			}
		}
	}
	return c, failure
}

// parts are the lists that the case can lose elements of.
func (c *randomCase) parts() []*[]string {
	return []*[]string{&c.after, &c.beside, &c.before, &c.rows, &c.actions}
}
