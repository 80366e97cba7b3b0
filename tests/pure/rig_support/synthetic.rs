//! Trials without a camera: contacts and polls as in the twin, pictures only as shares with noise. A rig is tried in a
//! second, so that the estimates can be judged over many.

use super::{SHOWN_AFTER_MS, Truth};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::belief::clock::game_clock::GameClock;
use stackhand::edge::simulated::SimulatedBoard;
use stackhand::game::Buttons;
use stackhand::message::{RelayCommand, RelayMask};
use stackhand::robot::measure::experimenter::{HOLDS, REFIT_TRIALS, SWEEPING_TAPS, TAPS, TURNS};
use stackhand::robot::measure::{Aim, Fit, Kind, Picture, Release, Trial, fit, fit_release};
use stackhand::time::{ConsoleFrame, HostTime};

/// The polls of auto-shift's first move, counted from the press.
const SHIFT_FRAMES: i64 = 16;
const NOMINAL_FRAME_MS: f64 = 1000.0 / 60.0988;
/// Shares are read so roughly (half-width of an even spread), twice what was seen in the twin, and one in this many is nonsense.
const SHARE_NOISE: f64 = 0.1;
const NONSENSE_ONE_IN: u32 = 40;
/// Changes smaller than this are taken for none (vision's `STILL_SHARE`).
const STILL: f64 = 0.15;
/// Trials follow each other after this long, on average, ms.
const PAUSE_MS: f64 = 350.0;

struct Synthetic {
    truth: Truth,
    board: SimulatedBoard,
    rng: Xoshiro256PlusPlus,
    frame_ms: f64,
    poll_ms: f64,
    period_ms: f64,
    taken_ms: f64,
    exposure_ms: f64,
    /// A picture's brightness is light to this power.
    gamma: f64,
}

/// All trials of an experimenter, aimed as it aims, and what is made of them.
pub fn learn_without_pictures(truth: Truth) -> Option<(Fit, Release)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(truth.seed ^ 0x51f7);
    let mut drift = || 1.0 + rng.random_range(-1e-4..1e-4);
    let (frame_ms, period_ms) = (NOMINAL_FRAME_MS * drift(), 1000.0 / truth.fps * drift());
    let (poll_ms, taken_ms) = (rng.random_range(0.0..frame_ms), rng.random_range(0.0..period_ms));
    let board = SimulatedBoard::new(truth.device(), 9600);
    let (exposure_ms, gamma) = (truth.exposure_ms(), rng.random_range(0.45..1.0));
    let mut rig = Synthetic { truth, board, rng, frame_ms, poll_ms, period_ms, taken_ms, exposure_ms, gamma };
    let clock = rig.clock();
    let mut trials: Vec<Trial> = Vec::new();
    let (mut found, mut release, mut fitted) = (None, None, 0);
    let mut now_ms = 3000.0;
    for number in 0.. {
        let count =
            |kind: Kind, turn: bool| trials.iter().filter(|t| t.kind == kind && is_turn(t.button) == turn).count();
        let (taps, holds, turns) = (count(Kind::Tap, false), count(Kind::Hold, false), count(Kind::Tap, true));
        let side = if number % 2 == 0 { Buttons::LEFT } else { Buttons::RIGHT };
        let (kind, button) = match number % 4 {
            _ if taps >= TAPS && holds >= HOLDS && turns >= 2 * TURNS => break,
            _ if found.is_none() => (Kind::Tap, side),
            0 if turns < 2 * TURNS => (Kind::Tap, if turns % 2 == 0 { Buttons::A } else { Buttons::B }),
            1 if taps < TAPS => (Kind::Tap, side),
            _ if holds < HOLDS => (Kind::Hold, side),
            _ if taps < TAPS => (Kind::Tap, side),
            _ => (Kind::Tap, if turns % 2 == 0 { Buttons::A } else { Buttons::B }),
        };
        let aim = Aim {
            fit: found.as_ref(),
            release,
            typical_later_ms: -1.0,
            frame_ms: NOMINAL_FRAME_MS,
            shift_frames: SHIFT_FRAMES,
            picture_ms: rig.taken_ms,
            period_ms,
        };
        let (pressed_ms, released_ms) = aim.times_ms(kind, button, number, now_ms);
        let trial = rig.press(kind, button, pressed_ms, released_ms);
        now_ms = released_ms + rig.rng.random_range(0.5..1.5) * PAUSE_MS;
        if trial.moves > 0 && trial.seen_ms().is_some() {
            trials.push(trial);
        }
        if trials.len() >= SWEEPING_TAPS && (found.is_none() || trials.len() >= fitted + REFIT_TRIALS) {
            fitted = trials.len();
            found = fit(&trials, &clock, period_ms, found.as_ref());
            release = found.as_ref().and_then(|fit| fit_release(&trials, fit, SHIFT_FRAMES));
        }
    }
    let fit = fit(&trials, &clock, period_ms, found.as_ref())?;
    let release = fit_release(&trials, &fit, SHIFT_FRAMES)?;
    Some((fit, release))
}

fn is_turn(button: Buttons) -> bool {
    button == Buttons::A || button == Buttons::B
}

impl Synthetic {
    /// What the game clock would say: a little wrong.
    fn clock(&mut self) -> GameClock {
        let wrong_ms = self.rng.random_range(-1.5..1.5);
        let boundary_ms = self.boundary_ms(0) + wrong_ms;
        GameClock {
            origin: HostTime::from_ms(boundary_ms),
            frame: ConsoleFrame(0),
            frame_ms: self.frame_ms * (1.0 + self.rng.random_range(-1e-5..1e-5)),
            phase_error_ms: 1.5,
            rate_error: 2e-5,
        }
    }

    fn poll_ms(&self, frame: i64) -> f64 {
        self.poll_ms + frame as f64 * self.frame_ms
    }

    /// When a picture would arrive, on average, that shows the frame for half of its exposure.
    fn boundary_ms(&self, frame: i64) -> f64 {
        self.poll_ms(frame) + SHOWN_AFTER_MS + self.exposure_ms / 2.0 + self.truth.latency_ms
    }

    fn press(&mut self, kind: Kind, button: Buttons, pressed_ms: f64, released_ms: f64) -> Trial {
        let relay = RelayMask(button.0);
        for (at_ms, from, mask) in [(pressed_ms, RelayMask(0), relay), (released_ms, relay, RelayMask(0))] {
            let due = HostTime::from_ms(at_ms - self.board.wire().ms(from, mask));
            self.board.play(RelayCommand { due, expires: due, mask });
        }
        let first = ((pressed_ms - self.poll_ms) / self.frame_ms).floor() as i64;
        let is_read = |frame: i64| self.board.device().polled_at(HostTime::from_ms(self.poll_ms(frame))).0 != 0;
        let read = (first..first + 6).find(|frame| is_read(*frame));
        let mut trial = Trial { kind, button, pressed_ms, released_ms, pictures: Vec::new(), moves: 0 };
        let Some(read) = read else { return trial };
        trial.moves = 1 + u8::from(kind == Kind::Hold && is_read(read + SHIFT_FRAMES));
        trial.pictures = self.pictures(self.boundary_ms(read));
        trial
    }

    /// Three pictures before and two after a boundary.
    fn pictures(&mut self, boundary_ms: f64) -> Vec<Picture> {
        let first = ((boundary_ms - self.taken_ms) / self.period_ms).floor() as i64 - 2;
        let seen = |change: f64| if change < STILL { 0.0 } else { change };
        let pictures = (first..first + 5).map(|number| {
            let taken_ms = self.taken_ms + number as f64 * self.period_ms;
            let share = ((taken_ms - boundary_ms) / self.exposure_ms + 0.5).clamp(0.0, 1.0);
            let share = (seen(share.powf(self.gamma)) + seen(1.0 - (1.0 - share).powf(self.gamma))) / 2.0;
            let is_nonsense = self.rng.random_range(0..NONSENSE_ONE_IN) == 0;
            let noise = if is_nonsense { 0.5 } else { SHARE_NOISE };
            let share = (share + self.rng.random_range(-noise..noise)).clamp(0.0, 1.0);
            Picture { taken_ms, share }
        });
        pictures.collect()
    }
}
