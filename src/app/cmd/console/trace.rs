//! What the simulated console's variables are after every frame, as JSON lines.

use crate::game::Piece;
use crate::game::machine::movie::{Command, MovieFrame};
use crate::game::machine::{Console, Event, GameType, Phase, display, points};
use crate::game::machine::{Ending, Entry, Screen, Show};
use serde::Serialize;
use std::io::{self, Write};

/// One line: the state after a frame. The names are part of the contract.
#[derive(Serialize)]
pub struct State {
    /// The movie's frame, from 0 at power-on: every frame of the picture counts.
    movie_frame: u64,
    /// Frames with an interrupt since power-on or reset; `$00B1` is this modulo 256.
    frame: i64,
    /// Buttons held, bits as in `$00B6`: A 128, B 64, Select 32, Start 16, Up 8, Down 4, Left 2, Right 1.
    held: u8,
    /// The same of the second pad, with two players.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_second: Option<u8>,
    /// `reset` or `power` if that was pressed before this frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'static str>,
    /// boot, legal, title, game_type_menu, level_menu, loading; falling, locking, checking, clearing, counting, spawning,
    /// curtain, won, ending, over, paused, crashed; high_score.
    phase: &'static str,
    /// Only if true: the demo runs or is being loaded, so that its tables stand for pad and dice; `held` is the pad's own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    demo: bool,
    /// The random register, `$0017`–`$0018`.
    random: u16,
    /// Pieces drawn since power-on modulo 256, `$001A`.
    spawn_count: u8,
    #[serde(flatten)]
    game: Option<Game>,
    /// The ending that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<Shown>,
    /// The name that is entered.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<Name>,
    /// What happened in this frame.
    #[serde(flatten)]
    event: Option<What>,
    /// The second player's phase, game and event, with two players.
    #[serde(skip_serializing_if = "Option::is_none")]
    second: Option<Second>,
}

#[derive(Serialize)]
struct Second {
    phase: &'static str,
    #[serde(flatten)]
    game: Game,
    #[serde(flatten)]
    event: Option<What>,
}

/// The part of a line that there is only in an ending.
#[derive(Serialize)]
struct Shown {
    /// Whether its screen has been loaded.
    loaded: bool,
    /// Points as the ending shows them, `$0073`.
    score: u32,
    /// A B-Type game's: what is left of the bonuses for level and height, in hundreds of points, `$00AB`, `$00AC`; and the sum,
    /// `$00DC`.
    #[serde(skip_serializing_if = "Option::is_none")]
    bonus: Option<[u32; 3]>,
    /// An A-Type game's rocket: which (0–4), where from the top (0: gone), frames that it has stood; `$00C4`–`$00C6`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rocket: Option<[u8; 3]>,
    /// Where objects are drawn, from the left and the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    objects: Option<Vec<[u8; 2]>>,
    /// The roofs behind a concert, from the top (0: gone), `$00C8`–`$00CB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    roofs: Option<[u8; 4]>,
}

/// The part of a line that there is only while a name is entered.
#[derive(Serialize)]
struct Name {
    /// The place among the best three, 0–2.
    place: usize,
    /// The letter under the cursor, 0–5, `$00D4`.
    letter: usize,
    name: String,
}

/// The part of a line that there is only in a game.
#[derive(Serialize)]
struct Game {
    /// A or B.
    game_type: char,
    piece: Piece,
    /// The pivot's column.
    x: i8,
    /// The pivot's row, 0 at the top.
    y: i8,
    /// Orientation, 0–18.
    orientation: u8,
    /// Only if not 0: full rows found and not yet counted, also those of a game that was left, `$0056`.
    #[serde(skip_serializing_if = "is_zero")]
    completed_lines: u8,
    autorepeat_x: u8,
    autorepeat_y: i8,
    fall_timer: u8,
    hold_down_points: u8,
    next: Piece,
    lines: u32,
    level: u8,
    score: u32,
    /// As on the screen: two hexadecimal digits past level 29.
    level_shown: String,
    /// How often each piece came, in the order T J Z O S L I.
    statistics: [u16; 7],
    /// Rows of garbage that the other player has sent and that are not yet in the field, with two players.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_garbage: Option<u8>,
    /// The playfield in memory: 20 rows, top to bottom, `#` full, `.` empty; the falling piece not in it.
    board: Vec<String>,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum What {
    Spawn { spawned: Piece },
    Lock { locked: Piece },
    Clear { rows: u8 },
    GameOver,
    Won,
    Crash,
}

impl State {
    /// The state after the frame.
    pub fn new(movie_frame: u64, console: &Console, frame: MovieFrame, event: Option<Event>) -> Self {
        Self {
            movie_frame,
            frame: console.frame.0,
            held: frame.held.0,
            held_second: console.has_two_players().then_some(frame.second.0),
            command: match frame.command {
                Command::None => None,
                Command::Reset => Some("reset"),
                Command::Power => Some("power"),
            },
            phase: phase_name(console),
            demo: console.is_demo(),
            random: console.random.register,
            spawn_count: console.random.spawn_count,
            game: (console.phase != Phase::Menu || event.is_some()).then(|| game(console)),
            ending: console.ending.as_ref().map(shown),
            entry: console.entry.map(|entry| name(console, entry)),
            event: event.map(What::of),
            second: second(console, event),
        }
    }

    /// Writes the line.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

impl What {
    fn of(event: Event) -> Self {
        match event {
            Event::Spawned(spawned, _) => Self::Spawn { spawned },
            Event::Locked(pose) => Self::Lock { locked: pose.orientation.piece() },
            Event::Cleared(rows) => Self::Clear { rows },
            Event::GameOver => Self::GameOver,
            Event::Won => Self::Won,
            Event::Crashed => Self::Crash,
        }
    }
}

fn shown(ending: &Ending) -> Shown {
    let Ending { show, bonus, score, is_shown, .. } = ending;
    let bcd = |byte: u8| points([0, 0, byte]);
    Shown {
        loaded: *is_shown,
        score: points(*score),
        bonus: bonus.map(|bonus| [bcd(bonus.left[0]), bcd(bonus.left[1]), points(bonus.total)]),
        rocket: match show {
            Show::Rocket(rocket) => Some([rocket.size, rocket.y, rocket.stood]),
            _ => None,
        },
        objects: match show {
            Show::Sky(sky) => Some(sky.drawn.iter().flatten().copied().collect()),
            _ => None,
        },
        roofs: match show {
            Show::Concert(concert) => Some(concert.roofs),
            _ => None,
        },
    }
}

fn name(console: &Console, Entry { game_type, place, letter }: Entry) -> Name {
    Name { place, letter, name: console.high_scores.of(game_type)[place].letters() }
}

fn second(console: &Console, event: Option<Event>) -> Option<Second> {
    let other = console.second_player().filter(|_| console.phase != Phase::Menu || event.is_some())?;
    Some(Second { phase: phase_name(&other), game: game(&other), event: console.second_event().map(What::of) })
}

fn game(console: &Console) -> Game {
    let control = &console.control;
    Game {
        game_type: if console.menu.choice.game_type == GameType::B { 'B' } else { 'A' },
        piece: control.pose.orientation.piece(),
        x: control.pose.x,
        y: control.pose.y,
        orientation: control.pose.orientation.id(),
        completed_lines: console.completed_lines,
        autorepeat_x: control.autorepeat_x,
        autorepeat_y: control.autorepeat_y,
        fall_timer: control.fall_timer,
        hold_down_points: control.hold_down_points,
        next: console.next,
        lines: console.counters.lines,
        level: console.counters.level,
        score: console.counters.score,
        level_shown: format!("{:02X}", display::level_shown(console.counters.level)),
        statistics: console.statistics,
        pending_garbage: console.has_two_players().then(|| console.pending_garbage()),
        board: console.board.to_lines(),
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde calls it.
fn is_zero(count: &u8) -> bool {
    *count == 0
}

fn phase_name(console: &Console) -> &'static str {
    match console.phase {
        Phase::Menu => match console.menu.screen {
            Screen::Boot => "boot",
            Screen::Legal => "legal",
            Screen::Title => "title",
            Screen::GameType => "game_type_menu",
            Screen::Level => "level_menu",
            Screen::Loading => "loading",
            Screen::HighScore => "high_score",
        },
        Phase::Falling => "falling",
        Phase::Locking => "locking",
        Phase::Checking => "checking",
        Phase::Clearing => "clearing",
        Phase::Counting(_) => "counting",
        Phase::Spawning => "spawning",
        Phase::Curtain => "curtain",
        Phase::Won => "won",
        Phase::Ending => "ending",
        Phase::Over => "over",
        Phase::Paused => "paused",
        Phase::Crashed => "crashed",
    }
}
