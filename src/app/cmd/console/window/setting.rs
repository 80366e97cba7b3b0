//! What a player of Standard Tetris sets by keys, and the page that says by which.

use super::keys::Command;
use crate::game::standard::{Draw, Game, LEVELS, SIZE_MAX, SIZE_MIN, SpeedBias};

/// The page of instructions, in the letters that the screen has.
pub const INSTRUCTIONS: [&str; 20] = [
    "STANDARD TETRIS",
    "",
    "LEFT  RIGHT     MOVE",
    "UP              TURN",
    "SPACE           DROP",
    "ENTER           BEGIN  PAUSE  GO ON",
    "UP  DOWN        LEVEL BEFORE A GAME",
    "PLUS  MINUS     SPEED",
    "N               NEXT PIECE",
    "SHIFT K         MONOCHROME",
    "SHIFT D         SHADOW",
    "SHIFT H         HINT",
    "SHIFT J         A ROW OF JUNK",
    "SHIFT S         ONLY S AND Z",
    "SHIFT W  L      SAVE  LOAD THE GAME",
    "CTRL ARROWS     SIZE OF THE BOARD",
    "C  THEN 0 TO 9  REFERENCE PICTURES",
    "R P F11 ESC     RESET PICTURE FULL CLOSE",
    "",
    "RULES BY C P FAHEY     PROGRAM STACKHAND",
];

/// A player changes the game; what there is to say of it. What is more than the game is left alone.
pub fn change(game: &mut Game, command: Command) -> Option<String> {
    let settings = &mut game.settings;
    match command {
        Command::Junk => return game.insert_junk_row().err().map(|error| error.to_string()),
        Command::Faster | Command::Slower => {
            let step = if command == Command::Faster { 1 } else { -1 };
            settings.bias = SpeedBias::new(settings.bias.steps() + step).unwrap_or(settings.bias);
            return Some(format!("speed bias {}", settings.bias));
        }
        Command::Next => settings.shows_next = !settings.shows_next,
        Command::Monochrome => settings.looks.is_monochrome = !settings.looks.is_monochrome,
        Command::Shadow => settings.looks.has_shadow = !settings.looks.has_shadow,
        Command::SAndZ => {
            let is_sz = settings.draw == Draw::Alternating;
            settings.draw = if is_sz { Draw::Uniform } else { Draw::Alternating };
            return Some(if is_sz { "all pieces come" } else { "only S and Z come, in turn" }.into());
        }
        Command::Load | Command::Save | Command::Hint | Command::Instructions | Command::Grow(..) => {}
    }
    None
}

/// The game anew on a board of so many columns and rows more; on the smallest and the largest nothing changes.
pub fn grown(game: &Game, columns: i8, rows: i8) -> Game {
    let more = [columns, rows];
    let size = game.pile().size();
    let sides = [0, 1].map(|i| size[i].saturating_add_signed(more[i].into()).clamp(SIZE_MIN[i], SIZE_MAX[i]));
    game.again_on(sides).ok().filter(|_| sides != size).unwrap_or_else(|| game.clone())
}

/// Before its first piece a game begins a level higher or lower.
pub fn step_level(game: &mut Game, is_up: bool) {
    if game.pieces() == 0 {
        let level = game.settings.initial_level;
        let stepped = if is_up { level.saturating_add(1) } else { level.saturating_sub(1) };
        game.settings.initial_level = stepped.clamp(*LEVELS.start(), *LEVELS.end());
    }
}
