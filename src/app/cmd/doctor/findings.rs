//! What was found, told as it is found.

use crate::app::out::{self, say};
use serde::Serialize;
use std::io;
use std::process::ExitCode;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As it should be.
    Good,
    /// Worth knowing; it can be played with.
    Note,
    /// Must be mended before a game.
    Mend,
}

#[derive(Serialize)]
struct Line<'a> {
    event: &'static str,
    area: &'a str,
    subject: &'a str,
    verdict: Verdict,
    says: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'a str>,
}

#[derive(Serialize)]
struct Sums {
    event: &'static str,
    good: usize,
    notes: usize,
    mend: usize,
}

/// Tells findings in words or JSON, and counts them.
pub struct Findings {
    json: bool,
    counts: [usize; 3],
}

impl Findings {
    /// None yet.
    pub fn new(json: bool) -> Self {
        Self { json, counts: [0; 3] }
    }

    /// Something is as it should be.
    ///
    /// # Errors
    /// When standard output is closed; so for the others.
    pub fn good(&mut self, area: &str, subject: &str, says: &str) -> io::Result<()> {
        self.tell(Verdict::Good, area, subject, says, None)
    }

    /// Something worth knowing.
    ///
    /// # Errors
    /// See [`Self::good`].
    pub fn note(&mut self, area: &str, subject: &str, says: &str, remedy: Option<&str>) -> io::Result<()> {
        self.tell(Verdict::Note, area, subject, says, remedy)
    }

    /// Something to mend.
    ///
    /// # Errors
    /// See [`Self::good`].
    pub fn mend(&mut self, area: &str, subject: &str, says: &str, remedy: &str) -> io::Result<()> {
        self.tell(Verdict::Mend, area, subject, says, Some(remedy))
    }

    /// An error whose text ends in its remedy.
    ///
    /// # Errors
    /// See [`Self::good`].
    pub fn error(&mut self, area: &str, subject: &str, error: &dyn std::error::Error) -> io::Result<()> {
        self.tell(Verdict::Mend, area, subject, &error.to_string(), None)
    }

    fn tell(
        &mut self,
        verdict: Verdict,
        area: &str,
        subject: &str,
        says: &str,
        remedy: Option<&str>,
    ) -> io::Result<()> {
        self.counts[verdict as usize] += 1;
        if self.json {
            let line = Line { event: "check", area, subject, verdict, says, remedy };
            return out::line(serde_json::to_string(&line)?);
        }
        let mark = ["good", "note", "MEND"][verdict as usize];
        let remedy = remedy.map(|r| format!("; {r}")).unwrap_or_default();
        let subject = if subject.is_empty() { area.into() } else { format!("{area} {subject}") };
        say!("{mark}  {subject}: {says}{remedy}")
    }

    /// The sums; exit status 1 if there is something to mend.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn finish(self) -> anyhow::Result<ExitCode> {
        let [good, notes, mend] = self.counts;
        if self.json {
            out::line(serde_json::to_string(&Sums { event: "doctor", good, notes, mend })?)?;
        } else {
            match mend {
                0 => say!("Nothing to mend.")?,
                1 => say!("One thing to mend.")?,
                n => say!("{n} things to mend.")?,
            }
        }
        Ok(if mend == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
