# Two commands for a person: `make demo` (see it play) and `make test` (everything that CI runs).
# On Debian and Ubuntu both install what the system lacks; elsewhere the README says what to install.

CARGO ?= cargo
# Where cargo builds, if the user has said so.
TARGET = $(or $(CARGO_TARGET_DIR),target)
# nokhwa's bindings need libclang when they are built; video needs the ffmpeg program when it runs.
PACKAGES = libclang1 ffmpeg gcc libc6-dev pkg-config
# What is needed to build without cameras.
DEMO_PACKAGES = gcc libc6-dev
# The relay board's firmware, and the simulated processor that tests it.
FIRMWARE_PACKAGES = gcc-avr avr-libc
# What only the tests need: the simulated processor, and a browser for the page. They skip, and say so, what is not there.
TEST_PACKAGES = $(FIRMWARE_PACKAGES) simavr libsimavr-dev libelf-dev chromium chromium-driver $(PLAY_PACKAGES) tint ltris python3 python3-venv libxtst6
# A game that nobody here wrote, and where to play it.
PLAY_PACKAGES = vitetris xdotool xterm xvfb xfonts-base
# Modern games that nobody here wrote.
MODERN = tetris-terminal==0.4.5 tetris-tui==1.0.0
# What the virtual machine needs; Debian's kernel is downloaded for it, and not installed.
VM_PACKAGES = qemu-system-x86 busybox-static cpio kmod v4l-utils python3
SUDO = $(shell test "$$(id -u)" = 0 || echo sudo)

.PHONY: all demo play-demo test tests-that-wait tests-that-reckon attacks lint lean deny spell third-party fuzz bench firmware flash screenshots system system-test vm-test book man clean

all: system
	$(CARGO) build --release

## Builds in less than half the time what needs no camera and no window, then plays the simulated console through a simulated
## camera and relay board for about a minute.
demo:
	@$(MAKE) --no-print-directory system PACKAGES="$(DEMO_PACKAGES)"
	$(CARGO) build --profile demo --no-default-features --features page
	$(TARGET)/demo/stackhand dry-run --realtime --pieces 1000 --seconds 60

## Plays vitetris, a game that nobody here wrote, on this computer's own screen and by its keys, for about a minute.
play-demo:
	@$(MAKE) --no-print-directory system PACKAGES="$(DEMO_PACKAGES) $(PLAY_PACKAGES)"
	$(CARGO) build --profile demo --no-default-features --features page,desktop
	sh contrib/play-demo.sh $(TARGET)/demo/stackhand

## Formatting, lints, and every test, from nothing as quickly as may be. The lints read the examples, too, so they are not
## built.
test: export CARGO_INCREMENTAL = 0
test: export CARGO_PROFILE_DEV_DEBUG = false
test: system-test lint deny spell
	$(CARGO) test --quiet --tests --no-run
	@$(MAKE) --no-print-directory -j2 -k tests-that-wait tests-that-reckon
	@$(WITHIN) $(CARGO) test --quiet --test program --test web -- --ignored --test-threads 1

# Those that mostly wait run beside those that mostly reckon; what they say comes in one piece. Neither may hang: the
# longest of them takes five minutes on two slow cores, and a test that is stuck is named in what it had said. What needs a
# quiet computer comes last.
WITHIN = $(shell command -v timeout >/dev/null && echo timeout --kill-after=10 1800)

tests-that-wait:
	@log=$(TARGET)/tests-that-wait.log; \
	$(WITHIN) $(CARGO) test --quiet --no-fail-fast --test attacks --test edges --test program --test web >$$log 2>&1; \
	status=$$?; $(WITHIN) $(CARGO) test --quiet --doc >>$$log 2>&1 || status=1; cat $$log; test $$status -ne 124 || echo "these tests were ended after half an hour"; exit $$status

tests-that-reckon:
	@$(WITHIN) $(CARGO) test --quiet --no-fail-fast --lib --bins --test pure --test vision

## Kills, stops and deafens robot, watchdog and board in every way, so often each: how long relays stay closed.
TRIALS ?= 20
attacks: system
	$(CARGO) test --quiet --test attacks -- --trials $(TRIALS) --limit-ms 1300

lint: system
	$(CARGO) fmt --check
	$(CARGO) clippy --quiet --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --quiet --no-deps --lib

## Builds for training and replay alone, without cameras, pages and a window, and so without libclang.
lean:
	$(CARGO) clippy --quiet --no-default-features --all-targets -- -D warnings
	$(CARGO) build --release --no-default-features

## Licences, sources and known flaws of everything that is built in (deny.toml, docs/dependencies.md).
deny:
	@if ! command -v cargo-deny >/dev/null; then \
		echo "SKIPPED: licences, sources and advisories were not checked; cargo install --locked cargo-deny"; \
	else \
		$(CARGO) deny --all-features check --hide-inclusion-graph licenses bans sources && \
		if $(CARGO) deny fetch db >/dev/null 2>&1; then \
			$(CARGO) deny --all-features check --hide-inclusion-graph advisories; \
		elif ls -d $${CARGO_HOME:-$$HOME/.cargo}/advisory-dbs/*/crates >/dev/null 2>&1; then \
			echo "The advisories are a copy; there is no way to newer ones."; \
			$(CARGO) deny --offline --all-features check --hide-inclusion-graph advisories; \
		else \
			echo "SKIPPED: advisories were not checked; there is no copy of them and no way to one"; \
		fi; \
	fi

## The words of README and docs (typos.toml).
spell:
	@if ! command -v typos >/dev/null; then \
		echo "SKIPPED: the spelling of README and docs was not checked; cargo install --locked typos-cli"; \
	else \
		typos --force-exclude *.md docs hardware/*.md hardware/firmware/README.md src/app/cmd/topics; \
	fi

## The notices of everything that is built in.
third-party:
	THIRD_PARTY_WRITE=1 $(CARGO) test --quiet --test program third_party::

## Throws bytes at everything that reads some, SECONDS long each: docs/fuzzing.md.
SECONDS ?= 60
fuzz: system
	sh fuzz/run.sh $(SECONDS)

## Speed of the parts that must be fast.
bench: system
	$(CARGO) bench

## The relay board's firmware, for an Arduino Uno or Nano: see hardware/firmware/README.md. OPTIONS="-DACTIVE_LOW=1 …".
firmware flash: PACKAGES += $(FIRMWARE_PACKAGES) avrdude
firmware: system
	$(MAKE) -C hardware/firmware OUT=$(CURDIR)/target/firmware

## Onto the board at PORT=/dev/ttyUSB0, with the options built last; BOOTLOADER=old for an old Nano.
flash: system
	$(MAKE) -C hardware/firmware flash OUT=$(CURDIR)/target/firmware

## Cameras and ports through the true kernel drivers, in a virtual machine (docs/vm-test.md); beside `test`, not part of it.
## Some of the checks: make vm-test CHECKS="sigkill every_press"
vm-test: PACKAGES += $(VM_PACKAGES)
vm-test: all
	python3 tests/vm/run.py $(TARGET)/release/stackhand $(CHECKS) --out $(TARGET)/vm-test $(if $(SLOW),--slow $(SLOW))

## The guide as a book, in target/book (mdBook: cargo install --locked mdbook).
book:
	@command -v mdbook >/dev/null || { echo "mdbook is not here: cargo install --locked mdbook"; exit 1; }
	rm -rf target/book-src && mkdir -p target/book-src
	cp -r docs hardware contrib calibration .github *.md docs/book.toml target/book-src/
	sed 's#](\.\./#](#; t; s#](\([a-z]\)#](docs/\1#g' docs/introduction.md >target/book-src/index.md
	sed 's#](introduction.md)#](../index.md)#; s#](\([a-z]\)#](docs/\1#; s#](\.\./#](#' docs/SUMMARY.md >target/book-src/SUMMARY.md
	sed -i 's#](docs/SUMMARY.md)#](index.md)#' target/book-src/README.md target/book-src/CONTRIBUTING.md
	printf '\n# Hardware\n\n' >>target/book-src/SUMMARY.md
	for page in hardware/*.md hardware/firmware/README.md; do \
		echo "- [$$(sed -n 's/^# //p' $$page | head -1)]($$page)" >>target/book-src/SUMMARY.md; done
	printf '\n# Besides\n\n- [Rooms and threads](ARCHITECTURE.md)\n' >>target/book-src/SUMMARY.md
	for page in README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md THIRD-PARTY.md; do \
		echo "- [$$(sed -n 's/^# //p' $$page | head -1)]($$page)" >>target/book-src/SUMMARY.md; done
	for page in .github/ISSUE_TEMPLATE/*.md; do \
		echo "- [$$(sed -n 's/^name: //p' $$page | head -1)]($$page)" >>target/book-src/SUMMARY.md; done
	mdbook build target/book-src --dest-dir $(CURDIR)/target/book

## Manual pages and what shells complete, in target/man and target/completions, for packages.
man: all
	mkdir -p target/man target/completions
	$(TARGET)/release/stackhand man --force --out target/man
	$(TARGET)/release/stackhand completions bash >target/completions/stackhand.bash
	$(TARGET)/release/stackhand completions zsh >target/completions/_stackhand
	$(TARGET)/release/stackhand completions fish >target/completions/stackhand.fish

## The pictures of the page in README and docs, from dry runs.
screenshots: all
	$(CARGO) run --release --example screenshots -- docs $(TARGET)/release/stackhand
	python3 docs/film.py $(TARGET)/release/stackhand docs/playing.webp

## What only the tests need; they skip, and say so, what cannot be installed.
system-test: system
	@$(MAKE) --no-print-directory system PACKAGES="$(TEST_PACKAGES)" || echo "not all test packages could be installed: their tests will be skipped"
	@test -x $(TARGET)/modern/bin/tetris && test -x $(TARGET)/modern/bin/terminal-tetris || { python3 -m venv $(TARGET)/modern && $(TARGET)/modern/bin/pip install --quiet --disable-pip-version-check --retries 1 --timeout 20 $(MODERN); } \
		|| echo "SKIPPED: $(MODERN) of the Python package index could not be installed, so no modern game is played"

## Installs the packages that are missing, where there is apt.
system:
	@if command -v apt-get >/dev/null; then \
		missing=""; \
		for p in $(PACKAGES); do \
			dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'install ok installed' || missing="$$missing $$p"; \
		done; \
		if [ -n "$$missing" ]; then \
			echo "installing:$$missing"; \
			$(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends $$missing; \
		fi; \
	fi

clean:
	$(CARGO) clean
