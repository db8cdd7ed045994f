package testserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// pool holds the servers that the tests of one package share.
type pool struct {
	mu      sync.Mutex
	options Options // of all of them, but for the flavor
	servers map[Flavor]*Server
	errs    map[Flavor]error // a flavor that could not be started once is not tried again
}

// shared is a variable of the package because `go test` gives a test nothing but its T: what TestMain made can
// reach the tests in no other way. There is one test binary, so one pool.
var shared = &pool{servers: map[Flavor]*Server{}, errs: map[Flavor]error{}}

// Main runs the tests, ends the shared servers that they used, and returns the exit code. The options apply to the shared
// servers of both flavors (Options.Flavor is ignored).
func Main(m *testing.M, options Options) int {
	shared.options = options
	code := m.Run()
	if err := shared.stop(context.Background()); err != nil {
		fmt.Fprintf(os.Stderr, "testserver: %v\n", err)
		return max(code, 1)
	}
	return code
}

// Shared returns the server of this flavor that all tests of the package share. Its user must leave it as it was.
func Shared(t testing.TB, flavor Flavor) *Server {
	t.Helper()
	skipUnlessWanted(t, flavor)
	server, err := shared.get(context.WithoutCancel(t.Context()), flavor)
	if err != nil {
		t.Fatalf("testserver: %v", err)
	}
	return server
}

// Both runs a test against the shared MySQL server and the shared MariaDB server, as subtests named mysql and mariadb.
func Both(t *testing.T, test func(t *testing.T, server *Server)) {
	t.Helper()
	for _, flavor := range []Flavor{MySQL, MariaDB} {
		t.Run(string(flavor), func(t *testing.T) { test(t, Shared(t, flavor)) })
	}
}

// BothFresh is Both with servers of the test's own, for tests that kill, restart or reconfigure them.
func BothFresh(t *testing.T, options Options, test func(t *testing.T, server *Server)) {
	t.Helper()
	for _, flavor := range []Flavor{MySQL, MariaDB} {
		t.Run(string(flavor), func(t *testing.T) {
			options.Flavor = flavor
			test(t, Start(t, options))
		})
	}
}

func skipUnlessWanted(t testing.TB, flavor Flavor) {
	t.Helper()
	if testing.Short() {
		t.Skipf("needs a %s server; not run with -short", flavor)
	}
	if wanted := os.Getenv("TEST_FLAVORS"); wanted != "" && !slices.Contains(strings.Split(wanted, ","), string(flavor)) {
		t.Skipf("TEST_FLAVORS=%s leaves out %s", wanted, flavor)
	}
}

func (p *pool) get(ctx context.Context, flavor Flavor) (*Server, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.servers[flavor] == nil && p.errs[flavor] == nil {
		options := p.options
		options.Flavor = flavor
		server, err := start(ctx, options)
		if err != nil {
			p.errs[flavor] = err
			return nil, err
		}
		server.shared = true
		p.servers[flavor] = server
	}
	return p.servers[flavor], p.errs[flavor]
}

func (p *pool) stop(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, server := range p.servers {
		errs = append(errs, server.stop(ctx))
	}
	clear(p.servers)
	return errors.Join(errs...)
}
