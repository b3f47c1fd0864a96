# Everything that is done with this project, each under one word. `make` alone lists them.
#
# What needs doing once (system packages, peers for the tests) leaves a stamp under .build/stamps and is not done again.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

SWIFT ?= swift
PREFIX ?= /usr/local
# Seconds that each fuzzer runs.
T ?= 60

stamps := .build/stamps
debug := .build/debug/unmask
optimised := .build/release/unmask
demo_capture := fixtures/chromium-websocket/capture.pcapng

# A release carries Swift's runtime with it, so that the installed program runs where there is no Swift.
release_flags := -c release --product unmask
ifeq ($(shell uname -s),Linux)
# Nothing looks symbols up in it, whose names would be a tenth of the installed program. Functions of the same code are one, where nothing takes their
# addresses (gold and lld): half a megabyte less.
release_flags += --static-swift-stdlib -Xlinker --no-export-dynamic -Xlinker --icf=safe
endif

.PHONY: help demo build test example quick release install uninstall dist bench bench-instructions memcheck bench-opening bench-proxy bench-console bench-watch format lint docs docs-library golden pictures fuzz attack compare autobahn spark record clean assets test-console

help: ## lists these
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## builds, prints a captured conversation, then shows a live one through the proxy
	@echo '$$ unmask read $(demo_capture)'
	@$(debug) read $(demo_capture)
	@echo; echo '$$ unmask demo'
	@$(debug) demo

build: $(stamps)/packages ## builds the program for debugging
	$(SWIFT) build --product unmask
	@scripts/preload.sh .build/debug

test: $(stamps)/packages ## builds the optimised program and every test, runs them on it, holds what reading costs, says what was skipped
	@SWIFT="$(SWIFT)" scripts/test.sh

example: $(stamps)/packages ## builds docs/examples/library as a package that depends on this one, and runs its tests
	@SWIFT="$(SWIFT)" scripts/library-example.sh

quick: $(stamps)/packages ## builds and tests what reads captures alone, without the proxy
	UNMASK_QUICK=1 $(SWIFT) test --scratch-path .build/quick -Xswiftc -gnone $(if $(FILTER),--filter '$(FILTER)')

release: $(stamps)/packages ## builds the optimised program for use: .build/release/unmask
	$(SWIFT) build $(release_flags)
	@scripts/preload.sh .build/release

install: release ## installs the program, its man pages and completions to PREFIX (/usr/local)
	@scripts/install.sh .build/release/unmask "$(PREFIX)"

uninstall: ## takes away what install has put to PREFIX
	@scripts/install.sh --remove "$(PREFIX)"

dist: release ## makes what a release consists of in .build/dist: tar.gz, package for Debian, list of parts (SPDX), checksums
	@scripts/dist.sh .build/release/unmask .build/dist

bench: release ## measures reading: packets a CPU second, and memory (BENCH="--peer" adds tshark)
	@scripts/bench.sh $(BENCH)

bench-instructions: release ## holds instructions and memory of reading against scripts/costs.txt (UPDATE=1 writes them there; needs valgrind)
	@scripts/bench-instructions.sh $(if $(UPDATE),--update)

memcheck: release $(stamps)/peers ## runs the release program under valgrind: every fixture in each form of output, and a proxy in use (MEMCHECK=--short)
	@scripts/memcheck.sh $(MEMCHECK)

bench-opening: $(stamps)/packages ## measures what it costs to open a record of TLS, beside `openssl speed`
	UNMASK_OPENING=1 $(SWIFT) build -c release --product unmask-opening
	scripts/bench-opening.py .build/release/unmask-opening

bench-proxy: release ## measures relaying beside haproxy: CPU an operation, latency, memory, the log (BENCH="--runs 1 --memory 0")
	@scripts/bench-proxy.sh $(BENCH)

bench-watch: release $(stamps)/peers ## measures what `run --watch` takes of a program's CPU time, beside tcpdump (as root)
	@PYTHONPATH=.build/peers scripts/bench_watch.py $(optimised)

assets: ## writes the console's page (Sources/WebConsole/Page) into the Swift file that the program carries it in
	@scripts/assets.py

test-console: release $(stamps)/peers ## tries the console's page in Chromium, with a million messages; pictures of it go to .build/console
	PYTHONPATH=.build/peers Tests/Peers/console_page.py $(optimised) --full .build/console

# Seconds of each of the three live runs of bench-console.
console_seconds ?= 600

bench-console: release $(stamps)/peers ## measures what the web console costs, with a million messages and live (console_seconds=60 for a short run)
	@PYTHONPATH=.build/peers scripts/bench_console.py $(optimised) 1000000 $(console_seconds)

format: ## formats every Swift file in place
	$(SWIFT) format format --in-place --parallel --recursive Sources Tests docs/examples Package.swift

lint: ## checks the format, and with the tests as they were built last the rules of the house; builds nothing
	$(SWIFT) format lint --strict --parallel --recursive Sources Tests docs/examples Package.swift
	@scripts/house-rules.sh

docs: build ## writes docs/findings.md, the schema and tables of the log format, and the samples anew from the program
	@scripts/docs.sh $(debug)

docs-library: $(stamps)/packages ## builds the documentation of the library with DocC: .build/library.doccarchive
	$(SWIFT) build --target UnmaskDecryption
	@SWIFT="$(SWIFT)" scripts/docs-library.sh .build/debug/Modules

golden: release ## writes the expected output under fixtures/ anew, by the optimised program; read the difference before you commit it
	scripts/wires.sh
	UNMASK_PROGRAM=$(optimised) UNMASK_GOLDEN=rewrite $(SWIFT) test --filter Golden

pictures: build $(stamps)/peers ## takes the pictures of the text on terminals of 80, 120 and 200 columns anew (tmux); look at each
	scripts/pictures.sh $(debug)

compare: release $(stamps)/peers ## holds our reading against tshark's, over fixtures/ and UNMASK_CAPTURES
	scripts/compare-tshark.py --unmask $(optimised)
	scripts/compare-filter.py --program "$(optimised) read --format ndjson --payload none"
	scripts/compare-payloads.py --unmask $(optimised) fixtures/messaging-*/capture.pcapng fixtures/http2-grpc/capture.pcapng

autobahn: release $(stamps)/peers ## runs the whole Autobahn test suite with and without the proxy (AUTOBAHN="--quick")
	Tests/Autobahn/run.py --unmask .build/release/unmask $(AUTOBAHN)

spark: ## spreads captures over two workers of PySpark, lands them as Parquet and checks it (needs Java; SPARK="FOLDER")
	@scripts/spark/run.sh $(SPARK)

record: $(stamps)/peers ## records fixtures/ anew between real programs on loopback (as root)
	scripts/record/all.sh

fuzz: $(stamps)/packages ## runs each fuzzer, optimised and with AddressSanitizer, for T seconds (T=600), or some (FUZZ="http2 payloads/mqtt", FUZZ=formats)
	@SWIFT="$(SWIFT)" scripts/fuzz.sh $(T) $(FUZZ)

attack: release ## breaks sessions with a proxy for T seconds, holds 8,000 idle ones, fills its disk; mutates captures as long (T=600)
	Tests/Peers/attack.py .build/release/unmask sessions --seconds $(T) --seed $$RANDOM
	Tests/Peers/attack.py .build/release/unmask idle --count 8000
	Tests/Peers/attack.py .build/release/unmask disk
	UNMASK_PROGRAM=$(optimised) UNMASK_CUTS=all UNMASK_MUTATIONS=$$(($(T) * 150)) $(SWIFT) test --disable-xctest --filter 'CutCapture|MutatedCapture|KilledProxy'

clean: ## removes what was built
	rm -rf .build

$(stamps)/packages: scripts/install-packages.sh
	@scripts/install-packages.sh
	@mkdir -p $(@D) && touch $@

$(stamps)/peers: scripts/install-peers.sh
	@scripts/install-peers.sh
	@mkdir -p $(@D) && touch $@
