package differential

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/github/gh-ost/go/internal/testserver"
)

// checksByDefault and seedByDefault make every `go test` try the same few cases. Others are for `make soak`.
const (
	checksByDefault = "5"
	seedByDefault   = "1"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{
		"rapid.checks": checksByDefault, "rapid.seed": seedByDefault,
		"rapid.nofailfile": "true", // the seed and the printed case are enough
	} {
		if given[name] {
			continue
		}
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintf(os.Stderr, "differential: %v\n", err)
			return 1
		}
	}
	return testserver.Main(m, testserver.Options{})
}

func TestRandomTablesComeOutAsByANativeALTER(t *testing.T) {
	for _, flavor := range []testserver.Flavor{testserver.MySQL, testserver.MariaDB} {
		t.Run(string(flavor), func(t *testing.T) {
			t.Parallel()
			server := testserver.Shared(t, flavor)
			outcomes := &tally{counts: map[string]int{}}
			var failed randomCase // the last that did, which is the smallest
			var failure error
			defer func() {
				t.Logf("outcomes on %s: %s", flavor, outcomes)
				if failure == nil {
					return
				}
				failed, failure = minimize(t.Context(), server, failed, failure)
				t.Logf("%v\n\nthe smallest case, for a folder of localtests/:\n%s", failure, failed)
				if err := failed.save(flavor, failure); err != nil {
					t.Error(err)
				}
			}()
			rapid.Check(t, func(rt *rapid.T) {
				c := drawCase(rt, flavor)
				outcome, err := tryCase(t.Context(), server, c)
				if errors.Is(err, errNoCase) {
					outcomes.add("no such table")
					rt.Skip(err)
				}
				if err != nil {
					failed, failure = c, err
					summary, _, _ := strings.Cut(err.Error(), "\n")
					rt.Fatal(summary)
				}
				outcomes.add(outcome)
			})
		})
	}
}

// tally counts what came out.
type tally struct {
	mutex  sync.Mutex
	counts map[string]int
}

func (y *tally) add(outcome string) {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	y.counts[outcome]++
}

func (y *tally) String() string {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	var parts []string
	for _, outcome := range slices.Sorted(maps.Keys(y.counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", y.counts[outcome], outcome))
	}
	return strings.Join(parts, ", ")
}
