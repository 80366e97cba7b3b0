//! What ffmpeg says on its standard error: each picture's timestamp (filter `showinfo`), and what went wrong.

use std::collections::VecDeque;

/// Complaints kept for our own error.
const COMPLAINTS_KEPT: usize = 3;
/// ffmpeg's lines may quote whole headers.
const COMPLAINT_LETTERS_MAX: usize = 200;

/// What the log says of one picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Stamp {
    /// Its time, if it has one, µs.
    pub(super) time_us: Option<i64>,
    /// It was drawn without those before it.
    pub(super) is_key: bool,
    /// Parts of it could not be decoded.
    pub(super) is_damaged: bool,
}

/// Follows ffmpeg's log, line by line.
#[derive(Debug, Default)]
pub(super) struct Log {
    time_base_s: Option<f64>,
    /// The next picture was called damaged.
    is_damaged: bool,
    complaints: VecDeque<String>,
    /// The container's name, such as `matroska,webm`.
    pub(super) format: Option<String>,
    /// How long the container says that it is, s.
    pub(super) duration_s: Option<f64>,
}

impl Log {
    /// Takes one line; a picture's stamp if it tells one.
    pub(super) fn take(&mut self, line: &str) -> Option<Stamp> {
        if line.contains("showinfo") {
            if let Some((_, rest)) = line.split_once("config in time_base:") {
                self.time_base_s = fraction(rest.split(',').next().unwrap_or_default());
            }
            return self.picture_stamp(line);
        }
        // Said before the picture's own line; a file may be called so, too.
        self.is_damaged |= line.contains("[warning] ") && line.contains("orrupt decoded frame");
        if let Some((_, rest)) = line.split_once("] Input #0, ").or_else(|| line.split_once("Input #0, ")) {
            self.format = rest.split_once(", from").map(|(format, _)| format.to_string());
        }
        if let (None, Some((_, rest))) = (self.duration_s, line.split_once(" Duration: ")) {
            self.duration_s = clock_s(rest.split(',').next().unwrap_or_default());
        }
        for level in ["[fatal] ", "[error] "] {
            if let Some((_, text)) = line.split_once(level) {
                self.complain(text);
            }
        }
        None
    }

    /// The last complaints, oldest first; empty if there were none.
    pub(super) fn complaints(&self) -> String {
        self.complaints.iter().map(String::as_str).collect::<Vec<_>>().join("; ")
    }

    fn complain(&mut self, text: &str) {
        let text: String = text.trim().chars().take(COMPLAINT_LETTERS_MAX).collect();
        if text.is_empty() || self.complaints.back() == Some(&text) {
            return;
        }
        if self.complaints.len() == COMPLAINTS_KEPT {
            self.complaints.pop_front();
        }
        self.complaints.push_back(text);
    }

    fn picture_stamp(&mut self, line: &str) -> Option<Stamp> {
        line.split_once(" n:")?;
        let after = |key| line.split_once(key).and_then(|(_, rest): (_, &str)| rest.split_whitespace().next());
        // `pts_time` has six digits only, which is 10 ms after 20 minutes; `pts` is exact.
        let exact = after(" pts:").and_then(|t| t.parse::<i64>().ok()).zip(self.time_base_s);
        let rounded = || after(" pts_time:").and_then(|t| t.parse::<f64>().ok());
        let time_s = exact.map(|(pts, base_s)| pts as f64 * base_s).or_else(rounded);
        let time_us = time_s.map(|s| (s * 1e6).round() as i64);
        Some(Stamp { time_us, is_key: line.contains(" iskey:1"), is_damaged: std::mem::take(&mut self.is_damaged) })
    }
}

/// Seconds of a time such as `01:02:03.45`; `None` of `N/A`.
fn clock_s(text: &str) -> Option<f64> {
    let parts: Vec<f64> = text.trim().split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let &[hours, minutes, seconds] = parts.as_slice() else { return None };
    Some((hours * 60.0 + minutes) * 60.0 + seconds)
}

fn fraction(text: &str) -> Option<f64> {
    let (above, below) = text.trim().split_once('/')?;
    let (above, below): (f64, f64) = (above.parse().ok()?, below.parse().ok()?);
    (above > 0.0 && below > 0.0).then(|| above / below)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of ffmpeg 4.2, 5.1 and 7.0.
    #[test]
    fn timestamps_are_exact() {
        let mut log = Log::default();
        let base = "[Parsed_showinfo_0 @ 0x560302b7fbc0] [info] config in time_base: 1/90000, frame_rate: 30/1";
        assert_eq!(log.take(base), None);
        let line =
            "[Parsed_showinfo_0 @ 0x56] [info] n:1349 pts:450000003 pts_time:5000 pos:   625647 fmt:gbrp s:960x600";
        let at = |time_us| Some(Stamp { time_us, ..Stamp::default() });
        assert_eq!(log.take(line), at(Some(5_000_000_033)));
        let line = "[Parsed_showinfo_0 @ 0x56] [info] n:   1 pts:   3000 pts_time:0.0333333 duration: 3000 s:960x600";
        assert_eq!(log.take(line), at(Some(33_333)));
        assert_eq!(log.take("[Parsed_showinfo_0 @ 0x56] [info] n:   2 pts: NOPTS pts_time:NOPTS s:1x1"), at(None));
        assert_eq!(log.take("[Parsed_showinfo_0 @ 0x56] [info] color_range:pc color_space:gbr"), None);
        assert_eq!(log.complaints(), "");
    }

    #[test]
    fn a_picture_is_damaged_that_was_called_so_just_before() {
        let mut log = Log::default();
        assert_eq!(log.take("[warning] hd.mp4: corrupt decoded frame in stream 0"), None);
        assert_eq!(Log::default().take("[info] Input #0, matroska,webm, from 'corrupt decoded frame.mkv':"), None);
        let picture = |n: u8, kind| format!("[Parsed_showinfo_0 @ 0x56] [info] n: {n} pts: NOPTS s:9x9 i:P {kind}");
        let damaged = Stamp { is_damaged: true, ..Stamp::default() };
        assert_eq!(log.take(&picture(3, "iskey:0 type:P")), Some(damaged));
        assert_eq!(log.take(&picture(4, "iskey:1 type:I")), Some(Stamp { is_key: true, ..Stamp::default() }));
    }

    #[test]
    fn a_files_duration_is_kept_where_it_is_known() {
        let told = |line| {
            let mut log = Log::default();
            assert_eq!(log.take(line), None);
            log.duration_s
        };
        assert_eq!(told("[info]   Duration: 01:02:03.50, start: 0.000000, bitrate: 1411 kb/s"), Some(3723.5));
        assert_eq!(told("[info]   Duration: N/A, bitrate: N/A"), None);
        assert_eq!(told("[info]   Stream #0:0: Video: mjpeg"), None);
    }

    #[test]
    fn complaints_are_kept() {
        let mut log = Log::default();
        for line in [
            "[info] Input #0, tty, from 'x.txt':",
            "[info]   Duration: 01:02:03.50, start: 0.000000, bitrate: 128 kb/s",
            "[info]   Duration: N/A, start: 0.000000, bitrate: N/A",
            "[mov @ 0x1] [error] moov atom not found",
            "[error] b",
            "[error] b",
            "[fatal] c",
            "[error] d",
        ] {
            assert_eq!(log.take(line), None);
        }
        assert_eq!((log.complaints().as_str(), log.format.as_deref()), ("b; c; d", Some("tty")));
        assert_eq!(log.duration_s, Some(3_723.5));
    }
}
