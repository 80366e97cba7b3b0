//! The rule files (`.rul`) of NullpoMino, a free game with the rules of many others: read, and written again as game files.
//!
//! Names and numbers of the form are those of its source (BSD-3), the commit of 2023: `RuleOptions`, `Piece`, `GameEngine`.

mod convert;
mod entries;
mod options;
mod places;

pub use convert::Imported;
pub use entries::RuleFileError;

use entries::Entries;
use options::Options;

impl Imported {
    /// A game file that says what a rule file says, as far as it can; `row_ms` are the speeds, which no rule file holds, or none
    /// for those of the game's marathon.
    ///
    /// # Errors
    /// When the text is no rule file, holds what cannot be, or rules by which the robot cannot play.
    pub fn of(text: &str, row_ms: &[f64]) -> Result<Self, RuleFileError> {
        let mut entries = Entries::parse(text)?;
        let options = Options::take(&mut entries)?;
        entries.check_rest()?;
        convert::convert(&options, row_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::game_file::GameFile;

    const CONSOLE: &str = include_str!("../../../tests/fixtures/rules/console-right.rul");
    const CLASSIC: &str = include_str!("../../../tests/fixtures/rules/classic.rul");
    const MODERN: &str = include_str!("../../../tests/fixtures/rules/modern.rul");

    fn import(text: &str) -> Imported {
        Imported::of(text, &[]).unwrap()
    }

    fn has(imported: &Imported, line: &str) -> bool {
        GameFile::parse("imported", &imported.text).unwrap();
        imported.text.lines().any(|own| own == line)
    }

    #[test]
    fn a_rule_of_the_console_has_its_turns_and_nothing_that_it_lacks() {
        use crate::game::{Handedness, Orientation, Piece, RotationSystem};
        let imported = import(CONSOLE);
        assert!(has(&imported, "counter_clockwise = \"a\"") && has(&imported, "clockwise = \"b\""));
        assert!(!imported.text.contains("hard_drop"));
        let game = GameFile::parse("imported", &imported.text).unwrap();
        let (movement, console) = (game.movement().unwrap(), RotationSystem::classic(Handedness::Right));
        for piece in Piece::ALL {
            assert_eq!(movement.spawn(piece), crate::game::machine::spawn_pose(piece), "{piece}");
            for orientation in Orientation::shapes(piece) {
                for clockwise in [true, false] {
                    let tests = |system: &RotationSystem| system.turn(orientation, clockwise).tests().to_vec();
                    assert_eq!(tests(movement.rotation()), tests(console), "{orientation:?}");
                }
            }
        }
    }

    #[test]
    fn what_a_rule_says_is_said_or_named_as_left_out() {
        let classic = import(CLASSIC);
        assert!(has(&classic, "drop_locks = false") && has(&classic, "lock_resets = [\"fall\"]"));
        // An I whose half turn changes nothing.
        assert!(has(
            &classic,
            "I = [[\"....\", \"####\", \"....\", \"....\"], [\"..#.\", \"..#.\", \"..#.\", \"..#.\"]]"
        ));
        let modern = import(MODERN);
        for line in ["lock_resets = [\"fall\", \"move\", \"turn\"]", "lock_resets_max = 15", "lock_out = \"whole\""] {
            assert!(has(&modern, line), "{line}");
        }
        // From lock to the next piece 24 frames; full rows: 40 and 24.
        assert!(has(&modern, "entry_delay_ms = 400") && has(&modern, "clear_delay_ms = 667"));
        for words in ["kicks (StandardWallkick)", "hold:", "half turns", "6 next pieces"] {
            let count = modern.left_out.iter().filter(|told| told.contains(words)).count();
            assert_eq!(count, 1, "{words}");
            assert!(!import(CONSOLE).left_out.iter().any(|told| told.contains(words)), "{words}");
        }
        let own = Imported::of(MODERN, &[500.0, 250.0]).unwrap();
        assert!(has(&own, "row_ms = [500, 250]") && has(&own, "last = 1"));
        assert!(!own.left_out.iter().any(|told| told.contains("marathon")));
    }

    #[test]
    fn bounds_of_delays_hold_and_a_ceiling_keeps_pieces_in() {
        let with = |more: &str| import(&format!("{MODERN}{more}"));
        let quick = with("0.ruleopt.maxARE=6\n0.ruleopt.minLineDelay=50\n0.ruleopt.maxLockDelay=0\n");
        assert!(has(&quick, "entry_delay_ms = 100") && has(&quick, "clear_delay_ms = 1133"));
        assert!(!quick.text.contains("lock_begins"));
        let closed = with("0.ruleopt.fieldCeiling=true\n");
        assert!(has(&closed, "hidden_rows = 0") && !closed.left_out.iter().any(|told| told.contains("above")));
        let hidden = import(&MODERN.replacen("nextDisplay=6", "nextDisplay=0", 1));
        assert!(has(&hidden, "next_shown = false"));
        // As a computer of another kind ends its lines.
        assert_eq!(import(&MODERN.replace('\n', "\r\n")), import(MODERN));
    }

    #[test]
    fn what_cannot_be_is_refused_with_line_key_and_remedy() {
        let refused = |more: &str| {
            let text = format!("{MODERN}{more}");
            let told = Imported::of(&text, &[]).unwrap_err().to_string();
            let line = format!("line {}", MODERN.lines().count() + 1);
            assert!(told.contains(&line), "{told}, not {line}");
            told
        };
        for (more, words) in [
            ("0.ruleopt.holdEnabled=true", ["holdEnabled", "correct it, or remove the line"]),
            ("0.ruleopt.holdEnable=yes", ["holdEnable is \"yes\"", "true or false"]),
            ("0.ruleopt.maxARE=-2", ["maxARE is \"-2\"", "from -1 to 600"]),
            ("0.ruleopt.lockflash=NaN", ["lockflash", "from 0 to 600"]),
            ("0.ruleopt.pieceOffsetX.0.1=9", ["pieceOffsetX.0.1", "from -3 to 3"]),
            ("0.ruleopt.pieceOffsetX.11.1=1", ["pieceOffsetX.11.1", "no rule has the key"]),
            ("0.ruleopt.nextDisplay=1", ["nextDisplay again, after line", "keep one"]),
            ("1.ruleopt.ghost=true", ["of rule 1", "keep the lines of one"]),
            ("ghost", ["\"ghost\"", "config/rule"]),
            ("0.ruleopt.fieldWidth=3", ["4 to 16 cells", "choose another"]),
            ("0.ruleopt.style=1", ["style is 1", "the robot cannot play"]),
            ("0.ruleopt.pieceDefaultDirection.4=4", ["pieceDefaultDirection.4", "turned at random"]),
            ("0.ruleopt.pieceSpawnX.0.0=9", ["I appears partly beside the field", "choose another"]),
        ] {
            let told = refused(more);
            assert!(words.iter().all(|words| told.contains(words)), "{told}");
        }
        for nothing in ["", "# only a remark\n"] {
            assert_eq!(Imported::of(nothing, &[]), Err(RuleFileError::Empty));
        }
    }
}
