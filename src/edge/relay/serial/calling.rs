//! How a serial board is called, and what came of it.

use crate::edge::relay::codec::Codec;
use crate::edge::relay::hearing::Ear;
use crate::edge::relay::keep_alive::{Calls, Sign};

/// How a board is called, and what has come of it.
#[derive(Debug, Default)]
pub(super) struct Calling {
    /// Which of its questions is asked, and whether the board guards itself and is asked how that went.
    pub(super) question: usize,
    pub(super) guards_itself: bool,
    pub(super) calls: Calls,
}

impl Calling {
    pub(super) fn bytes(&self, codec: &dyn Codec) -> Vec<u8> {
        match codec.guarding().filter(|_| self.guards_itself) {
            Some(board) => board.call(),
            None => codec.questions().into_iter().nth(self.question).map(|question| question.bytes).unwrap_or_default(),
        }
    }

    pub(super) fn sign(&self, codec: &dyn Codec, heard: &[u8]) -> Option<Sign> {
        match codec.guarding().filter(|_| self.guards_itself) {
            Some(board) => board.sign(heard),
            None => codec.answer(self.question, heard).map(|closed| Sign { closed, rescues: None }),
        }
    }
}

/// What came of an open call's answer, kept apart from what nobody waits for.
#[derive(Debug)]
pub(super) struct Kept(pub(super) Vec<u8>);

impl Kept {
    pub(super) fn hear(&mut self, ear: &mut Ear, bytes: &[u8]) {
        let bytes = ear.hear(bytes);
        let room = ANSWER_BYTES_MAX - self.0.len().min(ANSWER_BYTES_MAX);
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// More than any answer; a device that says more is another device.
pub(super) const ANSWER_BYTES_MAX: usize = 256;
