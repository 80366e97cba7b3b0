//! What a terminal can show: whether its cursor can be moved, in which characters it writes, with colours or without; and
//! text made fit for it.

use std::io::IsTerminal;

/// Whether the terminal only takes lines, one after another.
pub fn is_dumb() -> bool {
    std::env::var("TERM").is_ok_and(|name| name == "dumb")
}

/// Whether this stream shows colours to somebody who wants them.
pub fn has_colours(stream: &impl IsTerminal) -> bool {
    let is_refused = std::env::var("NO_COLOR").is_ok_and(|v| !v.is_empty());
    stream.is_terminal() && !is_refused && !is_dumb()
}

/// Whether the locale's characters are all there are; otherwise only those of ASCII are sure to be shown.
pub fn is_unicode() -> bool {
    cfg!(windows) || is_unicode_locale(["LC_ALL", "LC_CTYPE", "LANG"].map(|name| std::env::var(name).ok()))
}

/// The first of these that says anything decides.
fn is_unicode_locale(settings: [Option<String>; 3]) -> bool {
    let locale = settings.into_iter().flatten().find(|setting| !setting.is_empty()).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// The text in characters that every terminal shows.
pub fn in_ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii() => plain.push(c),
            '×' => plain.push('x'),
            '±' => plain.push_str("+-"),
            'µ' | 'μ' => plain.push('u'),
            '²' => plain.push('2'),
            '°' => plain.push_str(" degrees"),
            '…' => plain.push_str("..."),
            '–' | '—' | '−' => plain.push('-'),
            '“' | '”' | '„' => plain.push('"'),
            '‘' | '’' => plain.push('\''),
            '→' => plain.push_str("->"),
            '≥' => plain.push_str(">="),
            '≤' => plain.push_str("<="),
            _ => plain.push('?'),
        }
    }
    plain
}

/// The words in lines of at most this many characters; words that are longer are broken.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let letters: Vec<char> = word.chars().collect();
        for part in letters.chunks(columns.max(1)) {
            let part: String = part.iter().collect();
            match lines.last_mut() {
                Some(line) if line.is_empty() => *line = part,
                Some(line) if line.chars().count() + 1 + part.chars().count() <= columns => {
                    line.push(' ');
                    line.push_str(&part);
                }
                _ => lines.push(part),
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_setting_that_says_anything_decides_about_the_characters() {
        let is_unicode = |settings: [&str; 3]| is_unicode_locale(settings.map(|text| Some(text.to_string())));
        assert!(is_unicode(["", "", "de_DE.UTF-8"]) && is_unicode(["C.utf8", "", "C"]));
        assert!(!is_unicode(["C", "", "de_DE.UTF-8"]) && !is_unicode(["", "POSIX", "en_US.UTF-8"]));
        assert!(!is_unicode_locale([None, None, None]));
    }

    #[test]
    fn every_text_can_be_written_in_ascii() {
        let text = in_ascii("640 × 480, ± 0.4 px², 59 µs … – „a“ ⠈");
        assert!(text.is_ascii(), "{text}");
        assert_eq!(text, "640 x 480, +- 0.4 px2, 59 us ... - \"a\" ?");
    }

    #[test]
    fn no_line_is_longer_than_it_may_be_and_no_letter_is_lost() {
        let text = "WARN relay 3 (down) has had no effect: look at /dev/serial/by-id/usb-A_very_long_name-if00-port0";
        for columns in 1..60 {
            let lines = wrapped(text, columns);
            assert!(lines.iter().all(|line| line.chars().count() <= columns), "{lines:?}");
            assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        }
    }
}
