//! Calls to a serial board while no command is due; see [`crate::edge::relay::keep_alive`].

use super::calling::{Calling, Kept};
use super::{ANSWER_TIMEOUT_MS, DIALOGUE_BYTES, SerialBoard};
use crate::edge::relay::RelayError;
use crate::edge::relay::board::duration;
use crate::edge::relay::codec;
use crate::edge::relay::keep_alive::Calls;
use crate::edge::relay::{HOST_TIMEOUT_MS, Health, KeepAlive};
use crate::time::HostTime;

/// Before something else is asked, an answer is waited for this long beyond its time on the wire, ms: a deaf board must be told
/// of within half a second.
const LATE_MS: f64 = 100.0;

impl SerialBoard {
    /// Has the board guard itself if it can; how it is to be called then. `None` from one that says nothing.
    pub(super) fn begin_calls(&mut self) -> Result<Option<KeepAlive>, RelayError> {
        let Some(question) = self.question.filter(|_| self.verify) else { return Ok(None) };
        self.finish_call()?;
        let guards_itself = self.ask_to_guard()?;
        self.calling = Calling { question, guards_itself, calls: Calls::default() };
        let bytes = self.calling.bytes(self.codec.as_ref()).len() as f64 + self.codec.answer_bytes();
        let takes_ms = bytes * codec::byte_ms(self.baud) + self.codec.rest_ms();
        Ok(Some(KeepAlive::new(guards_itself, duration(takes_ms))))
    }

    fn ask_to_guard(&mut self) -> Result<bool, RelayError> {
        let Some(bytes) = self.codec.guarding().map(|board| board.guard(HOST_TIMEOUT_MS)) else { return Ok(false) };
        let Self { line, codec, .. } = self;
        let is_guarded = |heard: &[u8]| codec.guarding()?.is_guarded(HOST_TIMEOUT_MS, heard);
        let timeout_ms = timeout_ms(self.baud);
        // It has answered to its own words before.
        let silent = |_| RelayError::Silent { board: codec.board(), ms: timeout_ms.round() as u64 };
        line.ask(&bytes, timeout_ms, is_guarded)?.map_err(silent)
    }

    /// Takes what has come of the last call and makes the next one; never waits for the answer.
    pub(super) fn call_again(&mut self) -> Result<Health, RelayError> {
        if self.question.is_none() || !self.verify {
            return Ok(Health::Well);
        }
        self.line.overhear().map_err(|source| self.line.read_error(source))?;
        let now = self.line.clock.now();
        let sign = self.line.kept.as_ref().and_then(|kept| self.calling.sign(self.codec.as_ref(), &kept.0));
        if sign.is_none() && self.awaited_until().is_some_and(|until| now < until) {
            // Another call would take the answer's place.
            return Ok(Health::Well);
        }
        self.line.kept = None;
        let health = self.calling.calls.hear(now, sign);
        self.wait_until_free();
        let bytes = self.calling.bytes(self.codec.as_ref());
        self.line.ear.ask();
        self.line.write(&bytes)?;
        self.line.kept = Some(Kept(Vec::new()));
        if self.codec.rest_ms() > 0.0 {
            let takes_ms = bytes.len() as f64 * codec::byte_ms(self.baud) + self.codec.rest_ms();
            self.free_at = self.line.clock.now().plus_ms(takes_ms);
        }
        self.calling.calls.call(now, self.told);
        Ok(health)
    }

    /// Until when the answer to the last call is waited for, if it was not taken yet.
    fn awaited_until(&self) -> Option<HostTime> {
        self.line.kept.as_ref()?;
        let bytes = self.calling.bytes(self.codec.as_ref()).len() as f64 + self.codec.answer_bytes();
        Some(self.calling.calls.last()?.plus_ms(LATE_MS + bytes * codec::byte_ms(self.baud)))
    }

    /// Lets the answer to a call come before something else is asked: it would pass for the answer to that.
    pub(super) fn finish_call(&mut self) -> Result<(), RelayError> {
        let Some(Kept(mut heard)) = self.line.kept.take() else { return Ok(()) };
        let Self { line, calling, codec, baud, .. } = self;
        let sign = |heard: &[u8]| calling.sign(codec.as_ref(), heard);
        if sign(&heard).is_none()
            && let Some(asked) = calling.calls.last()
        {
            let wire_ms = (codec.answer_bytes() + calling.bytes(codec.as_ref()).len() as f64) * codec::byte_ms(*baud);
            let mut ear = line.ear.clone();
            let found = line.read_until(asked.plus_ms(LATE_MS + wire_ms), |bytes| ear.find(&mut heard, bytes, sign))?;
            line.ear = ear;
            if found.is_none() {
                return Ok(());
            }
        }
        calling.calls.forget();
        Ok(())
    }
}

fn timeout_ms(baud: u32) -> f64 {
    ANSWER_TIMEOUT_MS + DIALOGUE_BYTES * codec::byte_ms(baud)
}
