//! Which of the bytes that come from a board can belong to the answer that is waited for. Pure.
//!
//! A board that speaks in lines may say some unasked. The rule: a line that had begun when the question was asked is no
//! answer, nor is any part of it, however late the rest comes and however the reads cut it. So nothing that comes is ever
//! thrown away unread: where a line begins would be lost with it, and the rest of `00` would pass for the number 0.
//! (One transmitter sends one line after the other; lines shuffled into each other would mean nothing to anybody.)

/// What ends a line; an ending of both is a line and an empty one.
fn is_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// The whole lines in what was heard, without empty ones and what follows the last line's end.
pub(super) fn whole_lines(heard: &[u8]) -> impl Iterator<Item = &str> {
    let whole = heard.iter().rposition(|byte| is_end(*byte)).map_or(&[][..], |end| &heard[..end]);
    let lines = whole.split(|byte| is_end(*byte)).filter_map(|line| Some(std::str::from_utf8(line).ok()?.trim()));
    lines.filter(|line| !line.is_empty())
}

/// Follows where lines begin and end.
#[derive(Debug, Clone)]
pub(super) struct Ear {
    /// Otherwise all that comes after a question may belong to its answer.
    hears_lines: bool,
    /// The last byte ended no line.
    is_in_line: bool,
    /// What comes belongs to a line that began before the question.
    is_skipping: bool,
}

impl Ear {
    /// For a board that speaks otherwise than in lines.
    pub(super) fn bytes() -> Self {
        Self { hears_lines: false, is_in_line: false, is_skipping: false }
    }

    /// For a board that speaks in lines. `at_start`: nothing was said before, or the first answer cannot be mistaken.
    pub(super) fn lines(at_start: bool) -> Self {
        Self { hears_lines: true, is_in_line: !at_start, is_skipping: false }
    }

    /// What came while no question was open.
    pub(super) fn overhear(&mut self, bytes: &[u8]) {
        self.is_in_line = bytes.last().map_or(self.is_in_line, |byte| !is_end(*byte));
    }

    /// Some of what came was lost.
    pub(super) fn lose_track(&mut self) {
        self.is_in_line = true;
    }

    /// A question is asked.
    pub(super) fn ask(&mut self) {
        self.is_skipping = self.hears_lines && self.is_in_line;
    }

    /// What came while a question is open: the part of it that the answer can be in.
    pub(super) fn hear<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        self.overhear(bytes);
        if !self.is_skipping {
            return bytes;
        }
        let Some(end) = bytes.iter().position(|byte| is_end(*byte)) else { return &[] };
        self.is_skipping = false;
        &bytes[end + 1..]
    }

    /// The answer in what came since the question, `heard`, and what came just now. `found` looks for it; an answer may be
    /// whole before its line's end.
    pub(super) fn find<T>(
        &mut self,
        heard: &mut Vec<u8>,
        bytes: &[u8],
        mut found: impl FnMut(&[u8]) -> Option<T>,
    ) -> Option<T> {
        heard.extend_from_slice(self.hear(bytes));
        let answer = found(heard)?;
        // What follows the last line's end is either the answer, and has ended with it, or the beginning of another line.
        let ended = heard.iter().rposition(|byte| is_end(*byte)).map_or(0, |end| end + 1);
        if found(&heard[..ended]).is_none() {
            self.is_in_line = false;
        }
        Some(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_began_before_the_question_is_passed_over_to_its_end() {
        let mut ear = Ear::lines(true);
        ear.overhear(b"00\r0");
        ear.ask();
        assert_eq!(ear.hear(b"0"), b"");
        assert_eq!(ear.hear(b"\r000"), b"000");
        assert_eq!(ear.hear(b"12\r"), b"12\r");
        ear.lose_track();
        ear.ask();
        assert_eq!((ear.hear(b"7\r"), ear.hear(b"8\r")), (&b""[..], &b"8\r"[..]));
    }

    #[test]
    fn what_follows_an_answer_belongs_to_it_or_to_the_next_line() {
        let find = |bytes: &[u8]| {
            let mut ear = Ear::lines(true);
            ear.ask();
            let found = ear.find(&mut Vec::new(), bytes, |heard| heard.starts_with(b"12").then_some(()));
            assert_eq!(found, Some(()));
            ear.ask();
            ear.hear(b"0\r").to_vec()
        };
        assert_eq!((find(b"12\r"), find(b"12"), find(b"12\r0")), (b"0\r".to_vec(), b"0\r".to_vec(), Vec::new()));
    }

    #[test]
    fn bytes_that_are_no_lines_are_all_heard() {
        let mut ear = Ear::bytes();
        ear.overhear(&[1, 0]);
        ear.ask();
        assert_eq!(ear.hear(&[1, 13, 1]), [1, 13, 1]);
    }

    #[test]
    fn only_whole_lines_are_lines() {
        let lines = |heard: &'static [u8]| whole_lines(heard).collect::<Vec<_>>();
        assert_eq!(lines(b"RE\r\n00012\r000"), ["RE", "00012"]);
        assert_eq!(lines(b"000"), [""; 0]);
        assert_eq!(lines(b""), [""; 0]);
    }
}
