//! The demo's routines on the console's own bytes ($9D5B, $9DB0, $98F1), and demos played on both.

use super::rom::Listing;
use super::{Dice, of_listing, of_model};
use stackhand::game::Buttons;
use stackhand::game::nes::console::Screen;
use stackhand::game::nes::demo::Demo;
use stackhand::game::nes::{Choice, Console, Phase, Region, Setup};
use std::sync::Arc;

/// Spawn orientations as they follow each other from $994E on.
const SPAWN: [u8; 8] = [0x02, 0x07, 0x08, 0x0A, 0x0B, 0x0E, 0x12, 0x02];

/// $CE–$D3 by name, and what lies at $DD00–$DFFF.
pub struct Tables {
    rom: [u8; 768],
    /// $D0.
    recording: bool,
    held: u8,
    repeats: u8,
    /// $D1–$D2.
    address: u16,
    index: u8,
    /// $C0.
    mode: u8,
}

impl Tables {
    fn new(rom: [u8; 768], recording: bool) -> Self {
        Self { rom, recording, held: 0, repeats: 0, address: 0xDD00, index: 0, mode: 5 }
    }

    pub fn init(&mut self) {
        (self.held, self.repeats, self.index, self.address) = (0, 0, 0, 0xDD00);
    }

    /// $98F1.
    pub fn choose(&mut self) -> u8 {
        let x = self.index;
        self.index = self.index.wrapping_add(1);
        let value = self.rom[512 + usize::from(x)];
        SPAWN[usize::from(value >> 1 >> 1 >> 1 >> 1 & 7)]
    }

    /// $9D5B; the pad, and $F7 as it was. Gives $F5 and $F7.
    pub fn poll(&mut self, pad: u8, before: u8) -> (u8, u8) {
        let newly = pad & !before;
        if self.recording {
            self.record(pad);
            return (newly, pad);
        }
        if self.mode != 5 {
            return (newly, pad);
        }
        if newly == 0x10 {
            self.address = 0xDD00 | self.address & 0xFF;
            self.mode = 1;
            return (newly, pad);
        }
        if self.repeats != 0 {
            self.repeats -= 1;
            return (0, self.held);
        }
        let buttons = self.rom[usize::from(self.address - 0xDD00)];
        self.address += 1;
        let newly = (self.held ^ buttons) & buttons;
        self.held = buttons;
        self.repeats = self.rom[usize::from(self.address - 0xDD00)];
        self.address += 1;
        if self.address >> 8 == 0xDF {
            return (newly, pad);
        }
        (newly, self.held)
    }

    /// $9DBF.
    fn record(&mut self, pad: u8) {
        if pad == self.held {
            self.repeats = self.repeats.wrapping_add(1);
            return;
        }
        for byte in [self.held, self.repeats] {
            self.rom[usize::from(self.address - 0xDD00)] = byte;
            self.address += 1;
        }
        if self.address >> 8 != 0xDF {
            (self.held, self.repeats) = (pad, 0);
        }
    }

    /// $8142.
    fn is_over(&self) -> bool {
        self.mode != 5 || self.address >> 8 == 0xDF
    }
}

fn tables(dice: &mut Dice) -> [u8; 768] {
    let (mut held, mut rom) = (0, [0; 768]);
    let is_calm = dice.draw(2) == 0;
    for pair in rom[..512].chunks_exact_mut(2) {
        // With Start it would pause or end itself.
        pair[0] = dice.hold(&mut held, is_calm).0 & !0x30;
        pair[1] = dice.draw(30) as u8;
    }
    rom[512..].fill_with(|| dice.draw(256) as u8);
    rom
}

fn as_demo(rom: &[u8; 768]) -> Arc<Demo> {
    let hex: String = rom.iter().map(|byte| format!("{byte:02X}")).collect();
    Arc::new(Demo::parse(&hex).unwrap())
}

/// A console that is about to load the demo, and the listing in the same state.
fn about_to_load(rom: [u8; 768], recording: bool) -> (Console, Listing) {
    let mut console = Console::power_on(Setup::default());
    if recording {
        console.record_demo();
    }
    console.insert_demo(as_demo(&rom));
    console.wait_for_demo();
    let mut listing = Listing::new(&console, Region::Ntsc, Choice::default());
    listing.demo = Some(Tables::new(rom, recording));
    (console, listing)
}

/// The game's screen is loaded and its variables are set, in both.
fn load(console: &mut Console, listing: &mut Listing) {
    let recording = listing.demo.as_mut().map(|demo| std::mem::take(&mut demo.recording));
    for _ in 0..4 {
        console.frame(Buttons::NONE);
        listing.nmi(0, false);
    }
    if let (Some(demo), Some(recording)) = (&mut listing.demo, recording) {
        demo.recording = recording;
    }
    listing.init_game_state();
}

/// One frame of both; whether the demo is over.
fn step(console: &mut Console, listing: &mut Listing, pad: Buttons) -> bool {
    let was_paused = listing.paused;
    listing.nmi(pad.0, !was_paused);
    console.frame(pad);
    if !was_paused && listing.demo.as_ref().is_some_and(Tables::is_over) {
        return true;
    }
    match was_paused {
        true => listing.pause_loop(),
        false => listing.logic(),
    }
    assert_eq!(of_listing(listing), of_model(console, listing.play_state == 1), "frame {:?}", console.frame);
    false
}

/// From the title screen into a game of the player's own; what the bytes hold stays.
fn begin_game(console: &mut Console, listing: &mut Listing) {
    for i in 0.. {
        console.frame(if i % 2 == 0 { Buttons::START } else { Buttons::NONE });
        if console.menu.screen == Screen::Loading {
            break;
        }
    }
    listing.demo = None;
    let register = console.random.register;
    (listing.seed, listing.spawn_count) = ([(register >> 8) as u8, register as u8], console.random.spawn_count);
    (listing.frame_counter, listing.level, listing.held) = (console.frame.0 as u16, 0, 0x10);
    load(console, listing);
}

#[test]
fn demos_agree_with_the_listing_and_so_do_the_games_after_them() {
    let (mut ended, mut left, mut carried, mut in_the_air) = (0, 0, 0, 0);
    for seed in 0..60 {
        let mut dice = Dice(40_000 + seed);
        let (mut console, mut listing) = about_to_load(tables(&mut dice), false);
        load(&mut console, &mut listing);
        let leaves_at = if seed % 3 == 0 { 20_000 } else { dice.draw(2500) };
        for frame in 0.. {
            // Whatever the pad does but Start alone is not looked at.
            let pad = if frame == leaves_at { Buttons::START } else { Buttons(dice.draw(256) as u8 | 0x81) };
            if listing.play_state == 1 && dice.draw(40) == 0 {
                fill_for_a_clear(&mut console, &mut listing);
            }
            let is_over = if pad == Buttons::START {
                // Held by the demo, no button is newly pressed; Start is in none of its pairs.
                step(&mut console, &mut listing, pad)
            } else {
                step(&mut console, &mut listing, pad.without(Buttons::START))
            };
            if is_over {
                break;
            }
            // Where it is of interest: in a clear.
            if listing.play_state == 4 && seed % 3 == 1 && step(&mut console, &mut listing, Buttons::START) {
                break;
            }
        }
        assert_eq!((console.phase, console.menu.screen, console.is_demo()), (Phase::Menu, Screen::Title, false));
        ended += u32::from(listing.demo.as_ref().unwrap().mode == 5);
        left += u32::from(listing.demo.as_ref().unwrap().mode == 1);
        carried += u32::from(listing.completed > 0);
        in_the_air += u32::from(listing.hold_down > 0);
        begin_game(&mut console, &mut listing);
        let mut held = 0;
        for _ in 0..1500 {
            let pad = dice.hold(&mut held, true);
            step(&mut console, &mut listing, pad);
        }
    }
    assert!(ended > 15 && left > 20, "{ended} ended by themselves, {left} by Start");
    assert!(carried > 10 && in_the_air > 3, "{carried} left full rows behind, {in_the_air} a push-down");
}

/// All of the lowest rows but the columns below the piece.
fn fill_for_a_clear(console: &mut Console, listing: &mut Listing) {
    let open: Vec<i8> = console.control.pose.cells().into_iter().map(|cell| cell.0).collect();
    let mut board = stackhand::game::Board::default();
    for (x, y) in (0..10).flat_map(|x| (16..20).map(move |y| (x, y))) {
        if !open.contains(&(x as i8)) {
            board.fill(x, y);
        }
    }
    console.board = board;
    for cell in 0..200 {
        listing.field[cell] = if board.is_full(cell % 10, cell / 10) { 0x7B } else { super::rom::EMPTY };
    }
}

#[test]
fn the_recorder_writes_what_the_listing_writes_and_it_plays_a_frame_later() {
    let mut whole = 0;
    for seed in 0..20 {
        let mut dice = Dice(50_000 + seed);
        let mut rom = tables(&mut dice);
        rom[..512].fill(0);
        let (mut console, mut listing) = about_to_load(rom, true);
        load(&mut console, &mut listing);
        let (mut held, mut pads) = (0, Vec::new());
        let is_over = (0..6000).any(|_| {
            let pad = dice.hold(&mut held, seed % 2 == 0).without(Buttons::START | Buttons::SELECT);
            let is_over = step(&mut console, &mut listing, pad);
            pads.push(pad.0);
            is_over
        });
        let (demo, recording) = console.recorded_demo().unwrap();
        if !is_over {
            continue;
        }
        whole += 1;
        assert_eq!((recording.pairs, demo.clone()), (256, Demo::clone(&as_demo(&listing.demo.unwrap().rom))));
        if recording.forgotten > 0 {
            continue;
        }
        let (mut console, mut listing) = about_to_load(listing_rom(&demo), false);
        load(&mut console, &mut listing);
        // The first pair has counted from 0 and plays a frame longer; the last one is read and not played.
        let last = usize::from(demo.pairs[255].1) + 1;
        step(&mut console, &mut listing, Buttons::NONE);
        for pad in &pads[..pads.len() - last - 1] {
            step(&mut console, &mut listing, Buttons::NONE);
            assert_eq!(listing.held, *pad, "seed {seed}");
        }
    }
    assert!(whole > 5, "{whole} tables were filled");
}

fn listing_rom(demo: &Demo) -> [u8; 768] {
    let mut rom = [0; 768];
    for (pair, (buttons, repeats)) in rom.chunks_exact_mut(2).zip(demo.pairs) {
        pair.copy_from_slice(&[buttons.0, repeats]);
    }
    rom[512..].copy_from_slice(&demo.pieces);
    rom
}
