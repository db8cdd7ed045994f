package localtests

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// Environment variables that choose what is run.
const (
	scopeVariable    = "LOCALTESTS"          // all: every case; else every third
	topologyVariable = "LOCALTESTS_TOPOLOGY" // one of the topologies; empty: primary
	parallelVariable = "LOCALTESTS_PARALLEL" // how many cases run at the same time on a server
)

// everyThird is the share of the cases that runs unless all are wanted. They are taken in the order of their names, which
// begin with their family's, so every family is among them.
const everyThird = 3

// defaultParallel suits cases that wait for timers most of the time.
func defaultParallel() int { return 3 * runtime.GOMAXPROCS(0) }

// program is the tool under test, built by TestMain, with the race detector if the tests have it.
var program string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	if testing.Short() {
		return m.Run() // everything is skipped
	}
	fail := func(err error) int {
		fmt.Fprintf(os.Stderr, "localtests: %v\n", err)
		return 1
	}
	parallel := defaultParallel()
	if text := os.Getenv(parallelVariable); text != "" {
		var err error
		if parallel, err = strconv.Atoi(text); err != nil {
			return fail(fmt.Errorf("%s: %w", parallelVariable, err))
		}
	}
	if err := flag.Set("test.parallel", strconv.Itoa(parallel)); err != nil {
		return fail(err)
	}
	folder, err := os.MkdirTemp("", "localtests")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(folder)
	program = filepath.Join(folder, "gh-ost")
	arguments := []string{"build", "-o", program}
	if raceDetector {
		arguments = append(arguments, "-race")
	}
	if output, err := exec.Command("go", append(arguments, "github.com/github/gh-ost/go/cmd/gh-ost")...).CombinedOutput(); err != nil {
		return fail(fmt.Errorf("build the program: %w\n%s", err, output))
	}
	options := testserver.Options{Replica: topologyOf(os.Getenv(topologyVariable)) != onPrimary}
	return testserver.Main(m, options)
}

func TestEveryTableIsMigratedAsByANativeALTER(t *testing.T) {
	topology := topologyOf(os.Getenv(topologyVariable))
	all := os.Getenv(scopeVariable) == "all" || flag.Lookup("test.run").Value.String() != ""
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		cases := readCases(t, server.Flavor, topology)
		if !all {
			cases = slices.DeleteFunc(cases, func(c *testCase) bool { return c.number%everyThird != 0 })
		}
		topology.requireAvailable(t)
		// Those that need the server for themselves come first: parallel ones start when all others are through.
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				if c.ignore != "" {
					t.Skip("ignored: " + c.ignore)
				}
				if c.runsAlone() || topology.runsAlone() {
					c.setGlobals(t, server)
					if topology == onReplica { // there it is the replica that alters
						c.setGlobals(t, server.Replica)
					}
				} else {
					t.Parallel()
				}
				newTrial(t, server, topology, c).run()
			})
		}
	})
}

func TestCasesHaveNoFilesThatNobodyReads(t *testing.T) {
	for _, flavor := range []testserver.Flavor{testserver.MySQL, testserver.MariaDB} {
		for _, c := range readCases(t, flavor, onPrimary) {
			require.Empty(t, c.unknownFiles(t), "case %s", c.name)
		}
	}
}
