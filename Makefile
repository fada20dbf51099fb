# Thin aliases: the work stands in the scripts that they name. `make help` lists them.
SHELL := /bin/sh
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help wow test test-long sim grid bench bench-image bench-layers bench-pages bench-pool fuzz image figures clean host host-arm64

# Runs a command, prints how long it took, and ends as it ended.
timed = @started=$$(date +%s); code=0; $(1) || code=$$?; \
	echo "make $@: $$(( $$(date +%s) - started )) s"; exit $$code

# A run of `make test` prints its count last, alone on the line, so its time stands in the table above it.
help: ## these lines
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

host: # what this machine must have; installs it as root
	@WOW_TARGETS="$(MAKECMDGOALS)" appliance/host-packages

host-arm64: # what an image for arm64 needs besides
	@WOW_TARGETS="$(MAKECMDGOALS)" appliance/host-packages test/packages-arm64.txt

wow: host ## image, a pool of three virtual machines, a scientist's job across it; KEEP=1 leaves the pool running
	$(call timed,KEEP="$(KEEP)" appliance/lab/wow)

test: host ## every test; ends with one line `N passed, N failed`; WITHIN=SECONDS ends it by then, and tells what failed so far
	@test/run $(if $(WITHIN),--within $(WITHIN))

test-long: host host-arm64 ## the tests that take too long for every commit, hours; docs/test-long.json keeps what each came to
	@test/run --long

sim: host ## the overlay in virtual time: table, sim.json and pictures in build/out/sim; SIM="--scenario join --size 200" for less
	$(call timed,test/Simulation/sim $(SIM))

grid: host ## every pair of 25 sites, most behind NATs, with real ipopd processes: docs/nat-grid.svg, test/netns/grid/last.json
	$(call timed,test/netns/grid/run)

bench: host ## the fast path beside the bare wire, wireguard-go and nebula; BENCH="--rounds 5 --seconds 10"
	$(call timed,test/netns/bench/run $(BENCH))

bench-pool: host ## a pool of whole machines: matches, jobs a second, outages, a manager of a thousand; BENCH="--short" for a first look
	$(call timed,test/pool/bench/run $(BENCH))

bench-image: host ## the image: sizes, logins beside the one of BEFORE=FOLDER, work on home and layers beside a plain ext4; BENCH="--short"
	$(call timed,appliance/image/build && test/image/bench/run $(if $(BEFORE),--before "$(BEFORE)") $(BENCH))

bench-layers: host ## publish of a module of 100 MB, and compose of three modules: seconds on this machine
	$(call timed,appliance/image/parts && test/image/bench/layers $(BENCH))

bench-pages: host ## the pages: processor, memory, bytes and seconds in a browser, with 1,000 machines and 10,000 jobs; BENCH="--short"
	$(call timed,test/pages/bench/run $(BENCH))

fuzz: host ## hostile input to every parser; SECONDS=60, TARGET=NAME for one, SEED=N again, REPLAY=FILE for one input
	@test/Fuzz/run --seed $(or $(SEED),$$(date +%s)) $(if $(REPLAY),--replay "$(REPLAY)",--seconds $(or $(SECONDS),60)) $(if $(TARGET),--target "$(TARGET)")

image: host $(if $(filter arm64,$(ARCH)),host-arm64) ## the image alone: qcow2, OVA, VHDX and Vagrant boxes in build/out; ARCH=arm64: that one, in build/arm64/out
	$(call timed,WOW_ARCH="$(ARCH)" appliance/image/build)

figures: ## the figures of docs/performance.md, as the last `make wow` and `make test` left them
	@test/figures

clean: ## removes build/; the cache of slow things stays in ~/.cache/wow
	rm -rf build
