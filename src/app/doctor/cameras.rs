//! Cameras: what they offer, and how fast they really are.

use super::findings::Findings;
use crate::app::find;
use crate::camera::{SourceSpec, WebcamInfo, list_webcams};
use crate::time::Clock;
use std::io;
use std::sync::Arc;

/// How long pictures are counted, ms.
const MEASURED_MS: f64 = 3000.0;
/// Fewer pictures a second see pieces too late.
const RATE_NEEDED: f64 = 24.0;

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
            for camera in &cameras {
                offer(findings, camera)?;
            }
            if source.is_none() {
                for camera in &cameras {
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

fn offer(findings: &mut Findings, camera: &WebcamInfo) -> io::Result<()> {
    let subject = format!("{} ({})", camera.index, camera.name);
    match &camera.offer {
        Ok(offer) => {
            findings.good("camera", &subject, &format!("offers {}", offer.formats.join(", ")))?;
            for (what, state) in &offer.locks {
                match state {
                    Some(true) => findings.good("camera", &subject, &format!("{what} can be fixed"))?,
                    Some(false) => findings.good("camera", &subject, &format!("{what} is fixed"))?,
                    None => {
                        findings.note("camera", &subject, &format!("does not say whether {what} can be fixed"), None)?
                    }
                }
            }
            Ok(())
        }
        Err(problem) => findings.mend(
            "camera",
            &subject,
            &format!("cannot be asked what it offers: {problem}"),
            "close other programs that use it, then unplug it and plug it in again",
        ),
    }
}

/// What was counted.
struct Rate {
    pictures: usize,
    per_s: f64,
    longest_ms: f64,
    size: [u32; 2],
}

fn rate(findings: &mut Findings, source: &str, clock: &Arc<dyn Clock>) -> io::Result<()> {
    let measured = SourceSpec::parse(source).map_err(anyhow::Error::from).and_then(|_| measure(source, clock));
    match measured {
        Ok(Some(Rate { pictures, per_s, longest_ms, size: [width, height] })) => {
            let says = format!(
                "{per_s:.1} pictures a second of {width} × {height} ({pictures} counted, the longest gap {longest_ms:.0} ms)"
            );
            if per_s < RATE_NEEDED {
                let remedy = "give it more light or a fixed exposure (`camera:N?exposure=150`), or a smaller size";
                return findings.mend("camera", source, &says, remedy);
            }
            findings.good("camera", source, &says)
        }
        Ok(None) => findings.mend("camera", source, "gives no pictures", "check it with another program"),
        Err(e) => findings.mend("camera", source, &format!("{e:#}"), "then run doctor again"),
    }
}

fn measure(source: &str, clock: &Arc<dyn Clock>) -> anyhow::Result<Option<Rate>> {
    let mut source = find::open_any(source, clock.clone())?;
    let Some(first) = source.next_frame()? else { return Ok(None) };
    let (mut last, mut pictures, mut longest_ms) = (first.time, 0, 0.0f64);
    while last.ms_since(first.time) < MEASURED_MS {
        let Some(frame) = source.next_frame()? else { break };
        longest_ms = longest_ms.max(frame.time.ms_since(last));
        last = frame.time;
        pictures += 1;
    }
    let per_s = pictures as f64 * 1000.0 / last.ms_since(first.time).max(1.0);
    Ok(Some(Rate { pictures, per_s, longest_ms, size: [first.image.width(), first.image.height()] }))
}
