//! The sums of a run in words. What went wrong comes before what went well, and nothing is called a success that was none.

use crate::app::out;
use crate::message::summary::{Agreements, GameEnd, Repeated, Score, WholeGame};
use crate::message::{Observation, ScreenState, Sighting, Summary};
use std::io;

/// What was read in the picture that the subject names: its kind if it is none of a game going on, spawn place and next box,
/// and the board from the top.
pub fn seen_words(subject: &str, seen: &Observation) -> Vec<String> {
    let kind = match seen.state {
        ScreenState::Playing => "",
        ScreenState::LineClear => " a line being cleared",
        ScreenState::Paused => " a pause",
        ScreenState::GameOver => " the end of a game",
        ScreenState::Menu => " a menu",
        ScreenState::NotThisGame => " something else than this game",
        ScreenState::Obscured => " a field that is covered or cannot be read",
    };
    let piece = |sighting: Sighting| sighting.piece().map_or("nothing".into(), |piece| piece.to_string());
    let (spawn, next) = (piece(seen.spawn), piece(seen.next));
    let head = format!("{subject} shows{kind} (in the spawn place: {spawn}, next: {next}):");
    let board = seen.grid.to_lines().into_iter().map(|line| format!("  {line}"));
    std::iter::once(head).chain(board).collect()
}

impl Summary {
    /// Whether the run came to nothing: there was no piece to be seen.
    pub fn saw_nothing(&self) -> bool {
        self.spawns + self.pieces == 0
    }

    /// The result of a run in plain words, on standard output.
    ///
    /// # Errors
    /// When standard output is closed or full.
    pub fn print_play(&self) -> io::Result<()> {
        self.play_words().iter().try_for_each(out::line)
    }

    /// The result of a run in plain words, a line each.
    fn play_words(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.saw_nothing() {
            lines.push(self.nothing_words("start a game before the robot, and see `stackhand calibrate`"));
        } else {
            let seconds = self.duration_ms / 1000.0;
            let per_piece = seconds / self.pieces.max(1) as f64;
            lines.push(format!(
                "Played {} in {seconds:.1} s ({per_piece:.2} s a piece) and cleared {}{} for {}.",
                many(self.pieces, "piece"),
                many(self.lines, "line"),
                if self.fours > 0 { format!(", {} of them in fours,", self.fours) } else { String::new() },
                many(self.score, "point")
            ));
            lines.extend(self.holds.map(|holds| match holds {
                0 => "No piece was put aside.".into(),
                _ => format!("{} a piece was put aside.", many(holds, "time")),
            }));
            lines.extend(
                self.spins
                    .filter(|spins| *spins > 0)
                    .map(|spins| format!("{} a T was spun into its place and cleared rows.", many(spins, "time"))),
            );
            lines.extend(self.outcome_words());
        }
        lines.extend(self.whole_game.as_ref().map(WholeGame::to_words));
        if self.stalls > 0 {
            lines.push(format!("{} no picture came for long (told above).", many(self.stalls, "time")));
        }
        if self.games_over > 0 {
            lines.push(format!("{} ended on the way.", many(self.games_over, "game")));
        }
        if self.field_moved + self.field_lost > 0 {
            lines.push(self.field_words());
        }
        if self.recording_failed {
            lines.push("The recording ended before the run did (said above).".into());
        } else if self.pictures_lost > 0 {
            lines.push(format!("The recording lacks {} (said above).", many(self.pictures_lost, "picture")));
        }
        if self.blames > 0 {
            let times = many(self.blames, "time");
            lines.push(format!("{times} a relay, a wire or the camera was blamed (said above)."));
        }
        if self.surprises + self.commands_dropped + self.frames_dropped > 0 {
            lines.push(format!(
                "{} contradicted the prediction; dropped: {} and {}.",
                many(self.surprises, "picture"),
                many(self.commands_dropped, "late command"),
                many(self.frames_dropped, "picture")
            ));
        }
        // On a simulated clock times say nothing.
        let (Some(frame), Some(plan)) = (self.frame_us_p50, self.plan_us_p50) else { return lines };
        lines.push(format!("Reading a picture took {frame:.0} µs, planning a piece {plan:.0} µs (medians)."));
        if let (Some(p50), Some(p99)) = (self.press_error_ms_p50, self.press_error_ms_p99) {
            lines.push(format!("Commands left {p50:.2} ms late in the median, {p99:.2} ms in the worst of a hundred."));
        }
        lines
    }

    /// What became of the pieces.
    fn outcome_words(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.misplaced > 0 {
            lines.push(format!("{} locked elsewhere than planned.", many(self.misplaced, "piece")));
        }
        if self.adrift > 0 {
            let pieces = many(self.adrift, "piece");
            lines.push(format!("{pieces} fell with nobody steering, or not all the way (told above)."));
        }
        if self.unplanned > 0 {
            lines.push(format!(
                "For {} no presses were found at first; what never got any is told above. Slower levels, a camera with \
                 less delay and, on the console, measured times (`stackhand calibrate --latency`) help.",
                many(self.unplanned, "piece")
            ));
        }
        if lines.is_empty() && self.pieces > 0 {
            lines.push("Every piece locked where it was meant to.".into());
        }
        lines
    }

    fn field_words(&self) -> String {
        let [moved, lost] = [self.field_moved, self.field_lost].map(|count| many(count, "time"));
        match (self.field_moved, self.field_lost) {
            (_, 0) => format!("The field moved in the picture {moved} and was found again."),
            (0, _) => format!("The field was lost for long {lost}."),
            _ => format!("The field moved in the picture {moved} and was found again; {lost} it was lost for long."),
        }
    }

    /// That no piece was seen, and why that may be.
    fn nothing_words(&self, remedy: &str) -> String {
        let frames = self.frames;
        if frames == 0 {
            return "There was no picture: check the source.".into();
        }
        match self.frames_obscured * 2 > frames {
            true => format!(
                "No piece was seen: {} of {frames} pictures did not show the game clearly. Check the layout, the corners and \
                 the light; {remedy}.",
                self.frames_obscured
            ),
            false => format!("No piece was seen in {} of the field: {remedy}.", many(frames, "picture")),
        }
    }

    /// The sums of a replay in words, a line each.
    pub fn replay_words(&self) -> Vec<String> {
        let seconds = self.duration_ms / 1000.0;
        let mut lines = vec![format!(
            "{}, {seconds:.1} s: {} locked, {} cleared.",
            many(self.frames, "picture"),
            many(self.pieces, "piece"),
            many(self.lines, "line")
        )];
        if self.frames_obscured * 2 > self.frames {
            lines.push(format!(
                "{} of the pictures did not show the game clearly: check the layout and the corners, or try --auto.",
                self.frames_obscured
            ));
        }
        if self.field_moved + self.field_lost > 0 {
            lines.push(self.field_words());
        }
        if self.stalls > 0 {
            lines.push(format!("{} there was no picture for long.", many(self.stalls, "time")));
        }
        if self.surprises > 0 {
            lines.push(format!("{} the picture contradicted the prediction (see -v).", many(self.surprises, "time")));
        }
        lines.extend(self.repeated.map(Repeated::to_words));
        lines.extend(self.consistency.map(Agreements::to_words));
        lines.extend(self.truth.iter().flat_map(Score::to_words));
        lines
    }

    /// The sums of a replay in words, on standard output.
    ///
    /// # Errors
    /// When standard output is closed or full.
    pub fn print_replay(&self) -> io::Result<()> {
        self.replay_words().iter().try_for_each(out::line)?;
        if let (Some(p50), Some(p99)) = (self.frame_us_p50, self.frame_us_p99) {
            out::line(format_args!("Reading a picture took {p50} µs (median), {p99} µs (99th percentile)."))?;
        }
        Ok(())
    }
}

/// A number with its noun.
pub fn many(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

impl WholeGame {
    fn to_words(&self) -> String {
        let Self { mode, end, level, .. } = self;
        let what = match end {
            Some(GameEnd::Completed) => "was played to its goal",
            Some(GameEnd::BlockOut) => "was lost, for a piece had no room to appear",
            Some(GameEnd::LockOut) => "was lost, for a piece locked above the field",
            Some(GameEnd::TopOut) => "was lost, for blocks were forced past the top",
            None => "went on when the run ended",
        };
        let (lines, points, seconds) = (many(self.lines, "line"), many(self.score, "point"), self.time_ms / 1000.0);
        format!("The {mode} {what}: {lines}, {points}, level {level}, {seconds:.2} s by the game's own frames.")
    }
}

impl Repeated {
    fn to_words(self) -> String {
        let Self { plans, differ, new, pictures_missing } = self;
        let missing = match pictures_missing {
            0 => String::new(),
            n => format!(" The recording lacks {n} pictures that the robot saw, so it cannot come out the same."),
        };
        let new = match new {
            0 => String::new(),
            1 => " One more was made now, after the last: the run may have ended before it said it.".into(),
            n => format!(" {n} more were made now, after the last that was recorded."),
        };
        match differ {
            0 => {
                format!(
                    "The robot was run again: all {plans} plans came out as recorded, commands included.{new}{missing}"
                )
            }
            _ => {
                format!(
                    "The robot was run again: {differ} of {plans} plans came out otherwise than recorded.{new}{missing}"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(summary: &Summary, words: &str) -> bool {
        summary.play_words().iter().any(|line| line.contains(words))
    }

    #[test]
    fn only_a_run_in_which_every_piece_came_where_it_should_is_a_success() {
        let good = Summary { spawns: 5, pieces: 5, frames: 900, ..Summary::default() };
        assert!(says(&good, "Every piece locked where it was meant to."));
        let spoilt = [
            Summary { misplaced: 1, ..good.clone() },
            Summary { unplanned: 1, ..good.clone() },
            Summary { adrift: 1, ..good.clone() },
            Summary { pieces: 0, ..good.clone() },
            Summary { pieces: 0, spawns: 0, ..good },
        ];
        for summary in spoilt {
            assert!(!says(&summary, "Every piece"), "{:?}", summary.play_words());
        }
    }

    #[test]
    fn pieces_that_were_put_aside_are_told_where_the_game_can_do_that() {
        let some = Summary { spawns: 9, pieces: 9, holds: Some(3), ..Summary::default() };
        assert!(says(&some, "3 times a piece was put aside."), "{:?}", some.play_words());
        assert!(says(&Summary { holds: Some(1), ..some.clone() }, "1 time a piece was put aside."));
        assert!(says(&Summary { holds: Some(0), ..some.clone() }, "No piece was put aside."));
        assert!(!says(&Summary { holds: None, ..some }, "aside"));
    }

    #[test]
    fn a_whole_game_is_told_with_how_it_ended() {
        let game = |end| WholeGame { mode: "sprint".into(), end, lines: 40, score: 9000, level: 1, time_ms: 74_834.0 };
        let some = |end| Summary { spawns: 9, pieces: 9, whole_game: Some(game(end)), ..Summary::default() };
        let words =
            "The sprint was played to its goal: 40 lines, 9000 points, level 1, 74.83 s by the game's own frames.";
        assert!(says(&some(Some(GameEnd::Completed)), words), "{:?}", some(Some(GameEnd::Completed)).play_words());
        assert!(says(&some(Some(GameEnd::BlockOut)), "The sprint was lost, for a piece had no room to appear: "));
        assert!(says(&some(None), "The sprint went on when the run ended: "));
    }

    #[test]
    fn spins_are_told_where_there_were_some() {
        let some = Summary { spawns: 9, pieces: 9, spins: Some(2), ..Summary::default() };
        assert!(says(&some, "2 times a T was spun into its place and cleared rows."), "{:?}", some.play_words());
        assert!(!says(&Summary { spins: Some(0), ..some }, "spun"));
    }

    #[test]
    fn lines_in_fours_are_told_where_there_are_some() {
        let some = Summary { spawns: 9, pieces: 9, lines: 5, fours: 4, score: 1240, ..Summary::default() };
        assert!(says(&some, "and cleared 5 lines, 4 of them in fours, for 1240 points"), "{:?}", some.play_words());
        assert!(says(&Summary { fours: 0, ..some }, "and cleared 5 lines for 1240 points"));
    }

    #[test]
    fn a_run_without_a_piece_says_what_was_seen_instead() {
        let nothing = Summary { frames: 300, frames_obscured: 280, ..Summary::default() };
        assert!(nothing.saw_nothing() && says(&nothing, "280 of 300 pictures did not show the game"));
        assert!(says(&Summary { frames: 300, ..Summary::default() }, "No piece was seen in 300 pictures of the field"));
        assert!(says(&Summary::default(), "There was no picture"));
        assert!(!says(&nothing, "Played"));
    }
}
