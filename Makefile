# `make` alone lists what there is to make.

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unversioned)
COMMIT  ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)

MODULE  := github.com/github/gh-ost
LDFLAGS := -X main.AppVersion=$(VERSION) -X main.GitCommit=$(COMMIT)

# Packages that start servers run two at a time: each has up to four server processes of its own.
TEST_PROCESSES ?= 2
TEST_TIMEOUT   ?= 40m
TEST_FLAGS     ?=
GO_TEST        := $(GO) test -race -p $(TEST_PROCESSES) -timeout $(TEST_TIMEOUT) $(TEST_FLAGS)

# Packages whose tests ask for servers.
TESTSERVER = $(MODULE)/go/internal/testserver
INTEGRATION_PACKAGES = $(shell $(GO) list -f '{{range .TestImports}}{{if eq . "$(TESTSERVER)"}}{{$$.ImportPath}} {{end}}{{end}}{{range .XTestImports}}{{if eq . "$(TESTSERVER)"}}{{$$.ImportPath}} {{end}}{{end}}' ./...)

GOLANGCI_LINT_VERSION := v2.15.0
GOLANGCI_LINT         := .cache/bin/golangci-lint-$(GOLANGCI_LINT_VERSION)

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/gh-ost
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/gh-ost ./go/cmd/gh-ost

.PHONY: demo
demo: setup build ## migrate a table under load on a server of its own, and watch it
	script/demo

.PHONY: test
test: setup servers ## run all tests, on real MySQL and MariaDB servers
	$(GO_TEST) ./...

.PHONY: unit
unit: setup ## run the tests that need no server
	$(GO_TEST) -short ./...

.PHONY: integration
integration: setup servers ## run the packages whose tests need servers
	$(GO_TEST) $(INTEGRATION_PACKAGES)

.PHONY: faults
faults: setup servers ## run the fault tests: kills, freezes and lost connections at every step, many times
	FAULTS=all $(GO) test -race -count 3 -run Fault -timeout 3h $(TEST_FLAGS) ./go/logic/...

.PHONY: soak
soak: setup servers ## look for faults with fresh seeds: random migrations, tables under load (MINUTES= SEED= FLAVOR= DEATHS=)
	MINUTES='$(MINUTES)' SEED='$(SEED)' FLAVOR='$(FLAVOR)' DEATHS='$(DEATHS)' script/soak

.PHONY: pairs
pairs: setup servers ## compare the conversions of all pairs of column types with those of native ALTERs (an hour)
	PAIRS=all $(GO) test -count=1 -timeout 3h -run 'TestEachPairOfTypes|TestEachPairOfKeyTypes' -v ./go/sql ./go/logic

.PHONY: bench
bench: setup servers ## measure copying and applying against a native ALTER (ROWS= REPEAT= WORKLOADS= FLAVOR= PEER=)
	script/bench

.PHONY: bench-cutover
bench-cutover: setup servers ## measure how long clients wait at a cut-over (SUCCESSES= TIMEOUTS= FLAVOR= PEER=)
	script/bench-cutover

.PHONY: bench-chunks
bench-chunks: setup servers ## measure the copy in plain SQL, by sessions and chunk size (ROWS= REPEAT= FLAVOR=)
	script/bench chunks

.PHONY: bench-doc
bench-doc: ## write the tables and plots of the last benchmarks into doc/ (OUT=)
	$(GO) run ./go/cmd/gh-ost-bench document --out=$(or $(OUT),.cache/bench)

.PHONY: lint
lint: setup $(GOLANGCI_LINT) ## run the linters, which also hold the import rules
	$(GOLANGCI_LINT) run ./...

# golangci-lint has far more dependencies than the project: it is built outside of the module.
$(GOLANGCI_LINT):
	GOBIN=$(CURDIR)/.cache/bin GOFLAGS=-mod=mod $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv .cache/bin/golangci-lint $@

.PHONY: vet
vet: ## run go vet, and gofmt as a check
	$(GO) vet ./...
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
		if [ -n "$$unformatted" ]; then echo "not formatted (make fmt):"; echo "$$unformatted"; exit 1; fi

.PHONY: fmt
fmt: ## format the code
	gofmt -l -w $$(git ls-files '*.go')

.PHONY: completions
completions: ## write the shell completions, the manual page and doc/flags.md from the table of flags
	$(GO) test ./go/cmd/gh-ost -run 'UpToDate|Help' -update

.PHONY: vendor
vendor: ## copy the dependencies into vendor/, as source releases carry them
	$(GO) mod vendor

.PHONY: clean
clean: ## stop all servers of this checkout, delete what was built and fetched
	script/mysql-server stop --all
	rm -rf bin .cache

# What a bare Debian machine lacks is installed; elsewhere it is named.
.PHONY: setup
setup:
	@script/setup

# Fetched before the tests start, so that their time limits do not have to cover it.
.PHONY: servers
servers: setup
	@script/mysql-server fetch
