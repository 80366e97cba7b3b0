//! A rule as a game file.

use super::entries::RuleFileError;
use super::options::{Options, Over};
use super::places::{Places, bounds};
use crate::game::{Orientation, Rotation};
use std::fmt::Write;

/// Frames a second.
const FRAMES_PER_S: f64 = 60.0;
/// Frames a row by level in the game's marathon, as far as a row takes a frame or more (`MarathonMode`).
const MARATHON_ROW_FRAMES: [u8; 13] = [63, 50, 39, 30, 22, 16, 12, 8, 6, 4, 3, 2, 1];
/// Delays of that mode where a rule does not bound them, frames (`SpeedParam`).
const ARE: f64 = 24.0;
const ARE_LINE: f64 = 24.0;
const LINE_DELAY: f64 = 40.0;
const LOCK_DELAY: f64 = 30.0;
/// Comments are no wider.
const COMMENT_LETTERS: usize = 118;

/// A rule as a game file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The file's text, with what it leaves out at the top.
    pub text: String,
    /// What it cannot say, and what that means for the robot.
    pub left_out: Vec<String>,
}

/// Writes it.
///
/// # Errors
/// When the robot cannot play by the rule.
pub fn convert(options: &Options, row_ms: &[f64]) -> Result<Imported, RuleFileError> {
    let left_out = left_out(options, row_ms.is_empty());
    let name = name(&options.name);
    let mut text = String::from("# From a rule file of NullpoMino. What it says besides:\n");
    for words in &left_out {
        comment(words, &mut text);
    }
    let title = options.name.replace(['"', '\\'], "");
    line(&mut text, format_args!("\nname = \"{name}\"\ntitle = \"{title}, a rule of NullpoMino\""));
    line(&mut text, format_args!("\n[field]\ncolumns = {}\nrows = {}", options.columns, options.rows));
    spawn(options, &mut text);
    pieces(options, &mut text);
    rules(options, row_ms, &mut text);
    Ok(Imported { text, left_out })
}

fn line(text: &mut String, words: std::fmt::Arguments) {
    // Writing into a text cannot fail.
    let _ = writeln!(text, "{words}");
}

/// A remark in lines that are not too long.
fn comment(words: &str, text: &mut String) {
    let mut row = String::from("# -");
    for word in words.split(' ') {
        if row.chars().count() + 1 + word.chars().count() > COMMENT_LETTERS {
            line(text, format_args!("{row}"));
            row = String::from("#  ");
        }
        row.extend([" ", word]);
    }
    line(text, format_args!("{row}"));
}

/// The name as it is told in messages: a title such as `CLASSIC-EASY-A` in small letters.
fn name(title: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
    let name: String = title.trim().chars().map(letter).collect();
    if name.is_empty() { "imported".into() } else { name }
}

/// Whether pieces come in from above the field.
fn enters_above(options: &Options) -> bool {
    options.places.iter().any(|places| bounds(&places.spawn)[1] < 0)
}

fn lock_out(options: &Options) -> Option<&'static str> {
    match (options.ends_partly_out, options.ends_locked_out) {
        (true, _) => Some("partial"),
        (false, true) => Some("whole"),
        (false, false) => None,
    }
}

fn spawn(options: &Options, text: &mut String) {
    line(text, format_args!("\n[spawn]"));
    for Places { piece, spawn, .. } in &options.places {
        let [left, top, ..] = bounds(spawn);
        let row = top.max(0);
        let cells = picture(spawn, bounds(spawn));
        line(text, format_args!("{piece} = {{ column = {left}, row = {row}, cells = {cells} }}"));
    }
}

fn pieces(options: &Options, text: &mut String) {
    line(text, format_args!("\n[pieces]\ngenerator = \"{}\"", generator(options)));
    let [entry_ms, clear_ms] = delays_ms(options);
    line(text, format_args!("entry_delay_ms = {entry_ms}\nclear_delay_ms = {clear_ms}"));
    if options.next_shown == 0 {
        line(text, format_args!("next_shown = false"));
    }
}

fn generator(options: &Options) -> &'static str {
    if options.randomizer.starts_with("Bag") { "bag" } else { "uniform" }
}

/// From a lock to the next piece, and by how much full rows delay it further, ms.
fn delays_ms(options: &Options) -> [u32; 2] {
    let are = options.are.applied(ARE);
    let flash = if options.lock_flash > 0.0 && options.flashes_apart && are > 0.0 { options.lock_flash } else { 0.0 };
    let entry = flash + are;
    let before = if options.flashes_before_clear { options.lock_flash } else { 0.0 };
    let clear = before + options.line_delay.applied(LINE_DELAY) + options.are_line.applied(ARE_LINE);
    [entry, (clear - entry).max(0.0)].map(|frames| ms(frames) as u32)
}

fn ms(frames: f64) -> f64 {
    (frames * 1000.0 / FRAMES_PER_S).round()
}

fn rules(options: &Options, row_ms: &[f64], text: &mut String) {
    let row_ms = match row_ms {
        [] => MARATHON_ROW_FRAMES.map(|frames| ms(frames.into()).to_string()).join(", "),
        given => given.iter().map(f64::to_string).collect::<Vec<_>>().join(", "),
    };
    let levels = row_ms.split(", ").count() - 1;
    line(text, format_args!("\n[levels]\nlast = {levels}"));
    line(text, format_args!("\n# Buttons: Up drops, a and b turn.\n[rules]\nfamily = \"simple\"\nrow_ms = [{row_ms}]"));
    if let Some(which) = lock_out(options) {
        line(text, format_args!("lock_out = \"{which}\""));
    }
    let [first, second] = match options.turns_right {
        true => ["clockwise", "counter_clockwise"],
        false => ["counter_clockwise", "clockwise"],
    };
    line(text, format_args!("{first} = \"a\""));
    if options.turns_both_ways {
        line(text, format_args!("{second} = \"b\""));
    }
    line(text, format_args!("soft_drop = false"));
    if options.hard_drop {
        line(text, format_args!("hard_drop = \"up\""));
    }
    if options.hard_drop && !options.hard_drop_locks {
        line(text, format_args!("drop_locks = false"));
    }
    if options.has_ceiling {
        line(text, format_args!("hidden_rows = 0"));
    }
    lock(options, text);
    states(options, text);
}

fn lock(options: &Options, text: &mut String) {
    let delay_ms = ms(options.lock_delay.applied(LOCK_DELAY));
    if delay_ms == 0.0 {
        return;
    }
    line(text, format_args!("lock_delay_ms = {delay_ms}\nlock_begins = \"contact\""));
    let resets =
        [(options.reset_by_fall, "\"fall\""), (options.reset_by_move, "\"move\""), (options.reset_by_turn, "\"turn\"")];
    let resets: Vec<_> = resets.into_iter().filter(|(is_one, _)| *is_one).map(|(_, word)| word).collect();
    line(text, format_args!("lock_resets = [{}]", resets.join(", ")));
    let limits = [(options.reset_by_move, options.moves_max), (options.reset_by_turn, options.turns_max)];
    if let Some(most) = limits.into_iter().filter(|(is_one, _)| *is_one).filter_map(|(_, most)| most).min() {
        line(text, format_args!("lock_resets_max = {most}"));
    }
}

/// The states as pictures of one frame each.
fn states(options: &Options, text: &mut String) {
    line(text, format_args!("\n# Clockwise, from the state in which each appears.\n[rules.states]"));
    for Places { piece, states, .. } in &options.places {
        let shapes = Orientation::shapes(*piece).count();
        let sorted = states.map(|mut cells| {
            cells.sort_unstable();
            cells
        });
        let is_plain = (0..Rotation::COUNT).all(|way| sorted[way] == sorted[way % shapes]);
        let frame = bounds(&states.concat());
        let count = if is_plain { shapes } else { Rotation::COUNT };
        let pictures: Vec<_> = states.iter().take(count).map(|cells| picture(cells, frame)).collect();
        line(text, format_args!("{piece} = [{}]", pictures.join(", ")));
    }
}

/// Cells in a frame (left, top, right, bottom), as a list of rows.
fn picture(cells: &[(i32, i32)], [left, top, right, bottom]: [i32; 4]) -> String {
    let row = |y| (left..=right).map(|x| if cells.contains(&(x, y)) { '#' } else { '.' }).collect::<String>();
    let rows: Vec<_> = (top..=bottom).map(|y| format!("\"{}\"", row(y))).collect();
    format!("[{}]", rows.join(", "))
}

/// What a game file cannot say, and what that means.
fn left_out(options: &Options, is_marathon: bool) -> Vec<String> {
    let mut all = Vec::new();
    let mut tell = |is_so: bool, words: String| all.extend(is_so.then_some(words));
    let text = String::from;
    tell(
        is_marathon,
        text(
            "speeds and delays: a rule leaves them to the mode that is played, so row_ms and the delays are those of the game's \
             marathon, as far as a row takes a frame or more; another mode needs --row-ms",
        ),
    );
    let kicks = options.kicks.as_deref().unwrap_or_default();
    tell(
        options.kicks.is_some(),
        format!(
            "kicks ({kicks}): a turn without room is not pushed aside here; the robot presses none that would need it"
        ),
    );
    tell(
        options.soft_drop,
        format!(
            "soft drop ({} rows a frame while Down is held): a tap of Down is no row, so the robot never presses it, and a piece \
             that must fall before it can be moved on falls by itself",
            options.soft_drop_speed
        ),
    );
    tell(options.holds, text("hold: the robot never presses its key"));
    tell(options.half_turns, text("half turns: the robot never presses their key, and turns twice"));
    tell(options.next_shown > 1, format!("{} next pieces: the robot looks at the first one", options.next_shown));
    tell(
        options.initial_turns,
        text(
            "initial turns: a turning key that is held as a piece appears turns it at once; the robot lets go before, and \
             where it does not it plans the piece again from what it sees",
        ),
    );
    tell(
        options.over != Over::GoesOn && (options.moves_max.is_some() || options.turns_max.is_some()),
        match options.over {
            Over::IsNotKicked => text("the end of kicks after many turns on the ground: the robot needs none"),
            _ => text(
                "the lock at once after the last of lock_resets_max: here only the delay goes on; the robot never moves a piece \
                 so often",
            ),
        },
    );
    tell(
        enters_above(options),
        text(
            "pieces that come in from above the field, and rows up there: here pieces appear in the field's top rows, which is where \
             the robot first sees all of them; it begins to play a piece one or two rows later than the game would let it, and \
             cells that lock above the field are gone here until it sees them come down",
        ),
    );
    tell(
        options.rises_at_spawn > 0,
        format!(
            "a piece without room appears up to {} rows higher: here the game ends; the robot goes on if it sees a piece",
            options.rises_at_spawn
        ),
    );
    tell(
        options.delays_can_be_cut,
        text("presses that cut delays short: here the next piece comes in its time; the robot presses nothing then"),
    );
    tell(
        !options.acts_in_first_frame,
        text("a first frame of each piece in which no key acts: a press in it is lost, and the piece is planned again"),
    );
    tell(
        !options.moves_diagonally && options.hard_drop,
        text("no drop while a direction is held: a drop pressed meanwhile is lost, and the piece is planned again"),
    );
    tell(
        !matches!(options.randomizer.as_str(), "" | "MemorylessRandomizer" | "BagRandomizer" | "BagNoSZORandomizer"),
        format!(
            "the order of the pieces ({}): the simulated table draws \"{}\"; the robot takes them as they come",
            options.randomizer,
            generator(options)
        ),
    );
    tell(options.has_ghost, text("the ghost piece: that is how the game looks; a layout of it needs ghost = true"));
    tell(
        true,
        text("colours, auto-repeat, animations and pieces of other sizes: of no consequence for the robot, which taps"),
    );
    all
}
