//! Every board's bytes against that board's emulator, without threads or ports: random masks, lost and garbled bytes.

#![allow(clippy::unwrap_used)] // helpers outside #[test] functions are test code too

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::edge::relay::boards::Reports;
use stackhand::edge::relay::{Codec, RelaySpec, SerialSpec, codec_of};
use stackhand::message::RelayMask;
use stackhand::profile::protocol::Protocol;
use stackhand::time::HostTime;
use stackhand::twin::relay_board::{Device, DeviceSettings};

/// Left with right, down with up.
const FORBIDDEN: [u8; 2] = [0b0011, 0b1100];
/// Commands lie so far apart that every contact is at rest before the next.
const APART_US: i64 = 100_000;
/// A contact's longest way: firmware, operate, bounce, and Modbus's silence.
const AT_REST_US: i64 = 20_000;

fn is_forbidden(mask: u8) -> bool {
    FORBIDDEN.iter().any(|chord| mask & chord == *chord)
}

/// A driver's language, and the emulator that it talks to.
struct Bench {
    name: String,
    codec: Box<dyn Codec>,
    device: Device,
    byte_us: f64,
}

fn serial(name: &str) -> Bench {
    let RelaySpec::Serial(spec) = RelaySpec::parse(name).unwrap() else { return adr(name) };
    bench(name, &spec)
}

fn adr(name: &str) -> Bench {
    let RelaySpec::Adr2200(spec) = RelaySpec::parse(name).unwrap() else { panic!("{name} is no board") };
    let mut serial = SerialSpec::new(Protocol::Adr2200, "x");
    serial.options.address = spec.address;
    bench(name, &serial)
}

fn bench(name: &str, spec: &SerialSpec) -> Bench {
    let (protocol, options) = (spec.protocol, spec.options);
    let settings = DeviceSettings { protocol, options, address: options.address, ..Default::default() };
    let byte_us = 1e7 / f64::from(spec.baud);
    Bench { name: name.into(), codec: codec_of(spec), device: Device::new(settings), byte_us }
}

/// Every protocol, with the options that make a difference.
fn all() -> Vec<Bench> {
    let names = [
        "adr2200:x",
        "adr2200:x?address=7",
        "lcus:x",
        "lcus:x?relays=4",
        "kmtronic:x",
        "kmtronic:x?relays=2",
        "usbrly:x",
        "numato:x",
        "conrad:x?address=1",
        "modbus:x",
        "modbus:x?slave=17&first=19&relays=6",
        "firmata:x",
        "firmata:x?pins=2-9&active=low",
        "firmata:x?pins=8-15&active=low",
        "firmata:x?pins=5-9",
    ];
    let mut benches: Vec<_> = names.into_iter().map(serial).collect();
    let hid = Device::hid(DeviceSettings::default());
    benches.push(Bench { name: "hid".into(), codec: Box::new(Reports { relays: 8 }), device: hid, byte_us: 300.0 });
    benches
}

impl Bench {
    fn relays(&self) -> u8 {
        u8::MAX >> (8 - self.codec.capabilities().relays)
    }

    /// Sends commands from `at` on, and shows the coils after every byte; the answers, and when the last byte arrived.
    fn send(&mut self, commands: &[Vec<u8>], at: HostTime, mut see: impl FnMut(u8)) -> (Vec<u8>, HostTime) {
        let (mut arrived, mut said) = (at.0 as f64, Vec::new());
        for byte in commands.concat() {
            arrived += self.byte_us;
            said.extend(self.device.feed(byte, HostTime(arrived as i64)));
            see(self.device.coils().0);
        }
        (said, HostTime(arrived as i64))
    }

    /// The greeting, at time 0.
    fn greet(&mut self) {
        let greeting = self.codec.greeting();
        self.send(&greeting, HostTime(0), |_| {});
    }

    fn ask(&mut self, at: HostTime) -> Option<RelayMask> {
        let question = self.codec.questions().first()?.bytes.clone();
        let (said, _) = self.send(&[question], at, |_| {});
        self.codec.answer(0, &said)
    }
}

/// A mask without a forbidden chord.
fn any_mask(rng: &mut Xoshiro256PlusPlus, relays: u8) -> u8 {
    loop {
        let mask = rng.random::<u8>() & relays;
        if !is_forbidden(mask) {
            return mask;
        }
    }
}

#[test]
fn ten_thousand_random_masks_never_set_a_wrong_relay_or_a_forbidden_chord() {
    for mut bench in all() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        bench.greet();
        let (mut told, mut before) = (None, 0);
        for n in 1..=10_000_i64 {
            // Every hundredth time nobody knows what the board holds.
            told = told.filter(|_| n % 100 != 0);
            let mask = any_mask(&mut rng, bench.relays());
            let start = HostTime(n * APART_US);
            let commands = bench.codec.encode(told, RelayMask(mask));
            let name = bench.name.clone();
            let (_, end) = bench.send(&commands, start, |coils| {
                assert!(!is_forbidden(coils), "{name}: {before:08b} to {mask:08b} passes through {coils:08b}");
                assert!(coils & !before == 0 || coils & !mask == 0, "{name}: {coils:08b} is in neither end");
            });
            assert_eq!(bench.device.coils(), RelayMask(mask), "{name}");
            let rest = HostTime(end.0 + AT_REST_US);
            assert_eq!(bench.device.closed_at(rest), RelayMask(mask), "{name}: the contacts at rest");
            // Where no relay is swapped for its opposite in one command, no contact bounces into a chord either.
            if !is_forbidden(before | mask) {
                let looks = (0..=20).map(|k| HostTime(start.0 + (rest.0 - start.0) * k / 20));
                assert!(looks.map(|at| bench.device.closed_at(at).0).all(|closed| !is_forbidden(closed)), "{name}");
            }
            (told, before) = (Some(RelayMask(mask)), mask);
        }
    }
}

#[test]
fn the_wire_time_of_a_change_is_what_its_bytes_take() {
    for mut bench in all().into_iter().filter(|bench| bench.codec.questions().len() < 11 && bench.name != "hid") {
        let wire = bench.codec.capabilities().wire;
        // USB boards and the silence after a Modbus frame are not bytes.
        let is_bytes = !["usbrly", "numato", "modbus"].iter().any(|name| bench.name.starts_with(name));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
        let mut before = RelayMask(0);
        for _ in 0..if is_bytes { 500 } else { 0 } {
            let mask = RelayMask(any_mask(&mut rng, bench.relays()));
            let commands = bench.codec.encode(Some(before), mask);
            let (_, end) = bench.send(&commands, HostTime(0), |_| {});
            assert!((wire.ms(before, mask) - end.ms()).abs() < 0.002, "{}: {before:?} to {mask:?}", bench.name);
            assert!(wire.ms(before, mask) <= wire.longest_ms(8) + 1e-9);
            before = mask;
        }
    }
}

#[test]
fn every_board_says_what_it_holds() {
    for mut bench in all().into_iter().filter(|bench| bench.name != "hid") {
        bench.greet();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        for n in 1..200_i64 {
            let mask = RelayMask(any_mask(&mut rng, bench.relays()));
            let commands = bench.codec.encode(None, mask);
            bench.send(&commands, HostTime(n * APART_US), |_| {});
            assert_eq!(bench.ask(HostTime(n * APART_US + 50_000)), Some(mask), "{}", bench.name);
        }
    }
}

/// On a line with checks a lost or changed byte costs its command; no relay takes a state that it was not told.
#[test]
fn a_lost_byte_costs_commands_but_moves_no_wrong_relay() {
    for name in ["lcus:x", "kmtronic:x", "conrad:x", "modbus:x", "firmata:x"] {
        let mut bench = serial(name);
        bench.greet();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
        let mut history = vec![0];
        let mut missed = 0;
        for n in 1..=2000_i64 {
            let mask = 1 << rng.random_range(0..8);
            let mut bytes = bench.codec.encode(None, RelayMask(mask)).concat();
            history.push(mask);
            if n % 3 == 0 {
                bytes.remove(rng.random_range(0..bytes.len()));
                // Half-told boards may have both; every relay's state must be one that it was told lately.
                history = vec![bench.device.coils().0, mask];
            } else {
                history = vec![mask, bench.device.coils().0, 0];
            }
            bench.send(&[bytes], HostTime(n * APART_US), |_| {});
            let coils = bench.device.coils().0;
            let told_on = history.iter().fold(0, |all, mask| all | mask);
            assert_eq!(coils & !told_on, 0, "{name}: {coils:08b}, told {history:?}");
            missed += u32::from(coils != mask);
            if n % 3 == 2 {
                // The second whole command after a lost byte always arrives.
                assert_eq!(coils, mask, "{name}");
            }
        }
        assert!(missed > 0, "{name}: no byte was ever missed");
    }
}

#[test]
fn a_garbled_frame_with_a_check_is_ignored() {
    for name in ["lcus:x", "conrad:x", "modbus:x"] {
        let mut bench = serial(name);
        bench.greet();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        for n in 1..=2000_i64 {
            let mut bytes = bench.codec.encode(Some(RelayMask(0)), RelayMask(1 << rng.random_range(0..8))).concat();
            let at = rng.random_range(0..bytes.len());
            bytes[at] ^= 1 << rng.random_range(0..8);
            bench.send(&[bytes], HostTime(n * APART_US), |_| {});
            assert_eq!(bench.device.coils(), RelayMask(0), "{name}");
        }
    }
}

#[test]
fn a_clone_of_the_adr2200_is_deaf_after_one_garbled_command() {
    let mut settings = DeviceSettings { is_clone: true, ..Default::default() };
    let mut clone = Device::new(settings.clone());
    let mut talk = |text: &str| text.bytes().flat_map(|byte| clone.feed(byte, HostTime(0))).collect::<Vec<u8>>();
    assert_eq!(talk("MK5\rRPK\r"), b"00000101\r");
    assert_eq!(talk("MK\u{7f}5\rRPK\rMK1\rRPK\r"), b"");
    settings.protocol = Protocol::Lcus;
    let mut lcus = Device::new(settings);
    assert!(lcus.feed(0xFF, HostTime(0)).is_empty(), "as many LCUS boards");
}

/// What `identify` asks, to every board: no coil may move, whatever the order.
#[test]
fn no_question_of_the_search_moves_a_relay_of_another_board() {
    let questions: [&[u8]; 8] =
        [b"RPK\r", b"3RPK\r", &[0x5A], &[0x38], &[0xF9], &[0xFF, 9, 0], &[1, 1, 0, 0, 0, 8, 0x3D, 0xCC], &[2, 1, 0, 3]];
    for protocol in Protocol::NAMED.map(|(protocol, _)| protocol) {
        let mut bench = bench(protocol.name(), &SerialSpec::new(protocol, "x"));
        bench.greet();
        let commands = bench.codec.encode(None, RelayMask(0b0101_0101));
        bench.send(&commands, HostTime(APART_US), |_| {});
        for (n, question) in questions.into_iter().enumerate() {
            // A reset opens a Firmata board's relays: it is asked for before `FF`.
            if protocol == Protocol::Firmata && question[0] == 0xFF {
                continue;
            }
            bench.send(&[question.to_vec()], HostTime((n as i64 + 2) * APART_US), |coils| {
                assert_eq!(coils, 0b0101_0101, "{protocol:?} at {}", question.escape_ascii());
            });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_board_falls_over_garbage(bytes in proptest::collection::vec(any::<u8>(), 0..200), gaps in 0_i64..20_000) {
        for mut bench in all() {
            for (n, byte) in bytes.iter().enumerate() {
                bench.device.feed(*byte, HostTime(n as i64 * gaps));
            }
            prop_assert_eq!(bench.device.coils().0 & !bench.relays(), 0);
        }
    }

    #[test]
    fn no_answer_makes_a_driver_fall_over(heard in proptest::collection::vec(any::<u8>(), 0..100)) {
        for bench in all() {
            for question in 0..4 {
                if let Some(mask) = bench.codec.answer(question, &heard) {
                    prop_assert!(bench.relays() == 255 || bench.name.starts_with("numato") || mask.0 & !bench.relays() == 0);
                }
            }
        }
    }
}
