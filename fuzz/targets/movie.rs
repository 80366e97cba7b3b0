#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stackhand::fuzzing::enter("movie", bytes));
