# Each target does its own set-up on a machine that has Rust.

CARGO ?= cargo
OUT   ?= out

.PHONY: run test test-without-captures check bench fuzz setup

# The viewer; without a display, the built-in character as pictures.
run: setup
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		$(CARGO) run --release --; \
	else \
		echo "No display (DISPLAY and WAYLAND_DISPLAY are empty): rendering the performer to $(OUT)/ instead."; \
		mkdir -p $(OUT) && $(CARGO) run --release -- render --frame 60 -o $(OUT)/performer.png \
			&& $(CARGO) run --release -- render --frames 0..120 --fps 15 --size 480x480 -o $(OUT)/performer.gif; \
	fi

# All tests twice: with the viewer and real captures, and without both, as a fresh clone
# on a machine without a display sees them.
test: setup
	$(CARGO) test
	KINETOSCOPE_CORPUS=none $(CARGO) test --no-default-features

# What needs real captures alone, as a fresh clone without them sees it.
WITH_CAPTURES = $(patsubst tests/%.rs,--test %,$(shell grep -lE '\b(corpus|alongside_corpus|captured)\b' tests/*.rs))
test-without-captures: setup
	KINETOSCOPE_CORPUS=none $(CARGO) test --no-default-features $(WITH_CAPTURES)
	KINETOSCOPE_CORPUS=none $(CARGO) test --no-default-features --lib captures
	KINETOSCOPE_CORPUS=none $(CARGO) test --test golden -- real_capture model

# What must hold before a change lands; the tests are `make test`.
check: setup
	$(CARGO) fmt --check
	$(CARGO) clippy --all-targets -- -D warnings
	$(CARGO) clippy --all-targets --no-default-features -- -D warnings
	RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links" $(CARGO) doc --no-deps --document-private-items

# All benchmarks, closed by a table of ratios.
bench: setup
	$(CARGO) bench
	@sh .ci/ratios

# Seeded mutations over the readers: two million of ASF and AMC, half a million each of BVH,
# containers and glTF; 200,000 valid files with extreme values, of all formats, up to the picture.
fuzz: setup
	KINETOSCOPE_FUZZ_CASES=2000000 $(CARGO) test --release --no-default-features --test fuzz -- --nocapture
	KINETOSCOPE_FUZZ_CASES=500000 $(CARGO) test --release --no-default-features --test fuzz_bvh -- --nocapture
	KINETOSCOPE_FUZZ_CASES=500000 $(CARGO) test --release --no-default-features --lib codec::kin
	KINETOSCOPE_FUZZ_CASES=500000 $(CARGO) test --release --no-default-features --test fuzz_gltf -- --nocapture
	KINETOSCOPE_FUZZ_CASES=200000 $(CARGO) test --release --no-default-features --test fuzz_semantic -- --nocapture
	KINETOSCOPE_FUZZ_CASES=200000 $(CARGO) test --release --no-default-features --test fuzz_animator -- --nocapture
	KINETOSCOPE_FUZZ_CASES=20000 $(CARGO) test --release --lib app::settings

setup:
	@sh .ci/setup
