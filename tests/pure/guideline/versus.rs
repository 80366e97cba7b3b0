//! Lines from player to player (seed 002:5777–6075).

use super::boards::{begun, field, tap};
use stackhand::game::guideline::{
    Action, Award, End, Event, GENERATION_US, Keys, LockDown, Match, MatchError, Queue, ROWS_OF_A_GAP, Receiving,
    Settings, Targets, ToppedOut,
};
use stackhand::game::{Board, Piece};

/// An action against 0, 1, 2, 3, 4 and 5 waiting lines: lines sent if positive, lines that remain if negative. The tables of
/// seed 002:5888–5999 and 002:6026–6072, put together again from their columns.
const COUNTERS: [(Action, bool, [i64; 6]); 12] = [
    (Action::Single, false, [0, -1, -2, -3, -4, -5]),
    (Action::Double, false, [1, 0, -1, -2, -3, -4]),
    (Action::Triple, false, [2, 1, 0, -1, -2, -3]),
    (Action::Tetris, false, [4, 3, 2, 1, 0, -1]),
    (Action::MiniTSpinSingle, false, [0, -1, -2, -3, -4, -5]),
    (Action::TSpinSingle, false, [2, 1, 0, -1, -2, -3]),
    (Action::TSpinDouble, false, [4, 3, 2, 1, 0, -1]),
    (Action::TSpinTriple, false, [6, 5, 4, 3, 2, 1]),
    (Action::Tetris, true, [5, 4, 3, 2, 1, 0]),
    (Action::MiniTSpinSingle, true, [0, -1, -2, -3, -4, -5]),
    (Action::TSpinSingle, true, [3, 2, 1, 0, -1, -2]),
    (Action::TSpinTriple, true, [7, 6, 5, 4, 3, 2]),
];

#[test]
fn attacks_first_do_away_with_what_waits() {
    for (action, has_bonus, results) in COUNTERS {
        for (waiting, expected) in (0..).zip(results) {
            let mut receiving = Receiving::new(1);
            receiving.receive(waiting);
            let sent = receiving.counter(Award { action, has_bonus }.attack());
            let result = i64::from(sent) - i64::from(receiving.waiting());
            assert_eq!(result, expected, "{action:?} {has_bonus} against {waiting}");
            assert!(sent == 0 || receiving.waiting() == 0);
        }
    }
    let no_lines = [Action::Nothing, Action::MiniTSpin, Action::TSpin];
    assert_eq!(no_lines.map(|action| Award { action, has_bonus: false }.attack()), [0; 3]);
    assert_eq!(Award { action: Action::TSpinDouble, has_bonus: true }.attack(), 5);
}

/// The column of the gap of each row, the lowest row first.
fn gaps(board: &Board, rows: usize) -> Vec<u32> {
    (0..rows).map(|row| (!board.row(39 - row) & board.full_row()).trailing_zeros()).collect()
}

#[test]
fn the_gap_moves_after_every_eight_rows_that_appeared() {
    // seed 002:5794–5796.
    for seed in 0..50 {
        let mut receiving = Receiving::new(seed);
        let mut board = field(&[]);
        for lines in [3, 7, 1, 9, 12] {
            receiving.receive(lines);
            assert_eq!(receiving.appear(&mut board), Ok(lines));
        }
        // From the bottom: the last rows appeared last.
        let mut columns = gaps(&board, 32);
        columns.reverse();
        let blocks: Vec<&[u32]> = columns.chunks(ROWS_OF_A_GAP as usize).collect();
        assert!(blocks.iter().all(|block| block.iter().all(|column| *column == block[0])), "{columns:?}");
        assert!(blocks.windows(2).all(|pair| pair[0][0] != pair[1][0]), "{columns:?}");
        assert!((0..32).all(|row| board.row(39 - row).count_ones() == 9));
        receiving.receive(9);
        assert_eq!(receiving.appear(&mut board), Err(ToppedOut));
    }
}

#[test]
fn rows_wait_for_the_lock_down_unless_they_are_not_buffered() {
    // seed 002:5800.
    let mut game = begun("OT", &[], Settings::default());
    assert_eq!(game.receive(2), []);
    game.advance(Keys::NONE, 400_000);
    assert_eq!((game.waiting(), game.view().waiting, game.board().count()), (2, 2, 0));
    let events = tap(&mut game, Keys::HARD_DROP);
    assert!(matches!(events[..], [Event::Locked { .. }, Event::Received(2)]), "{events:?}");
    assert_eq!((game.waiting(), game.board().count()), (0, 4 + 2 * 9));
    // They come from below: the O lies on them.
    assert!(game.board().is_full(4, 36) && game.board().is_full(5, 37));
    assert_eq!(game.advance(Keys::NONE, GENERATION_US).len(), 1);

    let mut at_once = begun("OT", &[], Settings { is_buffered: false, ..Settings::default() });
    let before = at_once.falling().unwrap();
    assert_eq!(at_once.receive(2), [Event::Received(2)]);
    assert_eq!((at_once.board().count(), at_once.falling()), (18, Some(before)));
    // A piece in the way goes up.
    assert_eq!(at_once.receive(18), [Event::Received(18)]);
    assert_eq!(at_once.falling(), Some(before.moved(0, -1)));
    assert_eq!(at_once.end(), None);
}

#[test]
fn players_get_the_same_pieces_and_lines_and_the_last_one_wins() {
    for players in [0, 1, 7] {
        assert_eq!(Match::new(players, Settings::default(), Targets::All, 1), Err(MatchError::Players(players)));
    }
    let classic = Settings { lock_down: LockDown::Classic, ..Settings::default() };
    assert_eq!(Match::new(2, classic, Targets::All, 1), Err(MatchError::LockDown));
    let mut game = Match::new(3, Settings::default(), Targets::All, 5).unwrap();
    let coming = |game: &Match, player: usize| game.games()[player].coming().collect::<Vec<_>>();
    assert!((1..3).all(|player| coming(&game, player) == coming(&game, 0)));
    // The first player drops all pieces where they appear, until out; then the second.
    for player in [0, 1] {
        let mut keys = [Keys::NONE; 3];
        assert_eq!(game.winner(), None);
        while game.games()[player].end().is_none() {
            keys[player] = Keys::HARD_DROP;
            game.advance(&keys, 1_000);
            keys[player] = Keys::NONE;
            game.advance(&keys, GENERATION_US);
            // The others keep their piece from locking.
            assert!(game.games()[2].end().is_none());
        }
        assert!(matches!(game.games()[player].end(), Some(End::BlockOut | End::LockOut)));
    }
    assert_eq!(game.winner(), Some(2));
}

#[test]
fn targets_are_all_others_or_the_one_with_the_mark() {
    // seed 002:5703, 002:5720.
    for targets in [Targets::All, Targets::Random, Targets::Marked] {
        let mut got = [0; 4];
        let begins_with_o = |seed: &u64| Queue::new(*seed).coming().next() == Some(Piece::O);
        for seed in (0..).filter(begins_with_o).take(40) {
            // An O falls into the gap of two rows, which sends one line.
            let start = field(&["####..####"; 2]);
            let mut game = Match::on(start, 4, Settings::default(), targets, seed).unwrap();
            game.move_mark(0);
            assert_eq!(game.mark(0), Some(2));
            game.advance(&[], 0);
            game.advance(&[Keys::HARD_DROP], 0);
            got.iter_mut().zip(game.games()).for_each(|(got, game)| *got += game.waiting());
        }
        match targets {
            Targets::All => assert_eq!(got, [0, 40, 40, 40]),
            Targets::Marked => assert_eq!(got, [0, 0, 40, 0]),
            Targets::Random => {
                assert_eq!((got[0], got.iter().sum::<u32>()), (0, 40));
                assert!(got[1..].iter().all(|lines| *lines > 3), "{got:?}");
            }
        }
    }
    let mut two = Match::new(2, Settings::default(), Targets::Marked, 1).unwrap();
    two.move_mark(0);
    assert_eq!((two.mark(0), two.mark(1), two.mark(2)), (Some(1), Some(0), None));
}
