//! How the pieces of a game stand and turn, as pictures.

use super::problem::Problem;
use crate::game::movement::pose_of;
use crate::game::rotation::Shift;
use crate::game::{Orientation, Piece, Rotation, RotationSystem};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The states of each piece, clockwise from the one in which it appears, each a picture of the same frame: `#` is a cell.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(transparent)]
pub struct States(BTreeMap<Piece, Vec<Vec<String>>>);

/// A frame has at most so many rows and columns.
const FRAME_MAX: usize = 8;

impl States {
    /// How the pieces turn.
    ///
    /// # Errors
    /// When a piece is missing, or a picture is not what a turn of the one before looks like.
    pub fn rotation(&self) -> Result<RotationSystem, Problem> {
        let mut pivots = [[(0, 0); Rotation::COUNT]; 7];
        for piece in Piece::ALL {
            pivots[piece.index()] =
                self.pivots(piece).map_err(|words| Problem::of(format!("rules.states.{piece}"), words))?;
        }
        Ok(RotationSystem::of_pivots(&pivots))
    }

    /// Where a piece's pivot stands in its frame, by rotation.
    fn pivots(&self, piece: Piece) -> Result<[Shift; Rotation::COUNT], String> {
        let pictures = self.0.get(&piece).ok_or("is missing; give all seven pieces")?;
        let (shapes, count) = (Orientation::shapes(piece).count(), pictures.len());
        if count != Rotation::COUNT && count != shapes {
            let counts = if shapes == Rotation::COUNT { "4".into() } else { format!("{shapes} or 4") };
            return Err(format!("has {count} pictures; draw {counts}, clockwise from the state in which it appears"));
        }
        let poses: Vec<_> = pictures
            .iter()
            .enumerate()
            .map(|(at, picture)| {
                let cells = cells(picture).ok_or_else(|| {
                    format!("needs rows of # and . in picture {}, at most {FRAME_MAX} rows and columns", at + 1)
                })?;
                pose_of(piece, &cells).ok_or_else(|| format!("shows in picture {} no {piece}, turned or not", at + 1))
            })
            .collect::<Result<_, String>>()?;
        let first = poses[0].orientation.rotation() as usize;
        let mut pivots = [(0, 0); Rotation::COUNT];
        for turns in 0..Rotation::COUNT {
            let pose = poses[turns % count];
            let rotation = Rotation::ALL[(first + turns) % Rotation::COUNT];
            if pose.orientation.shape() != Orientation::of(piece, rotation).shape() {
                return Err(format!(
                    "must show in picture {} what picture {turns} becomes in a clockwise turn",
                    turns + 1
                ));
            }
            pivots[rotation as usize] = (pose.x, pose.y);
        }
        Ok(pivots)
    }
}

/// The cells of a picture as (column, row); `None` if it is none.
fn cells(picture: &[String]) -> Option<Vec<(usize, usize)>> {
    let is_row = |row: &String| row.len() <= FRAME_MAX && row.bytes().all(|cell| matches!(cell, b'#' | b'.'));
    if picture.len() > FRAME_MAX || !picture.iter().all(is_row) {
        return None;
    }
    let rows = picture.iter().enumerate();
    Some(
        rows.flat_map(|(y, row)| row.bytes().enumerate().filter(|(_, c)| *c == b'#').map(move |(x, _)| (x, y)))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Handedness;

    /// The NES's states, as they look.
    const CLASSIC: &str = r#####"
        T = [["...", "###", ".#."], [".#.", "##.", ".#."], [".#.", "###", "..."], [".#.", ".##", ".#."]]
        J = [["...", "###", "..#"], [".#.", ".#.", "##."], ["#..", "###", "..."], [".##", ".#.", ".#."]]
        L = [["...", "###", "#.."], ["##.", ".#.", ".#."], ["..#", "###", "..."], [".#.", ".#.", ".##"]]
        Z = [["...", "##.", ".##"], ["..#", ".##", ".#."]]
        S = [["...", ".##", "##."], [".#.", ".##", "..#"]]
        I = [["....", "....", "####"], ["..#.", "..#.", "..#.", "..#."]]
        O = [["##", "##"]]
    "#####;

    fn system(text: &str) -> Result<RotationSystem, Problem> {
        toml::from_str::<States>(text).unwrap().rotation()
    }

    #[test]
    fn the_consoles_states_turn_as_on_the_console() {
        let (drawn, known) = (system(CLASSIC).unwrap(), RotationSystem::classic(Handedness::Right));
        for piece in Piece::ALL {
            assert_eq!(drawn.lean(piece), known.lean(piece), "{piece}");
            for orientation in Orientation::shapes(piece) {
                let turns = [true, false]
                    .map(|clockwise| [&drawn, known].map(|s| s.turn(orientation, clockwise).tests().to_vec()));
                assert!(turns.iter().all(|[one, other]| one == other), "{orientation:?} {turns:?}");
            }
        }
    }

    #[test]
    fn a_piece_of_two_shapes_may_have_four_places() {
        let four = r#####"I = [["....", "####", "....", "...."], ["..#.", "..#.", "..#.", "..#."], ["....", "....", "####", "...."], [".#..", ".#..", ".#..", ".#.."]]"#####;
        let text =
            CLASSIC.replacen(r#####"I = [["....", "....", "####"], ["..#.", "..#.", "..#.", "..#."]]"#####, four, 1);
        assert_ne!(text, CLASSIC);
        let system = system(&text).unwrap();
        assert_eq!(system.lean(Piece::I), None);
        let flat = Orientation::spawn(Piece::I);
        assert_eq!(system.turn(flat, true).tests(), [(0, 1)]);
        assert_eq!(system.turn(flat, false).tests(), [(-1, 1)]);
    }

    #[test]
    fn pictures_that_are_no_turns_are_refused_by_piece_and_picture() {
        for (from, to, words) in [
            ("O = [[\"##\", \"##\"]]", "", "rules.states.O is missing; give all seven"),
            (
                "[\".#.\", \"##.\", \".#.\"], [\".#.\", \"###\"",
                "[\".#.\", \"###\"",
                "rules.states.T has 3 pictures; draw 4",
            ),
            ("[\"##\", \"##\"]", "[\"##\", \"#.\"]", "rules.states.O shows in picture 1 no O"),
            ("[\"##\", \"##\"]", "[\"##\", \"xx\"]", "rows of # and ."),
            (
                "[\".#.\", \"##.\", \".#.\"]",
                "[\".#.\", \".##\", \".#.\"]",
                "must show in picture 2 what picture 1 becomes",
            ),
            ("[[\"##\", \"##\"]]", "[]", "rules.states.O has 0 pictures; draw 1 or 4"),
        ] {
            let text = CLASSIC.replacen(from, to, 1);
            assert_ne!(text, CLASSIC, "{from}");
            let told = system(&text).unwrap_err().to_string();
            assert!(told.contains(words), "{told}");
        }
    }
}
