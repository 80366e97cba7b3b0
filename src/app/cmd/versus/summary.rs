//! What a match came to.

use super::referee::{Game, Loss};
use crate::app::report::numbers::round;
use crate::train::statistics::{Sample, Times};
use serde::Serialize;

/// All games. What there is two of is the first's and the second's.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// What the programs call themselves.
    pub names: [String; 2],
    /// How long both thought about each piece before they were asked, ms.
    pub move_ms: f64,
    /// Games played.
    pub games: u64,
    /// Games won.
    pub won: [u64; 2],
    /// Games without a winner.
    pub drawn: u64,
    /// The first's share of the games, a drawn one counted as half, and its standard error.
    pub share: f64,
    /// See `share`; null of a single game.
    pub share_se: Option<f64>,
    /// Pieces of each.
    pub pieces: u64,
    /// Lines of attacks a piece, countering ones included.
    pub attack_a_piece: [f64; 2],
    /// Lines sent a piece, countered ones left out.
    pub sent_a_piece: [f64; 2],
    /// From the question to the answer, ms: half of the answers took no longer.
    pub answer_ms_p50: [Option<f64>; 2],
    /// 99 of 100 took no longer.
    pub answer_ms_p99: [Option<f64>; 2],
    /// Games lost because nothing could be played of what was suggested.
    pub illegal: [u64; 2],
    /// Games lost by a late answer or a program that ended.
    pub late: [u64; 2],
    /// Suggestions that could not be played where another one could.
    pub refused: [u64; 2],
    /// Places that were reached by another spin than the one that was named.
    pub respun: [u64; 2],
    #[serde(skip)]
    points: Vec<f64>,
    #[serde(skip)]
    attack: [u64; 2],
    #[serde(skip)]
    sent: [u64; 2],
    #[serde(skip)]
    answers: [Times; 2],
}

impl Summary {
    /// No game yet.
    pub fn new(names: [String; 2], move_ms: f64) -> Self {
        Self {
            names,
            move_ms,
            games: 0,
            won: [0; 2],
            drawn: 0,
            share: 0.0,
            share_se: None,
            pieces: 0,
            attack_a_piece: [0.0; 2],
            sent_a_piece: [0.0; 2],
            answer_ms_p50: [None; 2],
            answer_ms_p99: [None; 2],
            illegal: [0; 2],
            late: [0; 2],
            refused: [0; 2],
            respun: [0; 2],
            points: Vec::new(),
            attack: [0; 2],
            sent: [0; 2],
            answers: [Times::default(), Times::default()],
        }
    }

    /// One more.
    pub fn add(&mut self, game: &Game) {
        self.games += 1;
        self.pieces += game.pieces;
        self.points.push(match game.winner {
            Some(0) => 1.0,
            Some(_) => 0.0,
            None => 0.5,
        });
        match game.winner {
            Some(player) => self.won[player] += 1,
            None => self.drawn += 1,
        }
        for (player, played) in game.played.iter().enumerate() {
            self.attack[player] += played.attack;
            self.sent[player] += played.sent;
            self.refused[player] += played.refused;
            self.respun[player] += played.respun;
            self.illegal[player] += u64::from(played.loss == Some(Loss::Illegal));
            self.late[player] += u64::from(matches!(played.loss, Some(Loss::Late | Loss::Ended)));
            self.answers[player].merge(&played.answers);
        }
    }

    /// How it stands.
    pub fn score(&self) -> String {
        format!("{} : {} after {} games", self.won[0], self.won[1], self.games)
    }

    /// All figures.
    pub fn finished(&self) -> Self {
        let points = Sample::of(self.points.iter().copied());
        let a_piece = |lines: &u64| round(*lines as f64 / self.pieces.max(1) as f64, 4);
        let quantile =
            |share| self.answers.each_ref().map(|times| times.quantile_ns(share).map(|ns| round(ns as f64 / 1e6, 3)));
        Self {
            share: round(points.mean(), 4),
            share_se: points.standard_error().map(|se| round(se, 4)),
            attack_a_piece: self.attack.each_ref().map(a_piece),
            sent_a_piece: self.sent.each_ref().map(a_piece),
            answer_ms_p50: quantile(0.5),
            answer_ms_p99: quantile(0.99),
            ..self.clone()
        }
    }

    /// For people.
    pub fn to_words(&self) -> String {
        let se = self.share_se.map(|se| format!(" ± {:.1}", 100.0 * se)).unwrap_or_default();
        let ms = |ms: Option<f64>| ms.map_or_else(|| "-".into(), |ms| format!("{ms:.2}"));
        let mut words = format!(
            "{} : {}, {} drawn, in {} games of {:.0} pieces, {} ms a piece\nthe first's share {:.1}{se} %\n",
            self.won[0],
            self.won[1],
            self.drawn,
            self.games,
            self.pieces as f64 / self.games.max(1) as f64,
            self.move_ms,
            100.0 * self.share,
        );
        for player in 0..2 {
            words += &format!(
                "{}: {:.3} lines of attack a piece, {:.3} of them sent; answers in {} ms, 99 of 100 in {} ms; {} games lost by what \
                 cannot be played, {} late\n",
                self.names[player],
                self.attack_a_piece[player],
                self.sent_a_piece[player],
                ms(self.answer_ms_p50[player]),
                ms(self.answer_ms_p99[player]),
                self.illegal[player],
                self.late[player],
            );
        }
        words.trim_end().into()
    }
}
