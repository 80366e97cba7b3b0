//! What follows a game, frame by frame against the listing's own routines.

use super::listing::{Place, Rom, Snapshot};
use super::{REGIONS, lost, won};
use stackhand::game::Buttons;
use stackhand::game::nes::console::{Ending, Screen, Show};
use stackhand::game::nes::{Choice, Console, GameType, Phase, Region};

/// What both must agree in.
#[derive(Debug, PartialEq)]
struct Facts {
    place: Place,
    register: u16,
    counter: u8,
    /// Scores, bonuses and the total, while an ending's screen stands.
    sums: Option<([u8; 3], [u8; 2], [u8; 3])>,
    sprites: Vec<[u8; 3]>,
    /// Table, place and letter of the name.
    entry: Option<(usize, usize)>,
    names: Vec<[u8; 6]>,
    scores: Vec<[u8; 3]>,
    levels: Vec<u8>,
}

/// The rows of the table that are used, of four and four.
const ROWS: [usize; 6] = [0, 1, 2, 4, 5, 6];

fn of_rom(snapshot: &Snapshot, is_b: bool) -> Facts {
    let (zero, seven) = (&snapshot.zero, &snapshot.seven);
    let three = |at: usize| [zero[at + 2], zero[at + 1], zero[at]];
    let is_shown = snapshot.place == Place::Ending && !snapshot.sprites.is_empty();
    Facts {
        place: snapshot.place,
        register: u16::from(zero[0x17]) << 8 | u16::from(zero[0x18]),
        counter: zero[0xB1],
        sums: is_shown.then(|| match is_b {
            true => (three(0x73), [zero[0xAB], zero[0xAC]], three(0xDC)),
            false => (three(0x73), [0; 2], [0; 3]),
        }),
        // In whatever order; a roof is gone when it is put up at 0 for the last time.
        sprites: sorted(snapshot.sprites.iter().copied().filter(|sprite| sprite[2] > 0)),
        entry: (snapshot.place == Place::Entry).then_some((zero[0xD5] as usize & 3, zero[0xD4].into())),
        names: ROWS.map(|row| std::array::from_fn(|i| seven[6 * row + i])).into(),
        scores: ROWS.map(|row| std::array::from_fn(|i| seven[0x30 + 3 * row + i])).into(),
        levels: ROWS.map(|row| seven[0x48 + row]).into(),
    }
}

fn sorted(sprites: impl IntoIterator<Item = [u8; 3]>) -> Vec<[u8; 3]> {
    let mut sprites: Vec<[u8; 3]> = sprites.into_iter().collect();
    sprites.sort_unstable();
    sprites
}

/// The pictures of an ending by the listing's numbers, as they were put up before this frame changed what they stand for.
fn sprites(before: Option<Ending>, now: Ending, counter: u8, region: Region) -> Vec<[u8; 3]> {
    let flicker = counter >> 1 & 1;
    match (before.map(|ending| ending.show), now.show) {
        (Some(Show::Rocket(rocket)), _) if rocket.y > 0 => {
            let size = usize::from(rocket.size);
            let jet = [0x3F, 0x42, 0x45, 0x48, 0x23][size] + flicker;
            vec![[[0x3E, 0x41, 0x44, 0x47, 0x4A][size], rocket.x(), rocket.y], [jet, rocket.x(), rocket.y]]
        }
        (_, Show::Sky(sky)) => sky.drawn.into_iter().flatten().map(|[x, y]| [sky.sprite, x, y]).collect(),
        (_, Show::Concert(concert)) => {
            let figures = concert.figures(counter, region).into_iter().map(|figure| {
                let first = [0x16, 0x18, 0x1A, 0x1D, 0x1F, 0x21, 0x27, 0x29][usize::from(figure.kind)];
                [first + figure.pose, figure.at[0], figure.at[1]]
            });
            let roofs = concert.roofs_shown().flat_map(|([x, y], flies)| {
                let (kind, aside) = match x {
                    0x60 => (0x4D, 0),
                    0x90 => (0x50, 0),
                    0x70 => (0x4E, 0),
                    _ => (0x4F, 2),
                };
                [Some([kind, x, y]), flies.then_some([0x51 + flicker, x + aside, y])].into_iter().flatten()
            });
            figures.chain(roofs).collect()
        }
        _ => Vec::new(),
    }
}

fn of_model(console: &Console, before: Option<Ending>) -> Facts {
    let counter = console.frame.0 as u8;
    let place = match (console.phase, console.menu.screen) {
        (Phase::Ending, _) if console.ending.is_some_and(|ending| ending.is_shown || ending.is_loading()) => {
            Place::Ending
        }
        (Phase::Over, _) => Place::Over,
        (Phase::Menu, Screen::HighScore) => Place::Entry,
        (Phase::Menu, Screen::Level) => Place::Level,
        (Phase::Menu, Screen::Legal) => Place::Legal,
        _ => Place::Play,
    };
    let shown = console.ending.filter(|ending| ending.is_shown);
    // The first frame of an ending shows what it was loaded with.
    let before = before.or(shown);
    let sprites = shown.map_or(Vec::new(), |now| sorted(sprites(before, now, counter, console.setup().region)));
    let sums = shown.filter(|_| !sprites.is_empty()).map(|ending| {
        let bonus = ending.bonus.unwrap_or_default();
        (ending.score, bonus.left, bonus.total)
    });
    let games = || [GameType::A, GameType::B].into_iter().flat_map(|game| *console.high_scores.of(game));
    Facts {
        place,
        register: console.random.register,
        counter,
        sums,
        sprites,
        entry: console.entry.map(|entry| (entry.place, entry.letter)),
        names: games().map(|game| game.name).collect(),
        scores: games().map(|game| game.score).collect(),
        levels: games().map(|game| game.level).collect(),
    }
}

struct Dice(u64);

impl Dice {
    fn draw(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    /// Anything that a pad can do, with pauses.
    fn pads(&mut self, frames: usize) -> Vec<Buttons> {
        let mut held = 0u8;
        let eager = 4 + self.draw(60);
        let pads = (0..frames).map(|_| {
            if self.draw(eager) == 0 {
                held = match self.draw(8) {
                    0 => 0x10,
                    3 => 0xE0,
                    4 => held | 0x10,
                    1 => self.draw(256) as u8,
                    2 => [1, 2, 4, 8, 0x80, 0x40][self.draw(6) as usize],
                    _ => 0,
                };
            }
            Buttons(held)
        });
        pads.collect()
    }
}

/// The memory that the console stands for now.
fn memory(console: &Console, region: Region, pads: Vec<Buttons>) -> Rom {
    let mut rom = Rom::new(region, pads);
    let bytes = |score: u32| [score / 10_000, score / 100 % 100, score % 100].map(|n| ((n / 10) * 16 + n % 10) as u8);
    let [highest, middle, lowest] = bytes(console.counters.score);
    (rom.m[0x73], rom.m[0x74], rom.m[0x75]) = (lowest, middle, highest);
    rom.m[0x64] = console.counters.level;
    rom.m[0x68] = 10;
    rom.m[0x79] = console.menu.choice.height;
    rom.m[0xC1] = u8::from(console.menu.choice.game_type == GameType::B);
    let register = console.random.register;
    (rom.m[0x17], rom.m[0x18]) = ((register >> 8) as u8, register as u8);
    rom.m[0xB1] = console.frame.0 as u8;
    let games = [GameType::A, GameType::B].into_iter().flat_map(|game| *console.high_scores.of(game));
    for (row, game) in ROWS.into_iter().zip(games) {
        rom.m[0x700 + 6 * row..0x706 + 6 * row].copy_from_slice(&game.name);
        rom.m[0x730 + 3 * row..0x733 + 3 * row].copy_from_slice(&game.score);
        rom.m[0x748 + row] = game.level;
    }
    rom
}

/// What was met on the way.
#[derive(Default)]
struct Met {
    endings: u32,
    entries: u32,
    menus: u32,
    resets: u32,
    /// Frames in which level 3 shows a byte that is no object's.
    strange: u32,
}

/// Plays what follows a game on both: any game, or a B-Type game of this level and height that was won, whose ending is left to
/// itself for a while.
fn agree(seed: u64, region: Region, whole: Option<(u8, u8)>, met: &mut Met) {
    let mut dice = Dice(seed);
    let [is_b, is_won] = [dice.draw(2) == 1, dice.draw(3) > 0].map(|is| is || whole.is_some());
    let game_type = if is_b { GameType::B } else { GameType::A };
    let (level, height) = whole.unwrap_or((dice.draw(20) as u8, if is_b { dice.draw(6) as u8 } else { 0 }));
    let choice = Choice { game_type, level, height };
    let score =
        [dice.draw(3_000), dice.draw(12_000), dice.draw(130_000), dice.draw(1_000_000)][dice.draw(4) as usize] as u32;
    let wait = dice.draw(300) as u32;
    let is_won = is_b && is_won;
    let mut console = match is_won {
        true => won(region, choice.level, choice.height, score, wait),
        false => lost(region, choice, score, wait),
    };
    let mut pads = dice.pads(2_400);
    if whole.is_some() {
        // Long enough for everything that an ending shows.
        pads[..1_400].iter_mut().for_each(|pad| *pad = pad.without(Buttons::START));
    }
    // What was held before is not known to the listing.
    pads[0] = Buttons::NONE;
    let mut rom = memory(&console, region, pads.clone());
    let _ = rom.main(is_won);
    let mut before = None;
    assert!(rom.log.len() > 1);
    for (frame, snapshot) in rom.log.iter().enumerate() {
        if frame > 0 {
            before = console.ending.filter(|ending| ending.is_shown);
            console.frame(pads[frame - 1]);
        }
        let context = format!("seed {seed}, {region:?}, {choice:?}, {score} points, won {is_won}, frame {frame}");
        assert_eq!(of_model(&console, before), of_rom(snapshot, is_b), "{context}");
        let is_byte = |sprite: &[u8; 3]| sprite[2] == 0xC8;
        met.strange += u32::from(is_b && choice.level % 10 == 3 && snapshot.sprites.iter().any(is_byte));
    }
    let has = |place: Place| u32::from(rom.log.iter().any(|snapshot| snapshot.place == place));
    met.endings += has(Place::Ending);
    met.entries += has(Place::Entry);
    met.resets += has(Place::Legal);
    if rom.log.last().unwrap().place == Place::Level && rom.log.len() < pads.len() {
        met.menus += 1;
        // The last wait of the menu's loading is behind the last frame that was kept.
        console.frame(Buttons::NONE);
        assert!(console.menu.is_ready() && console.menu.screen == Screen::Level);
    }
}

#[test]
fn what_follows_a_game_agrees_with_the_listing_in_every_frame() {
    for region in REGIONS {
        let mut met = Met::default();
        (0..160).for_each(|seed| agree(60_000 + seed, region, None, &mut met));
        for (level, height) in (0..10).flat_map(|level| [(level, 5), (level, 3)]) {
            agree(61_000, region, Some((level, height)), &mut met);
        }
        let Met { endings, entries, menus, resets, strange } = met;
        let words =
            format!("{endings} endings, {entries} entries, {menus} menus, {resets} resets, {strange} strange objects");
        assert!(endings > 60 && entries > 60 && menus > 100 && resets > 1 && strange > 0, "{words}");
    }
}
