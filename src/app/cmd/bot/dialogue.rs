//! One front end's conversation with the brain: a line in, at most a line out. It thinks between the lines.

use super::location::{landing_of, move_of};
use super::protocol::{FromBot, Move, MoveInfo, Randomizer, SEVEN_BAG, Start, ToBot};
use crate::game::guideline::{ROWS, Sequence};
use crate::game::movegen::{COLUMNS, Field, Moves};
use crate::game::{Board, Piece};
use crate::planner::modern::{Bag, Illegal, State, Tree, Weights};
use thiserror::Error;

/// Suggestions that are given at most: the front end takes the first that it can play.
const SUGGESTED: usize = 16;
/// Piles that are rated before there is an answer, however soon it is asked for: less than a millisecond.
const NODES_LEAST: u64 = 1000;
/// Piles of one look ahead at most, if nobody asks for an answer: the program then holds 45 MB.
const NODES_MOST: u64 = 400_000;

/// What is wrong with what a front end said. Each says what to do about it.
#[derive(Debug, Error)]
pub enum Trouble {
    /// No message at all.
    #[error("this is no message of the protocol, and is left out ({source}); send one JSON object a line: {line}")]
    Json {
        /// The line's beginning.
        line: String,
        /// What is wrong in it.
        source: serde_json::Error,
    },
    /// Other sizes.
    #[error("the board has {rows} rows{}; send 40 rows of 10 cells, the lowest first", columns.map_or_else(String::new, |(row, columns)| format!(", and row {row} has {columns} cells")))]
    Size {
        /// How many there are.
        rows: usize,
        /// The first row with other than ten cells, and how many.
        columns: Option<(usize, usize)>,
    },
    /// Something in a cell.
    #[error("a cell of the board's row {row} is {cell:?}; use null, a piece's letter (IOTLJSZ) or G")]
    Cell {
        /// From the floor, from 0.
        row: usize,
        /// What it is.
        cell: String,
    },
    /// A row that the game would have cleared.
    #[error("row {0} of the board is full; send the board after full rows are cleared")]
    FullRow(usize),
    /// No position yet.
    #[error("{0:?} came before \"start\", and is left out; send the position first")]
    NotStarted(&'static str),
    /// Rules and position contradict each other.
    #[error(
        "by the rules pieces come {rules}, by \"start\" {start}: no bag is planned by; send the same randomizer in both \
         messages"
    )]
    Randomizer {
        /// As the rules have it.
        rules: &'static str,
        /// As the position has it.
        start: &'static str,
    },
    /// A move that cannot be.
    #[error("the move {played} cannot have been played: {why}; send \"start\" with the position as it is")]
    Play {
        /// As JSON.
        played: String,
        /// What is wrong with it.
        why: String,
    },
}

/// What a line leads to.
#[derive(Debug, PartialEq)]
pub enum Heard {
    /// Nothing to say.
    Nothing,
    /// An answer.
    Answer(FromBot),
    /// The front end needs no bot any more.
    Quit,
}

/// What the rules say about where pieces come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drawn {
    /// Nothing was said: whatever the other message has does not contradict it.
    Unsaid,
    /// From bags of seven.
    SevenBag,
    /// By anything else: what cannot be known cannot be planned by.
    Otherwise,
}

impl Drawn {
    fn words(self) -> &'static str {
        match self {
            Self::SevenBag => "from bags of seven",
            Self::Unsaid | Self::Otherwise => "otherwise or from nobody knows where",
        }
    }
}

/// The conversation.
pub struct Dialogue<'a> {
    moves: &'a Moves,
    weights: &'a Weights,
    /// Piles to rate for each move; as many as there is time for if nothing is said.
    nodes: Option<u64>,
    drawn: Drawn,
    state: Option<State>,
    tree: Option<Tree<'a>>,
}

impl<'a> Dialogue<'a> {
    /// Nothing is said yet.
    pub fn new(moves: &'a Moves, weights: &'a Weights, nodes: Option<u64>) -> Self {
        Self { moves, weights, nodes, drawn: Drawn::Unsaid, state: None, tree: None }
    }

    /// What is said first.
    pub fn info() -> FromBot {
        FromBot::Info {
            name: "stackhand".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            author: "the stackhand authors".into(),
            features: Vec::new(),
        }
    }

    /// A line of the front end.
    ///
    /// # Errors
    /// When it is no message, or says what cannot be. The conversation goes on.
    pub fn hear(&mut self, line: &str) -> Result<Heard, Trouble> {
        let told = serde_json::from_str(line)
            .map_err(|source| Trouble::Json { line: line.trim().chars().take(100).collect(), source })?;
        match told {
            // Whatever brings the pieces, those that are shown can be planned for: there are no rules that cannot be played. A
            // randomizer that is not known counts as unknown, by the specification, and is no error.
            ToBot::Rules { randomizer } => {
                let is_bag = randomizer.is_some_and(|name| name == SEVEN_BAG);
                self.drawn = if is_bag { Drawn::SevenBag } else { Drawn::Otherwise };
                return Ok(Heard::Answer(FromBot::Ready));
            }
            ToBot::Start(start) => {
                let told = drawn(&start);
                let contradiction = (![self.drawn, told].contains(&Drawn::Unsaid) && self.drawn != told)
                    .then(|| Trouble::Randomizer { rules: self.drawn.words(), start: told.words() });
                let randomizer = start.randomizer.clone().filter(|_| contradiction.is_none());
                self.go_on_from(position(Start { randomizer, ..start }))?;
                contradiction.map_or(Ok(()), Err)
            }
            ToBot::Stop => self.go_on_from(Ok(None)),
            ToBot::Suggest => return self.suggest().map(Heard::Answer),
            ToBot::Play { played } => {
                let after = self.after(played);
                self.go_on_from(after.map(Some))
            }
            ToBot::NewPiece { piece } => {
                let mut state = self.state.take().ok_or(Trouble::NotStarted("new_piece"))?;
                state.show(piece);
                self.go_on_from(Ok(Some(state)))
            }
            ToBot::Quit => return Ok(Heard::Quit),
            ToBot::Unknown => Ok(()),
        }?;
        Ok(Heard::Nothing)
    }

    /// Whether there is something to think about before the next line.
    pub fn is_thinking(&self) -> bool {
        let enough = self.nodes.unwrap_or(NODES_MOST);
        self.state.is_some() && self.tree.as_ref().is_none_or(|tree| tree.rated() < enough && tree.is_growing())
    }

    /// Thinks for a fraction of a millisecond.
    pub fn think(&mut self) {
        if let Some(tree) = self.tree() {
            tree.grow();
        }
    }

    fn tree(&mut self) -> Option<&mut Tree<'a>> {
        let state = self.state.as_ref()?;
        Some(self.tree.get_or_insert_with(|| Tree::new(self.moves, self.weights, state)))
    }

    fn go_on_from(&mut self, state: Result<Option<State>, Trouble>) -> Result<(), Trouble> {
        self.tree = None;
        let (state, trouble) = match state {
            Ok(state) => (state, Ok(())),
            Err(trouble) => (None, Err(trouble)),
        };
        self.state = state;
        trouble
    }

    fn suggest(&mut self) -> Result<FromBot, Trouble> {
        let nodes = self.nodes.unwrap_or(NODES_LEAST);
        let tree = self.tree().ok_or(Trouble::NotStarted("suggest"))?;
        tree.grow_to(nodes);
        let moves = tree.ranking().iter().take(SUGGESTED).map(|found| move_of(found.landing)).collect();
        let move_info = MoveInfo { nodes: Some(tree.rated()), depth: Some(tree.depth() as u64) };
        Ok(FromBot::Suggestion { moves, move_info: Some(move_info) })
    }

    /// The state after a move.
    fn after(&self, played: Move) -> Result<State, Trouble> {
        let mut state = self.state.clone().ok_or(Trouble::NotStarted("play"))?;
        let wrong = |why: String| Trouble::Play { played: serde_json::to_string(&played).unwrap_or_default(), why };
        let landing = landing_of(played).ok_or_else(|| wrong("some of its cells are outside of the field".into()))?;
        let placement = state.believe(self.moves, landing).map_err(|error: Illegal| wrong(error.to_string()))?;
        state.place(self.moves, placement);
        Ok(state)
    }
}

/// Where pieces come from, as a position has it.
fn drawn(start: &Start) -> Drawn {
    match start.randomizer {
        Some(Randomizer::SevenBag { .. }) => Drawn::SevenBag,
        Some(Randomizer::Uniform | Randomizer::GeneralBag | Randomizer::Unknown) => Drawn::Otherwise,
        None => Drawn::Unsaid,
    }
}

/// The position that a front end describes.
fn position(start: Start) -> Result<Option<State>, Trouble> {
    let bag = match start.randomizer {
        Some(Randomizer::SevenBag { bag_state }) => Some(Bag::of(bag_state)),
        Some(Randomizer::Uniform | Randomizer::GeneralBag | Randomizer::Unknown) | None => None,
    };
    let (field, sequence) = (field_of(&start.board)?, Sequence::of(start.back_to_back));
    let state = State::new(start.queue, bag);
    Ok(Some(State { field, hold: start.hold, sequence, combo: start.combo, ..state }))
}

fn field_of(told: &[Vec<Option<String>>]) -> Result<Field, Trouble> {
    let wrong = told.iter().enumerate().find(|(_, row)| row.len() != COLUMNS).map(|(row, cells)| (row, cells.len()));
    if told.len() != ROWS || wrong.is_some() {
        return Err(Trouble::Size { rows: told.len(), columns: wrong });
    }
    let mut board = Board::new(COLUMNS, ROWS);
    for (row, cells) in told.iter().enumerate() {
        let mut bits = 0;
        for (column, cell) in cells.iter().enumerate() {
            let Some(cell) = cell else { continue };
            if cell != "G" && letter(cell).is_none() {
                return Err(Trouble::Cell { row, cell: cell.clone() });
            }
            bits |= 1 << column;
        }
        if bits == board.full_row() {
            return Err(Trouble::FullRow(row));
        }
        board.set_row(ROWS - 1 - row, bits);
    }
    Ok(Field::of(&board))
}

fn letter(cell: &str) -> Option<Piece> {
    let mut letters = cell.chars();
    letters.next().and_then(Piece::from_letter).filter(|_| letters.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::cmd::bot::protocol::Location;
    use crate::game::guideline::{Queue, moves};
    use proptest::prelude::*;

    const EMPTY: &str = "[null,null,null,null,null,null,null,null,null,null]";

    fn start(queue: &str, lowest: &[&str]) -> String {
        let mut rows: Vec<String> = lowest.iter().map(|row| (*row).to_string()).collect();
        rows.resize(rows.len().max(40), EMPTY.into());
        format!(
            r#"{{"type":"start","hold":null,"queue":{queue},"combo":0,"back_to_back":false,"board":[{}],"new":1}}"#,
            rows.join(",")
        )
    }

    fn well() -> String {
        r#"["G","G","G","G","G","G","G","G","G",null]"#.into()
    }

    fn told(dialogue: &mut Dialogue<'_>) -> Vec<Move> {
        match dialogue.hear(r#"{"type":"suggest"}"#).unwrap() {
            Heard::Answer(FromBot::Suggestion { moves, .. }) => moves,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_game_as_the_specification_tells_it() {
        let (moves, weights) = (moves(), Weights::default());
        let mut dialogue = Dialogue::new(&moves, &weights, Some(500));
        let info = serde_json::to_value(Dialogue::info()).unwrap();
        assert!(info["type"] == "info" && info["name"] == "stackhand" && info["features"].is_array(), "{info}");
        for rules in [r#"{"type":"rules"}"#, r#"{"type":"rules","randomizer":"seven_bag"}"#] {
            assert_eq!(dialogue.hear(rules).unwrap(), Heard::Answer(FromBot::Ready));
        }
        assert_eq!(serde_json::to_string(&FromBot::Ready).unwrap(), r#"{"type":"ready"}"#);
        let well = well();
        assert!(!dialogue.is_thinking());
        assert_eq!(dialogue.hear(&start(r#"["I","O","T"]"#, &[&*well; 4])).unwrap(), Heard::Nothing);
        assert!(dialogue.is_thinking());
        dialogue.think();
        // Four lines with an upright I in the last column: its centre is the second cell from the top.
        let line = serde_json::to_string(&told(&mut dialogue)[0]).unwrap();
        assert_eq!(line, r#"{"location":{"type":"I","orientation":"east","x":9,"y":2},"spin":"none"}"#);
        assert!(!dialogue.is_thinking());
        // The same place, facing west.
        let west = line.replace("east", "west").replace("\"y\":2", "\"y\":1");
        assert_eq!(dialogue.hear(&format!(r#"{{"type":"play","move":{west}}}"#)).unwrap(), Heard::Nothing);
        assert_eq!(dialogue.hear(r#"{"type":"new_piece","piece":"S"}"#).unwrap(), Heard::Nothing);
        let state = dialogue.state.clone().unwrap();
        assert!(state.field.is_empty() && state.sequence.is_on() && state.combo == 1);
        assert_eq!(state.queue, [Piece::O, Piece::T, Piece::S]);
        // Hold is told by which piece is placed.
        let t = r#"{"location":{"type":"T","orientation":"north","x":1,"y":0},"spin":"none"}"#;
        dialogue.hear(&format!(r#"{{"type":"play","move":{t}}}"#)).unwrap();
        let state = dialogue.state.clone().unwrap();
        assert_eq!((state.hold, &*state.queue, state.combo), (Some(Piece::O), &[Piece::S][..], 0));
        assert_eq!(dialogue.hear(r#"{"type":"something_new","piece":7}"#).unwrap(), Heard::Nothing);
        dialogue.hear(r#"{"type":"stop"}"#).unwrap();
        assert!(!dialogue.is_thinking());
        assert_eq!(dialogue.hear(r#"{"type":"quit"}"#).unwrap(), Heard::Quit);
    }

    #[test]
    fn what_cannot_be_is_told_with_what_to_do_and_the_conversation_goes_on() {
        let (moves, weights) = (moves(), Weights::default());
        let mut dialogue = Dialogue::new(&moves, &weights, Some(500));
        let mut trouble = |line: &str| dialogue.hear(line).unwrap_err().to_string();
        assert!(trouble("{nonsense").contains("send one JSON object a line: {nonsense"));
        assert!(trouble(r#"{"type":"new_piece","piece":"X"}"#).contains("no message"));
        assert!(trouble(r#"{"type":"suggest"}"#).contains("send the position first"));
        assert!(trouble(r#"{"type":"new_piece","piece":"T"}"#).contains("before \"start\""));
        let full = well().replace("null", "\"G\"");
        assert!(trouble(&start("[]", &[&full])).contains("row 0 of the board is full"));
        assert!(trouble(&start("[]", &["[null]"])).contains("row 0 has 1 cells; send 40 rows"));
        assert!(trouble(&start("[]", &[EMPTY; 41])).contains("41 rows"));
        assert!(trouble(&start("[]", &[&EMPTY.replacen("null", "\"garbage\"", 1)])).contains("\"garbage\""));
        dialogue.hear(&start(r#"["I","O"]"#, &[])).unwrap();
        let play = |piece: Piece, x, y| {
            let location = Location { piece, orientation: super::super::protocol::Facing::North, x, y };
            let played = Move { location, spin: super::super::protocol::SpinName::None };
            serde_json::to_string(&ToBot::Play { played }).unwrap()
        };
        for (line, why) in [
            (play(Piece::T, 4, 0), "neither the next piece nor the held one"),
            (play(Piece::I, 9, 0), "outside of the field"),
        ] {
            let error = dialogue.hear(&line).unwrap_err().to_string();
            assert!(error.contains(why) && error.contains("send \"start\""), "{error}");
            // It does not guess how the game went on.
            assert!(!dialogue.is_thinking());
            dialogue.hear(&start(r#"["I","O"]"#, &[])).unwrap();
        }
        assert!(!told(&mut dialogue).is_empty());
    }

    /// By the specification (0001-randomizer) what is not known counts as unknown, and positions go by the rules.
    #[test]
    fn a_bag_is_planned_by_where_rules_and_position_name_it() {
        let (moves, weights) = (moves(), Weights::default());
        let bag = |rules: Option<&str>, randomizer: &str| {
            let mut dialogue = Dialogue::new(&moves, &weights, Some(500));
            if let Some(rules) = rules {
                let rules = format!(r#"{{"type":"rules"{rules}}}"#);
                assert_eq!(dialogue.hear(&rules).unwrap(), Heard::Answer(FromBot::Ready));
            }
            let line = start(r#"["I","O"]"#, &[]).replace("\"new\":1", &format!("\"randomizer\":{randomizer}"));
            let told = dialogue.hear(&line).err().map(|trouble| trouble.to_string());
            // Whatever is told, it plays on.
            assert!(!self::told(&mut dialogue).is_empty());
            (dialogue.state.unwrap().bag, told)
        };
        let (seven, named) = (r#"{"type":"seven_bag","bag_state":["T","S"]}"#, r#","randomizer":"seven_bag""#);
        let two = Some(Bag::of([Piece::T, Piece::S]));
        assert_eq!(bag(Some(named), seven), (two, None));
        // Without rules the position is believed.
        assert_eq!(bag(None, seven), (two, None));
        let others = [
            ("", "null"),
            (r#","randomizer":null"#, "null"),
            (r#","randomizer":"uniform""#, r#"{"type":"uniform"}"#),
            (r#","randomizer":"unknown""#, r#"{"type":"unknown"}"#),
            (r#","randomizer":"general_bag""#, r#"{"type":"general_bag","current_bag":{},"filled_bag":{}}"#),
            (r#","randomizer":"from_the_future""#, r#"{"type":"from_the_future"}"#),
            (r#","randomizer":7,"gravity":{}"#, "null"),
            // What is left in the bag is not known then.
            (named, "null"),
        ];
        for (rules, randomizer) in others {
            assert_eq!(bag(Some(rules), randomizer), (None, None), "{rules}");
        }
        for (rules, randomizer) in
            [("", seven), (r#","randomizer":"uniform""#, seven), (named, r#"{"type":"uniform"}"#)]
        {
            let (bag, told) = bag(Some(rules), randomizer);
            assert!(bag.is_none() && told.is_some_and(|told| told.contains("send the same randomizer in both")));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

        /// Whatever is on the board, and however often: what is suggested can be reached, and the game goes on as it says.
        #[test]
        fn every_suggestion_can_be_played_and_plays_on(seed in 0u64..1 << 40, rubble in proptest::collection::vec(0u16..1023, 0..9)) {
            let (moves, weights) = (moves(), Weights::default());
            let mut dialogue = Dialogue::new(&moves, &weights, Some(60));
            let mut pieces = Queue::new(seed);
            let queue: Vec<Piece> = (0..5).map(|_| pieces.draw()).collect();
            let cell = |bits: u16, column: usize| (bits >> column & 1 == 1).then(|| "G".to_string());
            let mut board: Vec<Vec<Option<String>>> =
                rubble.iter().map(|bits| (0..COLUMNS).map(|column| cell(*bits, column)).collect()).collect();
            board.resize(ROWS, vec![None; COLUMNS]);
            let begin = Start { hold: None, queue, combo: 0, back_to_back: false, board, randomizer: None };
            dialogue.hear(&serde_json::to_string(&ToBot::Start(begin)).unwrap()).unwrap();
            for _ in 0..12 {
                let state = dialogue.state.clone().unwrap();
                let suggested = told(&mut dialogue);
                if state.placements(&moves).is_empty() {
                    prop_assert!(suggested.is_empty());
                    break;
                }
                prop_assert!(!suggested.is_empty());
                for told in &suggested {
                    prop_assert!(state.find(&moves, landing_of(*told).unwrap()).is_ok(), "{told:?}");
                }
                dialogue.hear(&serde_json::to_string(&ToBot::Play { played: suggested[0] }).unwrap()).unwrap();
                let mut expected = state.clone();
                expected.place(&moves, state.find(&moves, landing_of(suggested[0]).unwrap()).unwrap());
                prop_assert_eq!(dialogue.state.as_ref(), Some(&expected));
                while dialogue.state.as_ref().is_some_and(|state| state.queue.len() < 5) {
                    let piece = pieces.draw();
                    dialogue.hear(&serde_json::to_string(&ToBot::NewPiece { piece }).unwrap()).unwrap();
                }
            }
        }
    }
}
