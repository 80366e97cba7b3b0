//! Splitting a line of arguments as a shell does.

/// Splits at blanks; quotes `'…'` and `"…"` keep blanks, a backslash keeps the next character (not within `'…'`).
///
/// # Errors
/// When a quote is not closed; the text says which.
pub fn split_words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => {
                let next = letters.next().ok_or("a backslash stands at the end")?;
                // In double quotes a shell takes a backslash literally before most letters.
                let is_literal = quote.is_some() && !matches!(next, '"' | '\\' | '$' | '`');
                let kept = word.get_or_insert_default();
                kept.extend(is_literal.then_some('\\'));
                kept.push(next);
            }
            (q, Some(open)) if q == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (blank, None) if blank.is_whitespace() => words.extend(word.take()),
            (other, _) => word.get_or_insert_default().push(other),
        }
    }
    match quote {
        Some(open) => Err(format!("a quote {open} is not closed")),
        None => {
            words.extend(word);
            Ok(words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_as_a_shell_does() {
        for (line, words) in [
            ("", &[][..]),
            ("  -f x11grab\t-i :51 ", &["-f", "x11grab", "-i", ":51"]),
            ("-i 'my file.mkv'", &["-i", "my file.mkv"]),
            (r#"-i "a \"b\" \n""#, &["-i", r#"a "b" \n"#]),
            (r"-i my\ file 'it''s' ''", &["-i", "my file", "its", ""]),
            (r"'back\slash'", &[r"back\slash"]),
        ] {
            assert_eq!(split_words(line).unwrap(), words, "{line}");
        }
        for line in ["-i 'x", "-i \"x", "x\\"] {
            assert!(split_words(line).is_err(), "{line}");
        }
    }
}
