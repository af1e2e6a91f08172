# Go is all that has to be there; `make test` installs the servers it starts.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
TOOL := go tool -modfile=internal/tools/go.mod
ALLOCS := go test -timeout 20m -count 1 -run 'Memory|Alloc|FieldsAreTheCallers' ./proxy/ ./proxy/express/ ./cmd/internal/wiring/

.PHONY: help build test race allocs lint bench refusals answers caches tail pages e2e soak deps
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / {printf "%-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
build: ## both programs, static, into bin/
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...
test: deps ## everything, under the race detector
	go vet ./...
	go test -race -timeout 20m ./...
	$(ALLOCS)
race: deps ## everything again, nothing from the cache
	go test -race -timeout 20m -count 1 ./...
	$(ALLOCS)
allocs: deps ## what is answered by the million takes no new memory: to the last one, which the race detector cannot tell
	$(ALLOCS)
lint: ## staticcheck and errcheck, as pinned in internal/tools
	$(TOOL) staticcheck ./...
	$(TOOL) errcheck -exclude .ci/errcheck ./...
bench: deps ## what a login feels while a crowd is at the door
	go run ./bench/door
refusals: deps ## what a no costs beside a request that is passed on
	go run ./bench/refusals
answers: deps ## what the answers of the day cost beside nginx, HAProxy and Caddy
	@.ci/deps answers
	go run ./bench/answers
caches: ## the public cache tests against waitroom, nginx and Varnish, into docs/cache.md
	@.ci/deps caches
	go run ./bench/caches -write
tail: ## of those told that it is hopeless, who would have got one, into docs/tail.md
	go run ./bench/tail -write
pages: deps ## pictures of every page, their weight and their first paint, into docs/pages.md
	go test -timeout 20m -count 1 -run 'Pictures|Weight|TenMinutes|FirstPaint' ./internal/browser/ -update
e2e: deps ## whole sales through the front door
	go test -race -timeout 20m -count 1 ./internal/e2e/...
soak: deps ## a million shoppers, whole sales for hours, files of a gigabyte, a minute for each fuzz target
	WAITROOM_PACE=all go test -timeout 1h -count 1 ./queueing/
	WAITROOM_SHOPPERS=1000000 WAITROOM_SEEDS=20 go test -timeout 1h -count 1 ./cmd/internal/rehearsal/
	WAITROOM_CLIENTS=whole WAITROOM_RESTARTS=whole WAITROOM_ROUNDS=500 go test -race -timeout 6h -count 1 ./internal/e2e/...
	WAITROOM_ROUNDS=500 go test -race -timeout 2h -count 1 ./internal/chaos/
	WAITROOM_PAGES=all go test -race -timeout 2h -count 1 ./internal/browser/
	WAITROOM_FLOODS=all go test -timeout 1h -count 1 -run 'Flood|Hostile' ./proxy/
	.ci/fuzz 60s
deps: ## install what the tests need and is not there
	@.ci/deps
