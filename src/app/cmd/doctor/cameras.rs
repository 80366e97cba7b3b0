//! Cameras: what they offer, and how fast they really are.

use super::findings::Findings;
use crate::app::args::find;
use crate::edge::CameraError;
use crate::edge::Losses;
use crate::edge::camera::{SourceSpec, WebcamInfo, list_webcams};
use crate::time::Clock;
use std::io;
use std::sync::Arc;

/// How long pictures are counted, ms.
const MEASURED_MS: f64 = 3000.0;
/// Fewer pictures a second see pieces too late.
const RATE_NEEDED: f64 = 24.0;
/// A larger share of lost pictures costs presses.
const LOST_SHARE_MAX: f64 = 0.02;

/// Checks the named source, or all cameras.
pub fn check(findings: &mut Findings, source: Option<&str>, clock: &Arc<dyn Clock>) -> io::Result<()> {
    match list_webcams() {
        Ok(cameras) if cameras.is_empty() && source.is_none() => findings.mend(
            "camera",
            "",
            "none found",
            "plug one in, or read another with --source, such as \"ffmpeg:-f v4l2 -i /dev/video0\"",
        )?,
        Ok(cameras) => {
            let named = source.and_then(|source| SourceSpec::parse(source).ok());
            for camera in &cameras {
                let is_named = matches!(&named, Some(SourceSpec::Webcam(spec)) if spec.index == camera.index);
                offer(findings, camera, source.is_none() || is_named)?;
            }
            if source.is_none() {
                for camera in cameras.iter().filter(|camera| camera.offer.is_ok()) {
                    rate(findings, &format!("camera:{}", camera.index), clock)?;
                }
            }
        }
        Err(e) => findings.note("camera", "", &format!("the system does not list cameras: {e}"), None)?,
    }
    match source {
        Some(source) => rate(findings, source, clock),
        None => Ok(()),
    }
}

/// `is_needed`: one that cannot be used is something to mend.
fn offer(findings: &mut Findings, camera: &WebcamInfo, is_needed: bool) -> io::Result<()> {
    let subject = format!("{} ({})", camera.index, camera.name);
    let offer = match &camera.offer {
        Ok(offer) => offer,
        Err(error) if is_needed => return findings.error("camera", &subject, error),
        Err(error) => return findings.note("camera", &subject, &error.to_string(), None),
    };
    findings.good("camera", &subject, &format!("offers {}", offer.formats.join(", ")))?;
    for (what, state) in &offer.locks {
        match state {
            Some(true) => findings.good("camera", &subject, &format!("{what} can be fixed"))?,
            Some(false) => findings.good("camera", &subject, &format!("{what} is fixed"))?,
            None => findings.note("camera", &subject, &format!("does not say whether {what} can be fixed"), None)?,
        }
    }
    Ok(())
}

/// What was counted.
#[derive(Debug, Clone, Default)]
struct Rate {
    pictures: usize,
    per_s: f64,
    longest_ms: f64,
    size: [u32; 2],
    /// Meanwhile.
    losses: Losses,
    /// What the camera says that it sends, a second.
    nominal: Option<f64>,
}

impl Rate {
    /// Lost pictures among all that the camera made.
    fn lost_share(&self) -> f64 {
        self.losses.lost() as f64 / (self.pictures as u64 + self.losses.total()).max(1) as f64
    }

    /// In words; with a remedy if there is something to mend.
    fn judged(&self) -> (String, Option<String>) {
        let Self { pictures, per_s, longest_ms, size: [width, height], losses, nominal } = self;
        let mut says = format!(
            "{per_s:.1} pictures a second of {width} × {height} ({pictures} counted, the longest gap {longest_ms:.0} ms)"
        );
        if losses.lost() > 0 {
            says += &format!("; lost: {}", losses.in_words());
        }
        if losses.replaced > 0 {
            says += &format!("; {} were passed over, because this computer was too slow", losses.replaced);
        }
        let remedy = if self.lost_share() > LOST_SHARE_MAX {
            "try another cable or USB port, without a hub and with nothing else on it, or a smaller size (`camera:N?size=640x480`)"
        } else if *per_s >= RATE_NEEDED {
            return (says, None);
        } else if losses.replaced as f64 > LOST_SHARE_MAX * *pictures as f64 {
            "close other programs, or choose a smaller size (`camera:N?size=640x480`)"
        } else if nominal.is_some_and(|nominal| nominal < RATE_NEEDED) {
            "the camera sends no more at this size; choose another that is listed above, such as `camera:N?size=640x480&fps=30`"
        } else {
            "give it more light or a fixed exposure (`camera:N?exposure=166`), or a smaller size"
        };
        (says, Some(remedy.into()))
    }
}

fn rate(findings: &mut Findings, source: &str, clock: &Arc<dyn Clock>) -> io::Result<()> {
    let measured = SourceSpec::parse(source).map_err(anyhow::Error::from).and_then(|_| measure(source, clock));
    match measured {
        Ok(Some(rate)) => match rate.judged() {
            (says, Some(remedy)) => findings.mend("camera", source, &says, &remedy),
            (says, None) => findings.good("camera", source, &says),
        },
        Ok(None) => findings.mend("camera", source, "gives no pictures", "check it with another program"),
        Err(e) => match e.downcast_ref::<CameraError>() {
            // It ends in its own remedy.
            Some(error) => findings.error("camera", source, error),
            None => findings.mend("camera", source, &format!("{e:#}"), "then run doctor again"),
        },
    }
}

fn measure(source: &str, clock: &Arc<dyn Clock>) -> anyhow::Result<Option<Rate>> {
    let mut source = find::open_any(source, clock.clone())?;
    let Some(first) = source.next_frame()? else { return Ok(None) };
    let before = source.losses();
    let mut rate = Rate { size: [first.image.width(), first.image.height()], ..Rate::default() };
    let mut last = first.time;
    while last.ms_since(first.time) < MEASURED_MS {
        let Some(frame) = source.next_frame()? else { break };
        rate.longest_ms = rate.longest_ms.max(frame.time.ms_since(last));
        last = frame.time;
        rate.pictures += 1;
    }
    rate.per_s = rate.pictures as f64 * 1000.0 / last.ms_since(first.time).max(1.0);
    rate.losses = source.losses().since(&before);
    rate.nominal = source.nominal_fps();
    Ok(Some(rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_for_few_pictures_has_its_own_remedy() {
        let rate = |per_s: f64, losses: Losses, nominal| Rate {
            pictures: (per_s * 3.0) as usize,
            per_s,
            longest_ms: 50.0,
            size: [640, 480],
            losses,
            nominal,
        };
        let lost = |n| Losses { broken_off: n, never_came: n, ..Losses::default() };
        let late = |n| Losses { replaced: n, ..Losses::default() };
        let none = Losses::default();
        let table = [
            (rate(30.0, none, Some(30.0)), None),
            (rate(29.97, lost(0), Some(29.97)), None),
            (rate(15.0, lost(20), Some(30.0)), Some("USB port")),
            (rate(28.0, lost(3), Some(30.0)), Some("USB port")),
            (rate(12.0, late(50), Some(30.0)), Some("close other programs")),
            (rate(12.5, none, Some(12.5)), Some("sends no more")),
            (rate(15.0, none, Some(30.0)), Some("more light")),
            (rate(15.0, none, None), Some("more light")),
        ];
        for (rate, expected) in table {
            let (says, remedy) = rate.judged();
            match expected {
                None => assert_eq!(remedy, None, "{says}"),
                Some(words) => assert!(remedy.as_deref().is_some_and(|r| r.contains(words)), "{says}: {remedy:?}"),
            }
            assert_eq!(says.contains("broken off"), rate.losses.broken_off > 0, "{says}");
            assert!(!remedy.is_some_and(|r| r.contains("light")) || rate.losses.lost() == 0);
        }
    }
}
