# Quayside. `make help` lists the targets.
MODULES := gateway shipments-svc tokens-svc deploy/client deploy
# Without vet, which the linter runs.
TEST    := go test -race -vet=off -shuffle=on -count=1 -timeout 30m

# One set of build flags everywhere, so that what one command compiled the next finds in the cache.
# The tags leave out databases of Caddy's certificate authority, which the gateway does not have. Without DWARF, which
# only debuggers read, compiling takes a fifth less.
export GOFLAGS := -trimpath -tags=nobadger,nobbolt,nomysql,nopgx -gcflags=all=-dwarf=false

# The race detector sleeps for a second at the end of every program, which is a second for each package of tests.
export GORACE := atexit_sleep_ms=0

.PHONY: help run generate test test-all test-race test-whole test-pooled generated bench lab neighbours test-compose lint clean release release-check images servers devstack gotestsum helm versitygw

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: servers ## start everything on this machine, with demo data; Ctrl-C stops it
	@echo 'building  devstack, which starts everything else'
	@$(MAKE) --no-print-directory devstack
	@exec .bin/devstack run

# What needs servers, browsers or minutes that only CI has, and what is not a test of the product.
CI_ONLY  := /deploy/(kubernetes|monitoring|lab|release)
# Each of these runs whole programs: test-all runs one at a time, after the others, once all are compiled.
WHOLE    := ./gateway/integration ./shipments-svc/internal/postgres ./deploy/test/e2e ./deploy/test/browser ./deploy/backup ./deploy/lab/resilience
UNIT      = $(filter-out $(WHOLE:./%=\%/%),$(shell GOFLAGS="$(GOFLAGS)" go list $(MODULES:%=./%/...)))
SERVERS   = CI=true TEST_ALL=true TEST_VERSITYGW=$(CURDIR)/.bin/versitygw .bin/devstack exec --

# Without the race detector, which compiles everything a second time: the packages that `make run` builds are compiled.
test: servers devstack gotestsum ## run the tests of a change, on real Postgres and Redis
	@env -u CI CGO_ENABLED=0 .bin/devstack exec -- .bin/gotestsum --format pkgname --format-hide-empty-pkg -- -vet=off $(shell echo $(UNIT) | tr " " "\n" | grep -vE "$(CI_ONLY)")

test-all: test-race test-whole ## run everything that CI runs: race detector, whole programs, Chromium, PgBouncer, kills

test-race: devstack versitygw helm
	@$(SERVERS) $(TEST) $(UNIT)
	@cd deploy/examples/coldchain && GOWORK=off $(TEST) ./...

test-whole: devstack versitygw
	@$(SERVERS) sh -ec '$(TEST) -exec true $(WHOLE) >/dev/null; $(TEST) -p 1 $(WHOLE)'
	@$(if $(findstring gateway,$(WHOLE)),$(SERVERS) env CGO_ENABLED=0 go test -count=1 ./gateway/integration -run FitsTheMemoryLimit)
	@$(if $(findstring postgres,$(WHOLE)),$(MAKE) --no-print-directory test-pooled)

# Through PgBouncer in transaction mode.
test-pooled: devstack
	@$(SERVERS) sh -ec 'TEST_DATABASE_DIRECT_URL=$$TEST_DATABASE_URL \
	TEST_DATABASE_URL=$${TEST_DATABASE_POOLED_URL:?PgBouncer is needed} \
	$(TEST) -p 1 ./shipments-svc/internal/postgres ./tokens-svc/internal/postgres'

generated: devstack ## send 20,000 generated requests, in about 15 minutes (ARGS='-seed 7 -requests 100000')
	@.bin/devstack exec -- sh -c 'cd deploy && $(TEST) -timeout 0 ./test/e2e -run Generated -v -budget 0 -requests 20000 -seed '$$(date +%s)' $(ARGS)'

bench: ## the gateway beside a bare Caddy; ARGS=scale: lists of 1,000,000 rows
	@CGO_ENABLED=0 go build -C deploy -o $(CURDIR)/.bin/bench ./lab/bench
	@exec .bin/bench $(ARGS)

lab: ## lose each part of the product under load, and print what requests notice (ONLY= chooses)
	@$(RESILIENCE) 'Outages/$(ONLY)'

neighbours: ## work beside hostile organizations, and print what a good one notices (ONLY= chooses)
	@$(RESILIENCE) 'Neighbours/$(ONLY)'

RESILIENCE := CGO_ENABLED=0 go test -C deploy ./lab/resilience -count=1 -timeout 0 -v -all -run

test-compose: ## test an upgrade and a failing migration on a Docker engine with the images of `make images`
	@TEST_COMPOSE=true go test -count=1 -v ./deploy/compose -run FailingMigration

# Debian's, for which apt-get installs a reader of YAML. Elsewhere: make generate PYTHON=python3
PYTHON := /usr/bin/python3

# The chart without what an overlay of kustomize adds.
KUSTOMIZE_BASE := ../../.bin/helm template quayside chart --kube-version 1.34 --set-string prefix= \
	--set kustomize=true,migrations.hook=false,networkPolicy.postgres=null,networkPolicy.redis=null

generate: ## write what is derived from the code: deploy/docs/reference, the clients, API documents of the gateway, kustomize's base
	@for program in shipments tokens; do cp $$program-svc/api/openapi.yaml gateway/apidocs/openapi/$$program.yaml; done
	@CGO_ENABLED=0 go run ./deploy/cmd/reference .
	@cd deploy && go generate ./client
	@cd deploy/client/typescript && npm ci --silent --ignore-scripts && npm run --silent generate >/dev/null
	@$(PYTHON) deploy/client/python/generate.py
	@$(MAKE) --no-print-directory helm
	@cd deploy/kubernetes && $(KUSTOMIZE_BASE) >base/objects.yaml && \
	$(KUSTOMIZE_BASE) --set monitoring.enabled=true --show-only templates/monitoring.yaml >monitoring/objects.yaml && \
	$(KUSTOMIZE_BASE) --set-string backup.schedule='15 2 * * *' --show-only templates/backup.yaml >backup/objects.yaml

lint: ## run golangci-lint over every module
	@GOWORK=off CGO_ENABLED=0 go build -C deploy/tools -o $(CURDIR)/.bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@for m in $(MODULES); do echo "--- $$m"; (cd $$m && CGO_ENABLED=0 $(CURDIR)/.bin/golangci-lint run ./...) || exit 1; done
	@echo "--- deploy/examples/coldchain"; cd deploy/examples/coldchain && GOWORK=off CGO_ENABLED=0 $(CURDIR)/.bin/golangci-lint run ./...

clean: devstack ## remove what `make run` and the builds left
	@.bin/devstack clean
	@rm -rf .bin deploy/test/browser/node_modules

release: ## write archives, SBOMs and checksums of HEAD to dist (VERSION=v1.2.3; the tag of HEAD by default)
	@deploy/release/release.sh $(VERSION)

release-check: ## build the release twice, from nothing, and compare, in about ten minutes
	@deploy/release/release.sh check $(VERSION)

images: ## build the container images, as ghcr.io/quayside/PROGRAM:dev (VERSION=v1.2.3 is another tag)
	@if docker compose version >/dev/null 2>&1; then compose='docker compose'; else compose=docker-compose; fi; \
	QUAYSIDE_VERSION=$(or $(VERSION),dev) QUAYSIDE_REVISION=$$(git rev-parse HEAD) $$compose build

# Whether devstack will find or fetch a Postgres, before anything is compiled.
servers:
	@{ [ "$$DATABASE_URL" ] || command -v initdb || command -v npm || { [ "$$(id -u)" = 0 ] && command -v apt-get; } || \
	ls /usr/lib/postgresql/*/bin/initdb || ls -d /opt/homebrew/opt/postgresql@* || ls -d /usr/local/opt/postgresql@* || \
	ls "$${XDG_CACHE_HOME:-$$HOME/.cache}/quayside" || ls "$$HOME/Library/Caches/quayside"; } >/dev/null 2>&1 || \
	{ cat deploy/test/devstack/embedded/missing.txt >&2; exit 1; }

devstack:
	@CGO_ENABLED=0 GOGC=400 go build -C deploy -o $(CURDIR)/.bin/devstack ./cmd/devstack

# Lists what was skipped, and why.
gotestsum:
	@GOWORK=off CGO_ENABLED=0 go build -C deploy/tools/gotestsum -o $(CURDIR)/.bin/gotestsum gotest.tools/gotestsum

# For `generate`, and for tests of the chart.
helm:
	@GOWORK=off CGO_ENABLED=0 go build -C deploy/tools/helm -o $(CURDIR)/.bin/helm helm.sh/helm/v3/cmd/helm

# An S3 server, for the tests of storage.
versitygw:
	@GOWORK=off CGO_ENABLED=0 go build -C deploy/tools/versitygw -o $(CURDIR)/.bin/versitygw github.com/versity/versitygw/cmd/versitygw
