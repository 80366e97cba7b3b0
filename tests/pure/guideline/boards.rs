//! Boards as pictures, and games whose first pieces are known.

use stackhand::game::guideline::{Event, Game, Keys, Queue, ROWS, Settings};
use stackhand::game::{Board, Orientation, Piece, Pose, Rotation};

/// A field of 40 rows, of which the lowest are drawn.
pub fn field(rows: &[&str]) -> Board {
    let mut all = vec![".........."; ROWS - rows.len()];
    all.extend(rows);
    Board::parse(&all).unwrap()
}

/// A game on a field whose first pieces are these, at most seven, each at most once.
pub fn game_of(pieces: &str, rows: &[&str], settings: Settings) -> Game {
    let begins = |seed: &u64| Queue::new(*seed).coming().map(Piece::letter).take(pieces.len()).eq(pieces.chars());
    let seed = (0..1_000_000).find(begins).unwrap();
    Game::on(field(rows), settings, seed)
}

/// The same, in which the first piece has just appeared.
pub fn begun(pieces: &str, rows: &[&str], settings: Settings) -> Game {
    let mut game = game_of(pieces, rows, settings);
    let events = game.advance(Keys::NONE, 0);
    assert!(matches!(events[..], [Event::Appeared(_)]), "{events:?}");
    game
}

/// Presses and lets go at once.
pub fn tap(game: &mut Game, keys: Keys) -> Vec<Event> {
    let mut events = game.advance(keys, 0);
    events.extend(game.advance(Keys::NONE, 0));
    events
}

/// The cells of a picture that are one of these characters.
pub fn cells_of(rows: &[&str], what: &str) -> Vec<(i8, i8)> {
    let mut cells = Vec::new();
    for (y, row) in rows.iter().enumerate() {
        let marked = row.chars().enumerate().filter(|(_, cell)| what.contains(*cell));
        cells.extend(marked.map(|(x, _)| (x as i8, y as i8)));
    }
    cells.sort_unstable();
    cells
}

/// The pose of a piece in a rotation that covers exactly these cells.
pub fn pose_on(piece: Piece, rotation: Rotation, cells: &[(i8, i8)]) -> Pose {
    let orientation = Orientation::of(piece, rotation);
    let all = (-4..20).flat_map(|x| (-4..44).map(move |y| Pose { x, y, orientation }));
    all.into_iter()
        .find(|pose| sorted(*pose) == cells)
        .unwrap_or_else(|| panic!("no {piece} {rotation:?} covers {cells:?}"))
}

/// The cells of a pose in order.
pub fn sorted(pose: Pose) -> Vec<(i8, i8)> {
    let mut cells = pose.cells().to_vec();
    cells.sort_unstable();
    cells
}

/// By its name in the pictures.
pub fn facing(name: &str) -> Rotation {
    let names = ["north", "east", "south", "west"];
    Rotation::ALL[names.iter().position(|known| *known == name).unwrap()]
}
