//! B-Type's ending of level 9: figures play on a stage, more of them the higher the garbage was; where all play, the roofs
//! behind them lift off one after the other. $A53B, $A6BC.

use crate::game::nes::Region;

/// The height at which all figures play.
const HEIGHT_MAX: u8 = 5;
/// A dancer has ten steps of eight frames; $A80E and $A818 say how high it is and which picture it has.
const DANCE: [(u8, u8); 10] =
    [(0x97, 0), (0x8F, 0), (0x87, 0), (0x87, 1), (0x8F, 1), (0x97, 1), (0x8F, 1), (0x87, 1), (0x87, 0), (0x8F, 0)];
const DANCE_STEP_FRAMES: u8 = 8;
/// How high the other dancer is; each for eight frames. $A80A.
const HOPS: [u8; 4] = [0x97, 0x8F, 0x87, 0x8F];
/// After as many dances (with one more for each roof that has lifted off) the next roof does. $A735.
const LIFTS_AT: [u8; ROOFS] = [5, 7, 9, 11];
/// Where roofs stand, pixels from the left and the top. $A739, $A73D.
const ROOF_X: [u8; ROOFS] = [0x60, 0x90, 0x70, 0x7E];
const ROOF_Y: [u8; ROOFS] = [0xBC, 0xB8, 0xBC, 0xB3];
/// Above this they rise by two pixels a frame.
const FAST_ABOVE: u8 = 0xA0;
const ROOFS: usize = 4;
/// Where those who play stand, in the order in which the height adds them; those of the last one are three. The third number is
/// the bit of the frame counter that says which of their two pictures they have, in America and in Europe.
const PLAYERS: [([u8; 2], [u8; 2]); 6] = [
    ([0x28, 0x77], [0x10, 0x08]),
    ([0xC8, 0xD7], [0x10, 0x08]),
    ([0xA8, 0xD7], [0x10, 0x08]),
    ([0x40, 0x77], [0x10, 0x10]),
    ([0x30, 0xA7], [0x10, 0x08]),
    ([0xC8, 0x47], [0x08, 0x04]),
];
const DANCERS_X: [u8; 2] = [0xA0, 0xC0];

/// The concert's variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Concert {
    /// The height of the garbage, 0–5: one figure and one more for each, at 5 three more.
    pub height: u8,
    /// Where the roofs are, pixels from the top; 0 when they are gone. $00C8–$00CB.
    pub roofs: [u8; ROOFS],
    /// Dances so far, and one for each roof that has lifted off. $00C5.
    pub dances: u8,
    /// Frames of the dance. $00C4.
    dance_frames: u8,
    /// Which of its steps is shown.
    dance_step: u8,
}

/// A figure on the stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figure {
    /// Which, 0–7; 6 and 7 dance.
    pub kind: u8,
    /// Where it stands, pixels from the left and the top.
    pub at: [u8; 2],
    /// Which of its two pictures, 0 or 1.
    pub pose: u8,
}

impl Concert {
    /// For a height, 0–5.
    pub(super) fn of(height: u8) -> Self {
        Self { height: height.min(HEIGHT_MAX), roofs: ROOF_Y, dances: 0, dance_frames: 0, dance_step: 0 }
    }

    /// One frame.
    pub(super) fn frame(&mut self) {
        if self.height == HEIGHT_MAX {
            self.dance();
        }
        for (roof, lifts_at) in self.roofs.iter_mut().zip(LIFTS_AT) {
            if self.dances == lifts_at && *roof > 0 {
                *roof -= 1;
                self.dances = self.dances.wrapping_add(1);
            }
        }
        for (roof, rest) in self.roofs.iter_mut().zip(ROOF_Y) {
            if *roof > 0 && *roof != rest {
                *roof -= 1;
                if *roof < FAST_ABOVE {
                    *roof = roof.wrapping_sub(1);
                }
            }
        }
    }

    fn dance(&mut self) {
        self.dance_step = self.dance_frames / DANCE_STEP_FRAMES;
        if usize::from(self.dance_step) == DANCE.len() {
            (self.dance_step, self.dance_frames) = (0, 0);
            self.dances = self.dances.wrapping_add(1);
        }
        self.dance_frames += 1;
    }

    /// Who is on the stage when the frame counter stands there.
    pub fn figures(&self, frame: u8, region: Region) -> Vec<Figure> {
        let players = PLAYERS.iter().zip(0..=self.height).map(|((at, bits), kind)| {
            let bit = bits[usize::from(region == Region::Pal)];
            Figure { kind, at: *at, pose: u8::from(frame & bit != 0) }
        });
        let hop = HOPS[usize::from(frame >> 3 & 3)];
        let (y, pose) = DANCE[usize::from(self.dance_step).min(DANCE.len() - 1)];
        let dancers = [
            Figure { kind: 6, at: [DANCERS_X[0], hop], pose: u8::from(hop != HOPS[0]) },
            Figure { kind: 7, at: [DANCERS_X[1], y], pose },
        ];
        players.chain(dancers.into_iter().filter(|_| self.height == HEIGHT_MAX)).collect()
    }

    /// The roofs that are still to be seen: where they are, pixels from the left and the top, and whether they fly.
    pub fn roofs_shown(&self) -> impl Iterator<Item = ([u8; 2], bool)> {
        let roofs = self.roofs.into_iter().zip(ROOF_Y).zip(ROOF_X);
        roofs.filter(|((y, _), _)| *y > 0).map(|((y, rest), x)| ([x, y], y != rest))
    }
}
