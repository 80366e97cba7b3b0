//! One game of two programs: both think as long, at the same time, and lock a piece each; who answers late or with what cannot be
//! done has lost.

use super::program::{Program, ProgramError};
use crate::app::cmd::bot::location::{landing_of, move_of};
use crate::app::cmd::bot::protocol::{Move, Randomizer, Start, ToBot};
use crate::game::Piece;
use crate::game::guideline::{End, ROWS};
use crate::game::movegen::{COLUMNS, Landing, Moves};
use crate::planner::modern::{Illegal, Placement, State};
use crate::time::{Clock, HostTime, SystemClock};
use crate::train::duel::{Duel, Side, Turn, Verdict};
use crate::train::statistics::Times;
use serde::Serialize;

/// Pieces of each after which a game is drawn: some hundred times those of a usual one would never end.
pub const PIECES_MAX: u64 = 5000;

/// Between an empty answer and the next question, ms.
const ASK_AGAIN_MS: f64 = 1.0;

/// How a side lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// By the rules of the game.
    ToppedOut,
    /// None of its suggestions could be played.
    Illegal,
    /// It answered too late, or not at all.
    Late,
    /// The program ended.
    Ended,
}

/// What a side did in a game.
#[derive(Debug, Clone, Default)]
pub struct Played {
    /// Lines sent, countered ones left out.
    pub sent: u64,
    /// Lines of all attacks.
    pub attack: u64,
    /// Suggestions that could not be played, another one of the same answer could.
    pub refused: u64,
    /// Places that could be reached, though not by the spin that was named: played as they could be.
    pub respun: u64,
    /// From the question to the answer.
    pub answers: Times,
    /// How it lost, if it did.
    pub loss: Option<Loss>,
}

/// A game.
#[derive(Debug, Clone)]
pub struct Game {
    /// Its seed.
    pub seed: u64,
    /// Pieces of each.
    pub pieces: u64,
    /// Who won, 0 or 1; nobody if it was drawn.
    pub winner: Option<usize>,
    /// What each did.
    pub played: [Played; 2],
}

/// Who sees to it that all goes by the rules.
pub struct Referee<'a> {
    /// How pieces move.
    pub moves: &'a Moves,
    /// The clock of both.
    pub clock: SystemClock,
    /// How long both think about each piece, ms.
    pub think_ms: f64,
    /// How long an answer may take then, ms.
    pub late_ms: f64,
}

impl Referee<'_> {
    /// Plays a game to its end.
    pub fn play(&self, programs: &mut [Program; 2], seed: u64) -> Game {
        let mut duel = Duel::new(seed);
        let mut played = [Played::default(), Played::default()];
        let mut is_alive = [0, 1].map(|player| begin(&mut programs[player], &duel.sides[player].state).is_ok());
        let mut verdict = None;
        while verdict.is_none() && duel.sides[0].pieces_locked < PIECES_MAX {
            let placements = self.ask(programs, &duel, seed, &mut played, is_alive);
            let [Some(one), Some(other)] = placements else { break };
            let turns = duel.round(self.moves, [one, other]);
            verdict = duel.verdict();
            for (player, turn) in turns.iter().enumerate() {
                let state = &duel.sides[player].state;
                let told = match verdict {
                    Some(_) => programs[player].tell(&ToBot::Stop),
                    None => go_on(&mut programs[player], state, turn, [one, other][player].landing),
                };
                is_alive[player] = told.is_ok();
            }
        }
        for (player, Side { sent, attack, end, .. }) in duel.sides.iter().enumerate() {
            let ended: Option<End> = *end;
            let played = &mut played[player];
            (played.sent, played.attack) = (*sent, *attack);
            played.loss = played.loss.or(ended.map(|_| Loss::ToppedOut));
        }
        let winner = match [&played[0].loss, &played[1].loss] {
            [Some(_), None] => Some(1),
            [None, Some(_)] => Some(0),
            _ => verdict.and_then(|verdict| if let Verdict::Won(player) = verdict { Some(player) } else { None }),
        };
        Game { seed, pieces: duel.sides[0].pieces_locked, winner, played }
    }

    /// What a program answers. Some answer with nothing while they have only begun to think; these are asked again until it is too
    /// late, and the time counts as theirs.
    fn suggestion(&self, program: &mut Program, asked: HostTime) -> Result<(HostTime, Vec<Move>), ProgramError> {
        let until = asked.plus_ms(self.late_ms);
        loop {
            let (at, suggested) = program.suggestion(until)?;
            if !suggested.is_empty() || at.plus_ms(ASK_AGAIN_MS) >= until {
                return Ok((at, suggested));
            }
            self.clock.sleep_until(at.plus_ms(ASK_AGAIN_MS));
            program.tell(&ToBot::Suggest)?;
        }
    }

    /// What both want to do, after they have thought as long.
    fn ask(
        &self,
        programs: &mut [Program; 2],
        duel: &Duel,
        seed: u64,
        played: &mut [Played; 2],
        is_alive: [bool; 2],
    ) -> [Option<Placement>; 2] {
        self.clock.sleep_until(self.clock.now().plus_ms(self.think_ms));
        // Who is asked first changes with the game.
        let first = (seed % 2) as usize;
        let mut asked: [Option<HostTime>; 2] = [None, None];
        for player in [first, 1 - first] {
            let told = is_alive[player] && programs[player].tell(&ToBot::Suggest).is_ok();
            asked[player] = told.then(|| self.clock.now());
        }
        let mut found = [None, None];
        for player in [first, 1 - first] {
            let played = &mut played[player];
            let Some(asked) = asked[player] else {
                played.loss = Some(Loss::Ended);
                continue;
            };
            match self.suggestion(&mut programs[player], asked) {
                Ok((at, suggested)) => {
                    played.answers.add((at - asked).max(0) as u64 * 1000);
                    found[player] = choose(self.moves, &duel.sides[player].state, &suggested, played);
                    if found[player].is_none() {
                        played.loss = Some(Loss::Illegal);
                    }
                }
                Err(ProgramError::Silent { .. }) => played.loss = Some(Loss::Late),
                Err(_) => played.loss = Some(Loss::Ended),
            }
        }
        found
    }
}

/// The first suggestion that can be played.
fn choose(moves: &Moves, state: &State, suggested: &[Move], played: &mut Played) -> Option<Placement> {
    for told in suggested {
        if let Some(landing) = landing_of(*told) {
            match state.find(moves, landing) {
                Ok(placement) => return Some(placement),
                Err(Illegal::Spin) => {
                    if let Some(placement) = otherwise(moves, state, landing) {
                        played.respun += 1;
                        return Some(placement);
                    }
                }
                Err(_) => {}
            }
        }
        played.refused += 1;
    }
    None
}

/// The same place by the best spin that leads there; programs know other rules of what a spin is.
fn otherwise(moves: &Moves, state: &State, landing: Landing) -> Option<Placement> {
    let there = state.placements(moves).into_iter().filter(|other| other.landing.place == landing.place);
    there.max_by_key(|other| other.landing.spin)
}

/// A position from which to calculate.
fn begin(program: &mut Program, state: &State) -> Result<(), ProgramError> {
    let cell = |row: usize, column: usize| state.field.is_full(column, row).then(|| "G".to_string());
    let board = (0..ROWS).map(|row| (0..COLUMNS).map(|column| cell(row, column)).collect()).collect();
    let bag = state.bag.map(|bag| Piece::ALL.into_iter().filter(|piece| bag.has(*piece)).collect::<Vec<_>>());
    // An empty bag is never told: it is as good as a full one.
    let bag_state = bag.filter(|bag| !bag.is_empty()).unwrap_or_else(|| Piece::ALL.to_vec());
    program.tell(&ToBot::Start(Start {
        hold: state.hold,
        queue: state.queue.clone(),
        combo: state.combo,
        back_to_back: state.sequence.is_on(),
        board,
        randomizer: Some(Randomizer::SevenBag { bag_state }),
    }))
}

/// What was played, and what came; or all anew where rows appeared, which the protocol has no message for.
fn go_on(program: &mut Program, state: &State, turn: &Turn, landing: Landing) -> Result<(), ProgramError> {
    if turn.rows > 0 {
        program.tell(&ToBot::Stop)?;
        return begin(program, state);
    }
    program.tell(&ToBot::Play { played: move_of(landing) })?;
    turn.shown.iter().try_for_each(|piece| program.tell(&ToBot::NewPiece { piece: *piece }))
}
