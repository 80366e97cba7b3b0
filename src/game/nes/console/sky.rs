//! B-Type's endings of the levels 0–8: up to six objects cross the picture one behind the other. $A463, $A625.

/// Objects there can be.
const OBJECTS: usize = 6;
/// Positions that a frame can draw: all objects, and all once more with the byte before them (see [`Sky::frame`]).
const DRAWN_MAX: usize = 2 * OBJECTS + 1;

/// A level's numbers.
struct Flight {
    /// Frames from one of an object's two pictures to the other. $A749.
    flap_frames: u8,
    /// Frames from one step to the next. $A753.
    step_frames: u8,
    /// Where an object begins, pixels; and where it waits unseen before, and ends. $A75D, $A767.
    begin: u8,
    hidden: u8,
    /// Its step, pixels to the right as a signed byte. $A771.
    step: u8,
    /// How far an object has come when the next one begins. $A77B.
    next_at: [u8; OBJECTS],
    /// How far from the top each flies. $A7B7.
    y: [u8; OBJECTS],
    /// The first of its two pictures. $A7F3.
    sprite: u8,
}

#[rustfmt::skip]
const FLIGHTS: [Flight; 9] = [
    Flight { flap_frames: 2, step_frames: 3, begin: 0x02, hidden: 0x00, step: 0x01, sprite: 0x2C,
        next_at: [0x3A, 0x24, 0x0A, 0x4A, 0x3A, 0xFF], y: [0x98, 0xA8, 0xC0, 0xA8, 0x90, 0xB0] },
    Flight { flap_frames: 4, step_frames: 1, begin: 0x02, hidden: 0x00, step: 0x01, sprite: 0x2E,
        next_at: [0x22, 0x44, 0x12, 0x32, 0x4A, 0xFF], y: [0xB0, 0xB8, 0xA0, 0xB8, 0xA8, 0xA0] },
    Flight { flap_frames: 6, step_frames: 1, begin: 0xFE, hidden: 0x00, step: 0xFF, sprite: 0x54,
        next_at: [0xAE, 0x6E, 0x8E, 0x6E, 0x1E, 0x02], y: [0xC8; 6] },
    Flight { flap_frames: 3, step_frames: 1, begin: 0xFE, hidden: 0x02, step: 0xFC, sprite: 0x32,
        next_at: [0x42, 0x42, 0x42, 0x42, 0x42, 0x02], y: [0x30, 0x20, 0x40, 0x28, 0xA0, 0x80] },
    Flight { flap_frames: 16, step_frames: 2, begin: 0x02, hidden: 0xF0, step: 0x01, sprite: 0x34,
        next_at: [0x22, 0x0A, 0x1A, 0x04, 0x0A, 0xFF], y: [0xA8, 0x88, 0x68, 0xA8, 0x48, 0x78] },
    Flight { flap_frames: 3, step_frames: 5, begin: 0xFE, hidden: 0x10, step: 0xFF, sprite: 0x36,
        next_at: [0xEE, 0xDE, 0xFC, 0xFC, 0xF6, 0x02], y: [0x58, 0x68, 0x18, 0x48, 0x78, 0x38] },
    Flight { flap_frames: 5, step_frames: 1, begin: 0x02, hidden: 0xF0, step: 0x02, sprite: 0x4B,
        next_at: [0x80, 0x80, 0x80, 0x80, 0x80, 0xFF], y: [0xC8; 6] },
    Flight { flap_frames: 6, step_frames: 2, begin: 0x02, hidden: 0xF0, step: 0x02, sprite: 0x38,
        next_at: [0xE8, 0xE8, 0xE8, 0xE8, 0x48, 0xFF], y: [0x90, 0x58, 0x70, 0xA8, 0x40, 0x38] },
    Flight { flap_frames: 2, step_frames: 1, begin: 0xFE, hidden: 0x20, step: 0xFE, sprite: 0x3A,
        next_at: [0x80, 0xAE, 0x9E, 0x90, 0x80, 0x02], y: [0x68, 0x88, 0x78, 0x18, 0x48, 0xA8] },
];

/// The objects' variables, $00C4–$00CD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sky {
    /// The level's last digit, 0–8.
    pub level: u8,
    /// The number of the picture that all objects have now; a level's two follow each other.
    pub sprite: u8,
    /// Where objects were drawn in this frame, pixels from the left and the top.
    pub drawn: [Option<[u8; 2]>; DRAWN_MAX],
    /// The last object, 0–5: the height.
    last: u8,
    flap: u8,
    steps: u8,
    /// Which picture ($00C5), then the objects' places from the left ($00C6–$00CB).
    places: [u8; 1 + OBJECTS],
}

impl Sky {
    /// For the last digit of a level and the number of the last object. Digits past 9 only a forced level has; they are taken
    /// for 8, where the console would read on behind its tables.
    pub(super) fn of(level: u8, last: u8) -> Self {
        let level = level.min(FLIGHTS.len() as u8 - 1);
        let Flight { begin, hidden, sprite, .. } = FLIGHTS[usize::from(level)];
        let places = [0, begin, hidden, hidden, hidden, hidden, hidden];
        Self { level, sprite, drawn: [None; DRAWN_MAX], last: last.min(5), flap: 0, steps: 0, places }
    }

    /// One frame. When the sixth object has come as far as its number in the table says, "the next one's place" is the byte that
    /// counts the objects ($00CC): the frame goes on with the object after that number, so that some or all of them, and the
    /// byte before their places, take their step twice. $A625–$A68F.
    pub(super) fn frame(&mut self) {
        let flight = &FLIGHTS[usize::from(self.level)];
        self.flap = self.flap.wrapping_add(1);
        if self.flap == flight.flap_frames {
            (self.flap, self.places[0]) = (0, self.places[0] ^ 1);
        }
        self.sprite = flight.sprite.wrapping_add(self.places[0]);
        self.steps = self.steps.wrapping_add(1);
        let steps = self.steps == flight.step_frames;
        self.drawn = [None; DRAWN_MAX];
        let mut object = 0u8;
        for turn in 0..DRAWN_MAX {
            if let Some(x) = self.place(object).filter(|x| *x != flight.hidden) {
                self.drawn[turn] = Some([x, self.of_table(object, |flight| &flight.y)]);
                if steps {
                    object = self.step(object, x.wrapping_add(flight.step));
                }
            }
            if object == self.last {
                break;
            }
            object = object.wrapping_add(1);
        }
        if steps {
            self.steps = 0;
        }
    }

    /// Moves an object, and begins the next one if it has come far enough; the object that counts as this one from then on.
    fn step(&mut self, object: u8, x: u8) -> u8 {
        self.places[usize::from(object.wrapping_add(1))] = x;
        if self.of_table(object, |flight| &flight.next_at) != x {
            return object;
        }
        let begin = FLIGHTS[usize::from(self.level)].begin;
        match self.places.get_mut(usize::from(object.wrapping_add(2))) {
            Some(next) => *next = begin,
            None => return begin,
        }
        object
    }

    /// Where an object is; −1 is the byte before the first one's.
    fn place(&self, object: u8) -> Option<u8> {
        self.places.get(usize::from(object.wrapping_add(1))).copied()
    }

    /// A table's number for an object; for −1 the last one of the level before.
    fn of_table(&self, object: u8, table: impl Fn(&'static Flight) -> &'static [u8; OBJECTS]) -> u8 {
        let at = (usize::from(self.level) * OBJECTS).wrapping_add_signed((object as i8).into());
        table(&FLIGHTS[at / OBJECTS])[at % OBJECTS]
    }
}
