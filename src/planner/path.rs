//! From a pose to a pose in moves, and from moves to strokes that a mechanical finger can do.

use crate::game::Board;
use crate::game::Buttons;
use crate::game::orientation::Pose;
use crate::game::rules::{Move, Rules};
use crate::schedule::Stroke;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Cost of a tap, which takes a press and a gap.
const TAP_COST: u32 = 40;
/// Cost of a tap below the row where the descent began: timed soft drops are the least certain of strokes.
const DESCENT_COST: u32 = 80;
/// Cost of each row.
const ROW_COST: u32 = 1;

/// A pose, and whether the last move was down.
type State = (Pose, bool);

/// The cheapest moves from `from` to `to` with the piece resting at `to`; `None` if it cannot get there.
pub fn moves(board: &Board, from: Pose, to: Pose, rules: &Rules) -> Option<Vec<Move>> {
    let start = (from, false);
    let mut cost = BTreeMap::from([(start, 0u32)]);
    let mut came_from: BTreeMap<State, (State, Move)> = BTreeMap::new();
    let mut queue = BinaryHeap::from([Reverse((0u32, start))]);
    while let Some(Reverse((so_far, state))) = queue.pop() {
        if cost.get(&state).is_some_and(|&best| best < so_far) {
            continue;
        }
        if state.0 == to {
            return Some(walk_back(&came_from, state));
        }
        for step in Move::ALL.into_iter().filter(|&m| rules.can(m)) {
            let pose = step.apply(state.0, rules.hand());
            if pose == state.0 || !pose.fits(board) {
                continue;
            }
            let next = (pose, step == Move::Down);
            let total = so_far + step_cost(step, state.1);
            if cost.get(&next).is_none_or(|&best| total < best) {
                cost.insert(next, total);
                came_from.insert(next, (state, step));
                queue.push(Reverse((total, next)));
            }
        }
    }
    None
}

fn step_cost(step: Move, was_down: bool) -> u32 {
    match (step, was_down) {
        (Move::Down, _) => ROW_COST,
        (_, true) => TAP_COST + DESCENT_COST,
        (_, false) => TAP_COST,
    }
}

fn walk_back(came_from: &BTreeMap<State, (State, Move)>, end: State) -> Vec<Move> {
    let mut moves = Vec::new();
    let mut state = end;
    while let Some(&(before, step)) = came_from.get(&state) {
        moves.push(step);
        state = before;
    }
    moves.reverse();
    moves
}

/// How moves become strokes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Turns are pressed together with shifts.
    Chords,
    /// One button at a time.
    Apart,
    /// Turns first, then all columns by one press that is held: no press can be lost or doubled.
    Holds,
}

impl Style {
    /// All of them, the quickest first.
    pub const ALL: [Self; 3] = [Self::Chords, Self::Apart, Self::Holds];
}

/// The moves as strokes.
pub fn strokes(moves: &[Move], rules: &Rules, style: Style) -> Vec<Stroke> {
    let mut strokes = Vec::new();
    let mut rest = moves;
    // What follows the last tap is the final descent.
    let last_tap = moves.iter().rposition(|&m| m != Move::Down).map_or(0, |i| i + 1);
    while rest.len() > moves.len() - last_tap {
        let downs = rest.iter().take_while(|&&m| m == Move::Down).count();
        if downs > 0 {
            strokes.push(Stroke::SoftDrop(downs as u8));
        }
        let taps = rest[downs..].iter().take_while(|&&m| m != Move::Down).count();
        push_taps(&rest[downs..downs + taps], rules, style, &mut strokes);
        rest = &rest[downs + taps..];
    }
    strokes.extend(match (rules.hard_drop(), rules) {
        (Some(_), _) => Some(Stroke::HardDrop),
        (None, Rules::Nes) => Some(Stroke::HoldDown),
        // A tap of Down is a row. What Down does when it is held nobody knows, nor when such a piece would lock.
        (None, Rules::Simple(_)) => (!rest.is_empty()).then_some(Stroke::SoftDrop(rest.len() as u8)),
    });
    strokes
}

fn push_taps(taps: &[Move], rules: &Rules, style: Style, strokes: &mut Vec<Stroke>) {
    let is_turn = |m: &&Move| matches!(m, Move::Clockwise | Move::CounterClockwise);
    let (turns, shifts): (Vec<Move>, Vec<Move>) = taps.iter().partition(is_turn);
    match style {
        Style::Apart => strokes.extend(taps.iter().map(|&m| Stroke::Tap(rules.button(m)))),
        Style::Chords => {
            for i in 0..turns.len().max(shifts.len()) {
                let buttons = [shifts.get(i), turns.get(i)].into_iter().flatten().map(|&m| rules.button(m));
                strokes.push(Stroke::Tap(buttons.fold(Buttons::NONE, |all, b| all | b)));
            }
        }
        Style::Holds => {
            strokes.extend(turns.iter().map(|&m| Stroke::Tap(rules.button(m))));
            match shifts.as_slice() {
                [first, _, ..] if rules.auto_shift().is_some() && shifts.iter().all(|m| m == first) => {
                    strokes.push(Stroke::Hold { direction: rules.button(*first), columns: shifts.len() as u8 });
                }
                _ => strokes.extend(shifts.iter().map(|&m| Stroke::Tap(rules.button(m)))),
            }
        }
    }
}
