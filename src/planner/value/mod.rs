//! A learned value: what a pile of 10 × 20, or of a lower field, is still worth by the piece that falls next, as the sum of
//! what its patterns have been worth in games that the program played against itself.
//!
//! Worth is counted in lines cleared in fours: four at once are worth 4, one alone 40 of 1200 points and so a 30th of that.
//! Where it is not points that count but lines, each is worth 1 ([`About::gains`]). What comes a piece later counts a little
//! less, by [`Value::discount`]; so a value is a sum over the next few hundred pieces. A game that is over is worth 0 from then
//! on: to survive needs no rule of its own, but each piece may count something beside its lines, which is lost with a game, too.

pub mod ending;
pub mod patterns;

use super::evaluate::{Afterstate, ByNext, Ending, Evaluator, LANES, Step, Worths, mean};
use crate::game::machine::Region;
use crate::game::{Board, Piece};
use ending::LastLines;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use patterns::{FIELD, Sight, WHOLE_COUNT};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What 0–4 lines at once are worth.
pub type Gains = [f32; 5];
/// What a worth of 1 is in points, times level + 1, where these count.
const POINTS_EACH: f64 = 300.0;
/// Where points count: points over 300.
pub const POINTS: Gains = [0.0, 40.0 / 300.0, 100.0 / 300.0, 1.0, 4.0];
/// Where lines count.
pub const LINES: Gains = [0.0, 1.0, 2.0, 3.0, 4.0];
/// How a file begins; then a line of JSON ([`About`]), then the weights, compressed.
const MAGIC: &[u8] = b"stackhand value 2\n";
/// Bytes a weight.
const WEIGHT_BYTES: usize = 2;
/// Finer weights tell no more, in lines cleared in fours: a sum of thirty is off by a thirtieth. Coarse ones make small files.
const FINEST: f32 = 0.02;
/// Where lines count games are long, and what one pile is worth more than another is less.
const FINEST_OF_LINES: f32 = 0.002;
/// Tables there may be: as many as there are speeds.
const TABLES_MAX: usize = 16;
/// Comes before how the end was learned.
const END_LEARNED: &str = "; its last ";
/// Lines before the end that it may know.
pub const LAST_LINES_MAX: usize = 40;

/// Why a file is no learned value.
#[derive(Debug, Error)]
pub enum ValueError {
    /// Something else, or another version's.
    #[error(
        "{name} is no learned value of this version; make one with `stackhand train value`, or name one of `--ai list`"
    )]
    Other {
        /// Its name or path.
        name: String,
    },
    /// Cut off, or longer than it says.
    #[error("{name} holds {found} bytes of weights where {expected} belong; copy it again, or train it again")]
    Length {
        /// Its name or path.
        name: String,
        /// Bytes there are.
        found: usize,
        /// Bytes there should be.
        expected: usize,
    },
    /// Probabilities that are none.
    #[error("{name} says how often pieces follow each other in numbers that are not from 0 to 1; train it again")]
    Followers {
        /// Its name or path.
        name: String,
    },
    /// A scale or discount that cannot be.
    #[error(
        "{name} has the scale {scale}, the discount {discount} and {tables} speeds and knows {last_lines} lines before the end; \
         scale and discount must be above 0, the discount below 1, the speeds 1 to {TABLES_MAX}, the lines at most \
         {LAST_LINES_MAX}; train it again"
    )]
    Number {
        /// Its name or path.
        name: String,
        /// Worth of a weight of 1.
        scale: f32,
        /// What the next piece's worth is multiplied with.
        discount: f32,
        /// Speeds that it was learned at.
        tables: usize,
        /// Lines before the end that it knows.
        last_lines: usize,
    },
}

/// How a value was made, and what its numbers mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// In a line: what for, by which command, with which seed, how long, on which machine.
    pub about: String,
    /// What a piece later counts less: a factor, 0–1.
    pub discount: f32,
    /// The worth of a weight of 1.
    pub scale: f32,
    /// What a piece with 0–4 lines at once is worth; what it is worth with none is what each counts beside its lines.
    #[serde(default = "points")]
    pub gains: Gains,
    /// The patterns that it looks at.
    #[serde(default)]
    pub sight: Sight,
    /// Columns and rows of the field that it was learned on.
    #[serde(default = "console_field")]
    pub field: [usize; 2],
    /// The speeds that it was learned at, each with weights of its own: frames that a piece takes for a row.
    pub frames_per_row: Vec<u8>,
    /// How often each piece follows each other one, 0–1, both by [`Piece::index`].
    pub followers: [[f32; 7]; 7],
    /// How much of what a pile is worth in a long game it is worth 1, 2, 3 … lines before the end ([`LastLines`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_lines: Vec<f32>,
}

/// Whether lines are worth the same by these gains as by the others, whatever each piece counts beside them.
pub fn count_alike(these: &Gains, others: &Gains) -> bool {
    let lines = |gains: &Gains| gains.map(|gain| gain - gains[0]);
    lines(these).into_iter().zip(lines(others)).all(|(this, other)| (this - other).abs() < 1e-3)
}

/// What older files do not say.
fn points() -> Gains {
    POINTS
}

/// The same of the field.
fn console_field() -> [usize; 2] {
    FIELD
}

/// Weights of all patterns, in lines cleared in fours.
pub type Table = Vec<Worths>;

/// What piles are worth; an [`Evaluator`].
#[derive(Debug, Clone)]
pub struct Value {
    about: About,
    tables: Vec<Vec<[i16; LANES]>>,
    last_lines: LastLines,
}

impl Value {
    /// A value with these weights, a table for each speed, rounded so that the greatest still fits; `None` if there are not as
    /// many, or one is not finite. The scale that `about` says does not count.
    pub fn rounded(about: About, tables: &[Table]) -> Option<Self> {
        let all = || tables.iter().flatten().flatten();
        let is_whole =
            tables.iter().all(|table| table.len() == about.sight.count()) && tables.len() == about.frames_per_row.len();
        if !is_whole || tables.is_empty() || all().any(|weight| !weight.is_finite()) {
            return None;
        }
        let greatest = all().fold(0.0f32, |greatest, weight| greatest.max(weight.abs()));
        let finest = if count_alike(&about.gains, &LINES) { FINEST_OF_LINES } else { FINEST };
        let scale = (greatest / f32::from(i16::MAX)).max(finest);
        let rounded = |weights: &Worths| weights.map(|weight| (weight / scale).round() as i16);
        let tables = tables.iter().map(|table| table.iter().map(rounded).collect()).collect();
        // What is known of the end is known of other weights.
        let about = About { scale, last_lines: Vec::new(), ..about };
        Some(Self { about, tables, last_lines: LastLines::default() })
    }

    /// Reads what [`Self::to_bytes`] wrote; `name` is for messages.
    ///
    /// # Errors
    /// When it is something else, cut off, or has impossible numbers.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, ValueError> {
        let other = || ValueError::Other { name: name.into() };
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(other)?;
        let end = rest.iter().position(|&byte| byte == b'\n').ok_or_else(other)?;
        let about: About = serde_json::from_slice(&rest[..end]).map_err(|_| other())?;
        // No pattern is of another field.
        if about.field[0] != FIELD[0] || !(1..=FIELD[1]).contains(&about.field[1]) {
            return Err(other());
        }
        let (scale, discount, tables) = (about.scale, about.discount, about.frames_per_row.len());
        let last_lines = about.last_lines.len();
        let is_factor = |number: f32| number > 0.0 && number.is_finite();
        let are_shares = about.followers.iter().flatten().all(|share| (0.0..=1.0).contains(share));
        if !are_shares {
            return Err(ValueError::Followers { name: name.into() });
        }
        let is_known = last_lines <= LAST_LINES_MAX && about.last_lines.iter().all(|share| share.is_finite());
        if !(is_factor(scale)
            && is_factor(discount)
            && discount < 1.0
            && (1..=TABLES_MAX).contains(&tables)
            && is_known)
        {
            return Err(ValueError::Number { name: name.into(), scale, discount, tables, last_lines });
        }
        let [whole, last] = [about.sight.count(), WHOLE_COUNT].map(|count| count * Piece::ALL.len() * WEIGHT_BYTES);
        let expected = tables * whole + last_lines * last;
        // Whoever made the file long makes it read no longer than this.
        let mut weights = Vec::with_capacity(expected + 1);
        let read = Decompress::new(true).decompress_vec(&rest[end + 1..], &mut weights, FlushDecompress::Finish);
        if !matches!(read, Ok(Status::StreamEnd)) || weights.len() != expected {
            return Err(ValueError::Length { name: name.into(), found: weights.len(), expected });
        }
        let (long, last_lines) = weights.split_at(tables * whole);
        let read = |bytes: &[u8], each: usize| {
            bytes.chunks_exact(each).map(|bytes| table(bytes, each / (Piece::ALL.len() * WEIGHT_BYTES))).collect()
        };
        Ok(Self { tables: read(long, whole), last_lines: LastLines::new(read(last_lines, last)), about })
    }

    /// As a file.
    ///
    /// # Errors
    /// Never for what this program made.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        // All weights for one piece after each other: neighbours are alike.
        let of = |table: &[[i16; LANES]], piece: usize| {
            table.iter().flat_map(|weights| weights[piece].to_le_bytes()).collect::<Vec<u8>>()
        };
        let tables = self.tables.iter().chain(self.last_lines.tables());
        let all = tables.flat_map(|table| (0..Piece::ALL.len()).flat_map(|piece| of(table, piece)));
        let weights = compressed(&all.collect::<Vec<u8>>());
        Ok(MAGIC.iter().copied().chain(serde_json::to_vec(&self.about)?).chain(*b"\n").chain(weights).collect())
    }

    /// The weights of each pattern, a table for each of [`About::frames_per_row`].
    pub fn tables(&self) -> Vec<Table> {
        let weights = |weights: &[i16; LANES]| weights.map(|weight| self.about.scale * f32::from(weight));
        self.tables.iter().map(|table| table.iter().map(weights).collect()).collect()
    }

    /// How it was made, and what its numbers mean.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// What pieces were worth when they locked, and what a piece after them counts.
    fn gained(&self, steps: &[Step]) -> (f32, f32) {
        steps
            .iter()
            .fold((0.0, 1.0), |(gained, share), step| (gained + share * self.gain(step.lines), share * self.discount()))
    }
}

/// Which of these speeds, each the frames that a piece takes for a row, is most like this one.
pub fn most_alike(frames_per_row: &[u8], frames: u8) -> usize {
    let known = frames_per_row.iter().enumerate();
    known.min_by_key(|(_, known)| known.abs_diff(frames)).map_or(0, |(index, _)| index)
}

/// The weights of one table of so many patterns from their bytes, all for one piece after each other.
fn table(bytes: &[u8], count: usize) -> Vec<[i16; LANES]> {
    let mut table = vec![[0; LANES]; count];
    for (piece, bytes) in bytes.chunks_exact(count * WEIGHT_BYTES).enumerate() {
        for (weights, bytes) in table.iter_mut().zip(bytes.chunks_exact(WEIGHT_BYTES)) {
            weights[piece] = i16::from_le_bytes([bytes[0], bytes[1]]);
        }
    }
    table
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut stream = Compress::new(Compression::best(), true);
    let mut packed = Vec::with_capacity(bytes.len() / 2);
    loop {
        packed.reserve(bytes.len() / 4 + 1024);
        let rest = usize::try_from(stream.total_in()).ok().and_then(|read| bytes.get(read..)).unwrap_or_default();
        match stream.compress_vec(rest, &mut packed, FlushCompress::Finish) {
            Ok(Status::Ok | Status::BufError) => {}
            Ok(Status::StreamEnd) | Err(_) => return packed,
        }
    }
}

#[inline(always)]
fn sum(table: &[[i16; LANES]], sight: Sight, board: &Board, mut see: impl FnMut(&[u32])) -> [i32; LANES] {
    let mut sums = [0; LANES];
    sight.for_each(board, |indices| {
        see(indices);
        for &index in indices {
            let weights = &table[index as usize];
            for (sum, &weight) in sums.iter_mut().zip(weights) {
                *sum += i32::from(weight);
            }
        }
    });
    sums
}

impl Value {
    /// The same with what was learned of the last lines before the end: the shares of [`About::last_lines`], and a table of the
    /// patterns of a pile as a whole for each, and how it was learned; `None` if these are not as many, or one is not finite or too great.
    pub fn with_last_lines(self, shares: Vec<f32>, tables: &[Table], how: &str) -> Option<Self> {
        let is_whole = tables.len() == shares.len() && tables.iter().all(|table| table.len() == WHOLE_COUNT);
        let mut all = tables.iter().flatten().flatten().chain(&shares);
        if !is_whole || shares.len() > LAST_LINES_MAX || all.any(|weight| !weight.is_finite()) {
            return None;
        }
        let greatest = f32::from(i16::MAX) * self.about.scale;
        if tables.iter().flatten().flatten().any(|weight| weight.abs() > greatest) {
            return None;
        }
        let rounded = |weights: &Worths| weights.map(|weight| (weight / self.about.scale).round() as i16);
        let last_lines = LastLines::new(tables.iter().map(|table| table.iter().map(rounded).collect()).collect());
        // What was known of the end before is known no more.
        let long = self.about.about.split(END_LEARNED).next().unwrap_or_default();
        let about = format!("{long}{END_LEARNED}{how}");
        Some(Self { about: About { about, last_lines: shares, ..self.about }, last_lines, ..self })
    }

    /// The sum of a pile's weights at the speed most like the level's, with its patterns shown to `see`; `None` of another
    /// field's.
    #[inline(always)]
    fn sum(&self, level: u8, board: &Board, see: impl FnMut(&[u32])) -> Option<[i32; LANES]> {
        if [board.width(), board.height()] != self.about.field {
            return None;
        }
        let frames = Region::Ntsc.frames_per_row(level);
        let table = self.tables.get(most_alike(&self.about.frames_per_row, frames))?;
        Some(sum(table, self.about.sight, board, see))
    }
}

impl Evaluator for Value {
    fn cost(&self, after: &Afterstate<'_>) -> f64 {
        let (gained, share) = self.gained(after.steps);
        let shares = after
            .steps
            .last()
            .map_or([1.0 / 7.0; 7], |step| self.about.followers[step.pose.orientation.piece().index()]);
        -f64::from(gained + share * mean(&shares, &self.worths(after.level, after.board)))
    }

    fn cost_of_the_end(&self, after: &Afterstate<'_>) -> f64 {
        -f64::from(self.gained(after.steps).0)
    }

    fn by_next(&self) -> Option<&dyn ByNext> {
        Some(self)
    }
}

impl ByNext for Value {
    /// In lines cleared in fours, at the speed of the level or at the known one most like it; nothing is known of fields of
    /// another size than it was learned on, which are worth 0.
    fn worths(&self, level: u8, board: &Board) -> Worths {
        self.sum(level, board, |_| {}).map_or([0.0; LANES], |sums| sums.map(|sum| self.about.scale * sum as f32))
    }

    fn gain(&self, lines: usize) -> f32 {
        self.about.gains[lines.min(4)]
    }

    fn discount(&self) -> f32 {
        self.about.discount
    }

    fn points(&self, worth: f64, level: u8) -> Option<f64> {
        // All pieces of a long life count something beside their lines, which is nobody's score.
        let survival = f64::from(self.about.gains[0] / (1.0 - self.about.discount));
        count_alike(&self.about.gains, &POINTS)
            .then(|| POINTS_EACH * (f64::from(level) + 1.0) * (worth - survival).max(0.0))
    }

    fn ending(&self, lines_left: u64) -> Option<&dyn Ending> {
        (1..=self.about.last_lines.len() as u64).contains(&lines_left).then_some(self)
    }
}

impl Ending for Value {
    fn worths_before_end(&self, level: u8, board: &Board, lines_left: u64) -> Worths {
        let line = usize::try_from(lines_left.saturating_sub(1)).unwrap_or(usize::MAX);
        let (Some(share), Some(last)) = (self.about.last_lines.get(line), self.last_lines.table(line)) else {
            return [0.0; LANES];
        };
        let mut more = [0; LANES];
        let long = self.sum(level, board, |indices| LastLines::add(last, indices, &mut more));
        let scale = self.about.scale;
        let worth = |lane: usize, sum: i32| scale * (share * sum as f32 + more[lane] as f32);
        long.map_or([0.0; LANES], |long| std::array::from_fn(|lane| worth(lane, long[lane])))
    }

    /// That pieces were placed at all does not count any more.
    fn gain_before_end(&self, lines: usize) -> f32 {
        self.about.gains[lines.min(4)] - self.about.gains[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = Sight::Outline.count();

    use crate::planner::evaluate::Step;

    fn about(frames_per_row: &[u8]) -> About {
        let followers =
            std::array::from_fn(|row| std::array::from_fn(|next| f32::from(u8::from(next == (row + 1) % 7))));
        About {
            about: "made by a test".into(),
            discount: 0.5,
            scale: 1.0,
            gains: POINTS,
            sight: Sight::Outline,
            field: FIELD,
            frames_per_row: frames_per_row.into(),
            followers,
            last_lines: Vec::new(),
        }
    }

    fn value(weight: impl Fn(usize) -> Worths) -> Value {
        Value::rounded(about(&[3]), &[(0..COUNT).map(weight).collect()]).unwrap()
    }

    #[test]
    fn a_file_gives_back_what_was_written_and_nothing_else_is_taken() {
        let weight = |i: usize, lane: usize| if lane < 7 { (i % 7 + lane) as f32 } else { 0.0 };
        let table = |add: usize| (0..COUNT).map(move |i| std::array::from_fn(|lane| weight(i + add, lane)));
        let value = Value::rounded(about(&[3, 2]), &[table(0).collect(), table(5).collect()]).unwrap();
        let bytes = value.to_bytes().unwrap();
        let again = Value::from_bytes("mine", &bytes).unwrap();
        assert_eq!((again.about(), &again.tables), (value.about(), &value.tables));
        assert!(bytes.len() < COUNT);
        let refusal = |bytes: &[u8]| Value::from_bytes("mine", bytes).unwrap_err().to_string();
        assert!(refusal(&bytes[1..]).starts_with("mine is no learned value"));
        assert!(refusal(&bytes[..30]).starts_with("mine is no learned value"));
        assert!(refusal(&bytes[..bytes.len() - 1]).contains("bytes of weights"));
        assert!(refusal(&bytes[..bytes.len() / 2]).contains(&format!("where {} belong", 2 * 2 * 7 * COUNT)));
        let end = bytes.iter().skip(MAGIC.len()).position(|&byte| byte == b'\n').unwrap() + MAGIC.len();
        let head = String::from_utf8_lossy(&bytes[..end]);
        let with = |from: &str, to: &str| {
            assert!(head.contains(from), "{head}");
            refusal(&[head.replace(from, to).as_bytes(), &bytes[end..]].concat())
        };
        assert!(with("\"discount\":0.5", "\"discount\":1.5").contains("discount 1.5"));
        assert!(with("[[0.0,1.0", "[[0.0,1.5").contains("not from 0 to 1"));
        assert!(with("\"field\":[10,20]", "\"field\":[12,20]").starts_with("mine is no learned value"));
        assert!(with("\"field\":[10,20]", "\"field\":[10,40]").starts_with("mine is no learned value"));
        assert!(with("[3,2]", "[]").contains("0 speeds"));
        assert!(with("[3,2]", "[3,2,1]").contains("bytes of weights"));
        assert!(with("[3,2]", "[3]").contains(&format!("where {} belong", 2 * 7 * COUNT)));
    }

    #[test]
    fn the_last_lines_are_written_and_read_and_worth_a_share_and_more_by_the_whole() {
        // The eighth only fills the vector, and is not written down.
        let each = |weight: f32| std::array::from_fn(|lane| if lane < 7 { weight } else { 0.0 });
        let value = value(|_| each(1.0));
        let table = |weight: f32| vec![each(weight); WHOLE_COUNT];
        let with = |shares: &[f32], tables: &[Table]| {
            value.clone().with_last_lines(shares.to_vec(), tables, "lines by a test")
        };
        let known = with(&[0.5, 0.25], &[table(2.0), table(3.0)]).unwrap();
        let bytes = known.to_bytes().unwrap();
        let again = Value::from_bytes("mine", &bytes).unwrap();
        assert!(again.about() == known.about() && again.last_lines == known.last_lines);
        let board = Board::default();
        let long = ByNext::worths(&value, 18, &board)[0];
        // Every pile has four patterns of the whole.
        let at = |left| again.worths_before_end(18, &board, left)[0];
        assert!((at(1) - (0.5 * long + 8.0)).abs() < 0.1 && (at(2) - (0.25 * long + 12.0)).abs() < 0.1, "{long}");
        let knows = |value: &Value, left| value.ending(left).is_some();
        assert!(knows(&again, 1) && knows(&again, 2) && !knows(&again, 3) && !knows(&again, 0) && !knows(&value, 1));
        assert_eq!(again.gain_before_end(4), 4.0);
        // Learned on, it would tell of other weights.
        assert!(!knows(&Value::rounded(again.about().clone(), &again.tables()).unwrap(), 1));
        assert!(with(&[0.5], &[]).is_none() && with(&[f32::NAN], &[table(0.0)]).is_none());
        assert!(with(&[0.5; LAST_LINES_MAX + 1], &vec![table(0.0); LAST_LINES_MAX + 1]).is_none());
        let end = bytes.iter().skip(MAGIC.len()).position(|&byte| byte == b'\n').unwrap() + MAGIC.len();
        let head = String::from_utf8_lossy(&bytes[..end]).replace("[0.5,0.25]", "[0.5]");
        let refusal = Value::from_bytes("mine", &[head.as_bytes(), &bytes[end..]].concat()).unwrap_err().to_string();
        assert!(refusal.contains("bytes of weights"), "{refusal}");
    }

    #[test]
    fn weights_that_are_none_are_no_value() {
        let table = |weight: f32| vec![[weight; LANES]; COUNT];
        assert!(Value::rounded(about(&[3]), &[table(0.0)]).is_some());
        assert!(Value::rounded(about(&[3]), &[table(f32::NAN)]).is_none());
        assert!(Value::rounded(about(&[3]), &[vec![[0.0; LANES]]]).is_none());
        assert!(Value::rounded(about(&[3, 2]), &[table(0.0)]).is_none());
        assert!(Value::rounded(about(&[]), &[]).is_none());
    }

    #[test]
    fn what_is_gained_later_counts_less_and_a_game_that_is_over_counts_what_it_gained() {
        // A pile is worth something only if a J falls next; that is what follows a T here.
        assert_eq!((crate::game::Piece::T.index() + 1) % 7, crate::game::Piece::J.index());
        let value =
            value(|_| std::array::from_fn(|lane| if lane == crate::game::Piece::J.index() { 1.0 } else { 0.0 }));
        let board = Board::default();
        let of = |piece, lines| {
            let pose = crate::game::nes::control::spawn_pose(piece);
            Step { pose, lines, cells_cleared: lines }
        };
        let step = |lines| of(crate::game::Piece::T, lines);
        let after = |steps: &[Step]| {
            let after = Afterstate { before: &board, board: &board, steps, level: 0 };
            (value.cost(&after), value.cost_of_the_end(&after))
        };
        let pile = f64::from(value.worths(0, &board)[crate::game::Piece::J.index()]);
        assert!(pile > 1.0);
        let near = |(a, b): (f64, f64), (c, d): (f64, f64)| assert!((a - c).abs() + (b - d).abs() < 1e-4, "{a} {b}");
        near(after(&[step(4)]), (-4.0 - 0.5 * pile, -4.0));
        near(after(&[step(0), step(4)]), (-2.0 - 0.25 * pile, -2.0));
        near(after(&[step(3), step(0)]), (-1.0 - 0.25 * pile, -1.0));
        near(after(&[of(crate::game::Piece::I, 4)]), (-4.0, -4.0));
    }

    #[test]
    fn each_speed_has_weights_of_its_own_and_other_speeds_those_of_the_nearest() {
        let table = |weight: f32| vec![[weight; LANES]; COUNT];
        let value = Value::rounded(about(&[3, 2]), &[table(1.0), table(2.0)]).unwrap();
        let [at_18, at_19, at_29, at_9] = [18, 19, 29, 9].map(|level| value.worths(level, &Board::default())[0]);
        assert!(at_19 > 1.9 * at_18, "{at_18} {at_19}");
        assert_eq!((at_29, at_9), (at_19, at_18));
    }

    #[test]
    fn what_each_piece_counts_for_itself_is_no_score() {
        let table = vec![[0.0; LANES]; COUNT];
        let [plain, careful] = [0.0, 0.25].map(|survival| {
            let about = About { gains: POINTS.map(|gain| gain + survival), ..about(&[3]) };
            Value::rounded(about, std::slice::from_ref(&table)).unwrap()
        });
        assert_eq!(plain.points(10.0, 18), Some(57_000.0));
        // By a discount of a half all pieces to come count a half together.
        assert_eq!(careful.points(10.5, 18), plain.points(10.0, 18));
        assert_eq!(careful.points(0.2, 18), Some(0.0));
        assert!(careful.gain(4) - careful.gain(0) == plain.gain(4));
    }

    #[test]
    fn other_fields_are_worth_nothing() {
        assert_eq!(value(|_| [1.0; LANES]).worths(0, &Board::new(8, 20)), [0.0; LANES]);
    }
}
