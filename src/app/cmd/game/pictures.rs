//! The pieces of a game as text: where each appears, and what each turn makes of it.

use crate::game::orientation::Pose;
use crate::game::rules::{Move, Rules};
use crate::game::{Movement, Orientation, Piece, machine};
use crate::profile::game_file::GameFile;
use std::fmt::Write;

/// Between two pictures.
const GAP: &str = "   ";
/// Turns until every game's piece is where it was.
const TURNS_MAX: usize = 4;
/// A picture is at least as wide as what stands over it.
const WIDTH_MIN: usize = 10;

/// Pictures of all pieces.
pub fn of(game: &GameFile) -> String {
    let variants = game.rules.variants().unwrap_or_default();
    let Some(rules) = variants.first() else { return String::new() };
    let [columns, rows] = game.field.size();
    let movement = game.movement();
    let step = [Move::Clockwise, Move::CounterClockwise].into_iter().find(|&step| rules.can(step));
    let mut text = format!("{}: the top of its field of {columns} × {rows} cells, row 0 the highest", game.name);
    text.push_str(match step {
        Some(Move::CounterClockwise) => "; each picture a counter-clockwise turn further",
        Some(_) => "; each picture a clockwise turn further",
        None => "; nothing turns",
    });
    if variants.len() > 1 {
        let words = format!(
            ". One of {} ways that its file leaves open, found out by playing; `or`: where another of them leads",
            variants.len()
        );
        text.push_str(&words);
    }
    if movement.is_none() && *rules != Rules::Nes {
        text.push_str(". Where pieces appear is left to the layouts: here it is the middle");
    }
    text.push('\n');
    for piece in Piece::ALL {
        let spawn = spawn(piece, rules, movement.as_ref(), columns);
        let mut drawn: Vec<Vec<Pose>> = Vec::new();
        for rules in &variants {
            let poses = poses(spawn, rules, step);
            if !drawn.contains(&poses) {
                let name = if drawn.is_empty() { piece.to_string() } else { "or".into() };
                draw(&name, &poses, columns, &mut text);
                drawn.push(poses);
            }
        }
    }
    text.trim_end().into()
}

fn spawn(piece: Piece, rules: &Rules, movement: Option<&Movement>, columns: usize) -> Pose {
    match (rules, movement) {
        (Rules::Nes, _) => machine::spawn_pose(piece),
        (_, Some(movement)) => movement.spawn(piece),
        (_, None) => Pose { x: columns as i8 / 2, y: 0, orientation: Orientation::spawn(piece) },
    }
}

/// A piece as it appears, and turned until it stands there again.
fn poses(spawn: Pose, rules: &Rules, step: Option<Move>) -> Vec<Pose> {
    let mut poses = vec![spawn];
    let Some(step) = step else { return poses };
    for _ in 1..TURNS_MAX {
        let turned = poses.last().map_or(spawn, |&last| step.apply(last, rules.rotation()));
        if turned.shape() == spawn.shape() {
            break;
        }
        poses.push(turned);
    }
    poses
}

/// Side by side; rows above the field have no dots.
fn draw(name: &str, poses: &[Pose], columns: usize, text: &mut String) {
    let rows = || poses.iter().flat_map(|pose| pose.cells()).map(|(_, y)| y);
    let (top, bottom) = (rows().min().unwrap_or(0).min(0), rows().max().unwrap_or(0));
    let width = columns.max(WIDTH_MIN);
    // Writing into a text cannot fail.
    let _ = write!(text, "\n{name:3}");
    for turns in 0..poses.len() {
        let title = ["appears", "one turn", "two turns", "three"].get(turns).copied().unwrap_or_default();
        let _ = write!(text, "{GAP}{title:width$}");
    }
    text.truncate(text.trim_end().len());
    for y in top..=bottom {
        let _ = write!(text, "\n{y:3}");
        for pose in poses {
            let cells = pose.cells();
            let empty = if y < 0 { ' ' } else { '.' };
            let cell = |x| if cells.contains(&(x as i8, y)) { '#' } else { empty };
            let _ = write!(text, "{GAP}{:width$}", (0..columns).map(cell).collect::<String>());
        }
        text.truncate(text.trim_end().len());
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of a piece's pictures.
    fn pictures(name: &str, piece: char) -> Vec<String> {
        let text = of(&GameFile::load(name).unwrap());
        let own = text.lines().skip_while(|line| !line.starts_with(&format!("{piece} ")));
        own.take_while(|line| !line.is_empty()).skip(1).map(Into::into).collect()
    }

    #[test]
    fn each_state_stands_where_its_turn_leads() {
        let rows = [
            " -2                     #",
            " -1                     #",
            "  0   ...####...   .....#....",
            "  1   ..........   .....#....",
        ];
        assert_eq!(pictures("nes", 'I'), rows);
        // Standard Tetris knows one turn, and its I reaches a row less far up.
        let rows = [
            " -1                     #",
            "  0   ...####...   .....#....",
            "  1   ..........   .....#....",
            "  2   ..........   .....#....",
        ];
        assert_eq!(pictures("standard", 'I'), rows);
        assert_eq!(pictures("standard", 'O'), ["  0   ....##....", "  1   ....##...."]);
        // One that comes from above the field is drawn there.
        assert_eq!(pictures("bastet", 'T')[..2].join("").matches('#').count(), 4 + 3 + 3 + 3);
        assert_eq!(pictures("vitetris", 'T')[1].matches('#').count(), 3 + 2 + 3 + 2);
    }

    #[test]
    fn where_other_ways_lead_is_drawn_too() {
        let others = |name| of(&GameFile::load(name).unwrap()).lines().filter(|line| line.starts_with("or ")).count();
        // The I, and S and Z, each in one of two columns.
        assert_eq!((others("vitetris"), others("nes"), others("standard")), (3, 0, 0));
    }

    #[test]
    fn what_is_open_is_said() {
        let head = |name| of(&GameFile::load(name).unwrap()).lines().next().unwrap().to_string();
        assert!(head("vitetris").contains("One of 4 ways"), "{}", head("vitetris"));
        assert!(head("standard").contains("counter-clockwise") && !head("standard").contains("ways"));
    }
}
