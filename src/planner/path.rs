//! From a pose to a pose in moves, and from moves to strokes that a mechanical finger can do.

use crate::game::Board;
use crate::game::Buttons;
use crate::game::orientation::{Pose, Rotation};
use crate::game::rules::{Down, Move, Rules};
use crate::schedule::Stroke;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Cost of a tap, which takes a press and a gap.
const TAP_COST: u32 = 40;
/// Cost of a tap below the row where the descent began: timed soft drops are the least certain of strokes.
const DESCENT_COST: u32 = 80;
/// Cost of each row.
const ROW_COST: u32 = 1;
/// Down is held so much longer than the rows take, frames: the two edges of its press may each be one off, and it is felt a frame
/// late.
const LOWER_SLACK_FRAMES: f64 = 3.0;

/// A pose, and whether the last move was down.
type State = (Pose, bool);

/// The cheapest moves from one pose to the others on a board, found as far as they are asked for (Dijkstra).
pub struct Paths<'a> {
    board: &'a Board,
    rules: &'a Rules,
    start: State,
    slots: Slots,
    /// What is known of each state.
    found: Vec<Found>,
    /// States to go on from, the cheapest first.
    queue: BinaryHeap<Reverse<(u32, State)>>,
}

/// What is known of a state.
#[derive(Clone, Copy)]
struct Found {
    /// The cost of the cheapest way so far.
    cost: u32,
    /// Whether there is none that is cheaper.
    is_final: bool,
    /// Its last move, and the state before.
    came_from: Option<(State, Move)>,
}

impl Found {
    const NOTHING: Self = Self { cost: u32::MAX, is_final: false, came_from: None };
}

impl<'a> Paths<'a> {
    /// All ways of a piece that is at `from`.
    pub fn from(board: &'a Board, from: Pose, rules: &'a Rules) -> Self {
        let start = (from, false);
        let slots = Slots::of(board);
        let found = vec![Found::NOTHING; slots.count()];
        let mut paths = Self { board, rules, start, slots, found, queue: BinaryHeap::new() };
        if let Some(slot) = slots.of_state(start) {
            paths.found[slot].cost = 0;
            paths.queue.push(Reverse((0, start)));
        }
        paths
    }

    /// The cheapest moves to `to`, in any rotation that looks the same, with the piece resting there; `None` if it cannot get
    /// there.
    pub fn to(&mut self, to: Pose) -> Option<Vec<Move>> {
        let end = self.final_state(to).or_else(|| self.search(to))?;
        let mut moves = Vec::new();
        let mut state = end;
        while state != self.start {
            let (before, step) = self.found[self.slots.of_state(state)?].came_from?;
            let rows = if step == Move::Down { state.0.y - before.0.y } else { 1 };
            moves.extend((0..rows).map(|_| step));
            state = before;
        }
        moves.reverse();
        Some(moves)
    }

    /// The cheapest of the states that look like a pose and were reached already.
    fn final_state(&self, pose: Pose) -> Option<State> {
        let rotated = |rotation| Pose { orientation: pose.orientation.rotated_to(rotation), ..pose };
        let alike = Rotation::ALL.into_iter().map(rotated).filter(|rotated| rotated.shape() == pose.shape());
        let states = alike.flat_map(|pose| [(pose, false), (pose, true)]);
        let known = states.filter_map(|state| Some((self.found[self.slots.of_state(state)?], state)));
        known.filter(|(found, _)| found.is_final).min_by_key(|(found, state)| (found.cost, *state)).map(|known| known.1)
    }

    /// Goes on until `to` is reached.
    fn search(&mut self, to: Pose) -> Option<State> {
        while let Some(Reverse((cost, state))) = self.queue.pop() {
            let found = &mut self.found[self.slots.of_state(state)?];
            if found.is_final {
                continue;
            }
            found.is_final = true;
            self.spread(cost, state);
            if state.0.shape() == to.shape() {
                return Some(state);
            }
        }
        None
    }

    /// Where rows are waited for, or each is a press of its own, a tap is the better the sooner it can be made.
    fn wait_cost(&self, step: Move, from: Pose) -> u32 {
        let rows_cost = !self.rules.can(Move::Down) || self.rules.down() == Down::Taps;
        if step != Move::Down && rows_cost { u32::from(from.y.max(0).unsigned_abs()) } else { 0 }
    }

    /// Where a step leads.
    fn stepped(&self, pose: Pose, step: Move) -> Option<Pose> {
        let stepped = self.rules.stepped(self.board, pose, step)?;
        let goes_on = step == Move::Down && self.rules.down() == Down::ToTheFloor;
        let below = std::iter::successors(Some(stepped), |pose| self.rules.stepped(self.board, *pose, step));
        if goes_on { below.last() } else { Some(stepped) }
    }

    fn spread(&mut self, cost: u32, state: State) {
        // Pieces fall in any case.
        for step in Move::ALL.into_iter().filter(|&step| step == Move::Down || self.rules.can(step)) {
            let Some(pose) = self.stepped(state.0, step) else { continue };
            let next = (pose, step == Move::Down);
            let rows = u32::from((pose.y - state.0.y).unsigned_abs());
            let step_cost = if step == Move::Down { ROW_COST * rows } else { tap_cost(state.1) };
            let total = cost + step_cost + self.wait_cost(step, state.0);
            let Some(slot) = self.slots.of_state(next) else { continue };
            let found = &mut self.found[slot];
            if total < found.cost {
                (found.cost, found.came_from) = (total, Some((state, step)));
                self.queue.push(Reverse((total, next)));
            }
        }
    }
}

/// Pivots are so far outside of the board at most.
const MARGIN: i8 = 2;

/// The states of one piece on a board of some size, in a row.
#[derive(Clone, Copy)]
struct Slots {
    columns: usize,
    rows: usize,
}

impl Slots {
    fn of(board: &Board) -> Self {
        let around = 2 * MARGIN as usize;
        Self { columns: board.width() + around, rows: board.height() + around }
    }

    fn count(self) -> usize {
        self.columns * self.rows * Rotation::COUNT * 2
    }

    /// The place of a state; `None` for poses that the board does not have.
    fn of_state(self, (pose, was_down): State) -> Option<usize> {
        let column = usize::try_from(pose.x + MARGIN).ok().filter(|&column| column < self.columns)?;
        let row = usize::try_from(pose.y + MARGIN).ok().filter(|&row| row < self.rows)?;
        let rotation = pose.orientation.rotation() as usize;
        Some(((row * self.columns + column) * Rotation::COUNT + rotation) * 2 + usize::from(was_down))
    }
}

fn tap_cost(was_down: bool) -> u32 {
    if was_down { TAP_COST + DESCENT_COST } else { TAP_COST }
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
    /// Those that a game takes, the quickest first.
    pub fn of(rules: &Rules) -> impl Iterator<Item = Self> {
        let has_chords = rules.has_chords();
        [Self::Chords, Self::Apart, Self::Holds].into_iter().filter(move |style| has_chords || *style != Self::Chords)
    }
}

/// The moves as strokes, at a level.
pub fn strokes(moves: &[Move], rules: &Rules, level: u8, style: Style) -> Vec<Stroke> {
    let mut strokes = Vec::new();
    let mut rest = moves;
    // What follows the last tap is the final descent.
    let last_tap = moves.iter().rposition(|&m| m != Move::Down).map_or(0, |i| i + 1);
    while rest.len() > moves.len() - last_tap {
        let downs = rest.iter().take_while(|&&m| m == Move::Down).count();
        if downs > 0 {
            strokes.push(match rules.down() {
                Down::Rows | Down::Taps => Stroke::SoftDrop(downs as u8),
                Down::ToTheFloor => Stroke::Lower(lower_frames(downs, rules, level)),
            });
        }
        let taps = rest[downs..].iter().take_while(|&&m| m != Move::Down).count();
        push_taps(&rest[downs..downs + taps], rules, style, &mut strokes);
        rest = &rest[downs + taps..];
    }
    strokes.extend(match (rules.hard_drop(), rules.down()) {
        (Some(_), _) => Some(Stroke::HardDrop),
        (None, Down::Rows) => Some(Stroke::HoldDown),
        // A tap of Down is a row. What Down does when it is held nobody knows, nor when such a piece would lock.
        (None, Down::Taps) => (!rest.is_empty()).then_some(Stroke::SoftDrop(rest.len() as u8)),
        (None, Down::ToTheFloor) => (!rest.is_empty()).then(|| Stroke::Lower(lower_frames(rest.len(), rules, level))),
    });
    strokes
}

/// How long Down is held to take a piece down by so many rows at least: a contact may close late and open early.
fn lower_frames(rows: usize, rules: &Rules, level: u8) -> u16 {
    (rows as f64 * rules.hurried_row_ms(level) / rules.frame_ms() + LOWER_SLACK_FRAMES).ceil() as u16
}

fn push_taps(taps: &[Move], rules: &Rules, style: Style, strokes: &mut Vec<Stroke>) {
    let is_turn = |m: &&Move| matches!(m, Move::Clockwise | Move::CounterClockwise | Move::HalfTurn);
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
