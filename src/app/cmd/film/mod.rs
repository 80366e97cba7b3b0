//! `film`: a video of a run to look at and to show: the camera's picture, what is believed of it, what was pressed.

mod coding;
mod diary;
mod pace;
mod presses;
mod reel;

use crate::app::args::files::Overwrite;
use crate::app::args::find::Found;
use crate::app::args::{Misuse, values};
use crate::app::cmd::replay::recorded::Recorded;
use crate::app::cmd::replay::track::{Told, Track};
use crate::app::out::{self, say};
use crate::app::progress::Progress;
use crate::app::report::film::Painter;
use crate::app::report::film::pile::Pile;
use crate::app::report::film::places;
use crate::app::report::film::scene::{Falling, Moment, Presses, Scene, Traces, notice};
use crate::app::report::film::text::Title;
use crate::app::report::video::{VideoWriter, check_ffmpeg};
use crate::belief::Event;
use crate::edge::camera::mirrored;
use crate::edge::relay::SafetyNet;
use crate::file::{self, Existing};
use crate::game::orientation::Pose;
use anyhow::ensure;
use coding::Coding;
use diary::Diary;
use pace::{FPS, Pace};
use reel::{Reel, Shot};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The last picture is shown as long as the one before, but at most so long, ms.
const LAST_MS_MAX: f64 = 1000.0;

/// Options of `film`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    recorded: Recorded,
    /// The film: .mp4, .mov, .mkv, .webm, or, narrower and with fewer pictures a second, .gif or .webp [default: the
    /// recording's name with -film.mp4, in this folder].
    out: Option<PathBuf>,
    /// Film from this second of the recording on.
    #[arg(help_heading = "Film", long, value_name = "S", default_value = "0", value_parser = second)]
    from_s: f64,
    /// Film until this second of the recording [default: its end].
    #[arg(help_heading = "Film", long, value_name = "S", value_parser = second)]
    to_s: Option<f64>,
    /// So many times as fast as it was.
    #[arg(help_heading = "Film", long, value_name = "TIMES", default_value = "1", value_parser = speed)]
    speed: f64,
    #[command(flatten)]
    overwrite: Overwrite,
}

fn second(text: &str) -> Result<f64, String> {
    values::in_range(text, 0.0..=1e7, "a time in s from 0 up")
}

fn speed(text: &str) -> Result<f64, String> {
    values::in_range(text, 0.05..=100.0, "a number from 0.05 to 100")
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (out, existing) = (args.out(), args.overwrite.existing());
    let coding = Coding::of(&out)?;
    let pace = args.pace()?;
    args.recorded.check()?;
    if is_same_file(&out, args.file()) {
        return Err(Misuse(format!("{} is the recording itself; give the film another name", out.display())).into());
    }
    file::check(&out, existing)?;
    check_ffmpeg()?;
    let found = args.recorded.find()?;
    let mut film = Film::open(args, &found, pace, Output { path: out, existing, coding, video: None })?;
    let net = SafetyNet::install()?;
    let read = film.read(|| net.stop_flag().is_set());
    let cause = net.stop_flag().cause();
    // From here on nothing needs to be quick, and completing a long film takes a while.
    drop(net);
    out::end_drawing()?;
    film.finish(read)?;
    Ok(cause.map_or(ExitCode::SUCCESS, |cause| ExitCode::from(cause.exit_status() as u8)))
}

impl Args {
    /// The recording's file, also of one that is seen in a mirror.
    fn file(&self) -> &Path {
        Path::new(mirrored::behind(&self.recorded.recording).0)
    }

    fn out(&self) -> PathBuf {
        let stem = self.file().file_stem().unwrap_or_default();
        self.out.clone().unwrap_or_else(|| format!("{}-film.mp4", stem.to_string_lossy()).into())
    }

    fn pace(&self) -> Result<Pace, Misuse> {
        let to_s = self.to_s.unwrap_or(f64::INFINITY);
        if to_s <= self.from_s {
            let words = format!("--to-s {to_s} is not after --from-s {}; give a later time", self.from_s);
            return Err(Misuse(words));
        }
        Ok(Pace { from_ms: self.from_s * 1000.0, to_ms: to_s * 1000.0, speed: self.speed })
    }

    fn title(&self, found: &Found) -> Title {
        let name = self.file().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let speed = if self.speed == 1.0 { String::new() } else { format!(" · {}× as fast", self.speed) };
        Title { name, about: format!("{}{speed}", found.layout.name) }
    }
}

/// Whether both are names of one file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    fs::canonicalize(a).ok().zip(fs::canonicalize(b).ok()).is_some_and(|(a, b)| a == b)
}

/// Where the film goes.
struct Output {
    path: PathBuf,
    existing: Existing,
    coding: Coding,
    /// From its first picture on.
    video: Option<VideoWriter>,
}

impl Output {
    /// The video, begun if it was not.
    fn video(&mut self) -> anyhow::Result<&mut VideoWriter> {
        let video = match self.video.take() {
            Some(video) => video,
            None => {
                file::create_stream(&self.path, self.existing)?;
                VideoWriter::start(&self.path, places::SIZE, FPS, self.coding.options())?
            }
        };
        Ok(self.video.insert(video))
    }

    /// Completes the file; one that cannot be completed is removed, for nothing could play it.
    fn finish(self) -> anyhow::Result<()> {
        let Some(video) = self.video else { return Ok(()) };
        video.finish().inspect_err(|_| {
            if let Err(error) = fs::remove_file(&self.path) {
                tracing::warn!("{} cannot be played, and not be removed either: {error}", self.path.display());
            }
        })
    }
}

/// A film that is being made.
struct Film {
    reel: Reel,
    track: Option<Track>,
    presses: Option<Presses>,
    diary: Diary,
    /// The log is the recorded run's own, and not what is found out now.
    is_told: bool,
    pile: Pile,
    /// Where the falling piece is believed to be, and where it is shown.
    falling: Option<(Pose, Falling)>,
    painter: Painter,
    pace: Pace,
    output: Output,
    progress: Progress,
    /// What the film shows next, until another picture comes.
    scene: Option<Scene>,
    /// The film's pictures so far.
    written: u64,
    /// When the last two pictures came, ms.
    last_ms: [f64; 2],
}

impl Film {
    fn open(args: &Args, found: &Found, pace: Pace, output: Output) -> anyhow::Result<Self> {
        let told = Told::by(&args.recorded.recording)?.filter(|told| !told.events.is_empty());
        let presses = told.as_ref().and_then(presses::of);
        let mut diary = Diary::default();
        if let Some(told) = &told {
            diary.note(&told.events);
        }
        let field = &found.layout.field;
        Ok(Self {
            reel: Reel::open(&args.recorded, found)?,
            track: told.as_ref().and_then(Track::from_told),
            painter: Painter::new(&args.title(found), presses.is_some()),
            presses,
            is_told: told.as_ref().is_some_and(Told::has_pieces),
            progress: Progress::new("Filming; Ctrl-C ends the film there"),
            diary,
            pile: Pile::new(field.columns, field.rows),
            pace,
            output,
            falling: None,
            scene: None,
            written: 0,
            last_ms: [0.0; 2],
        })
    }

    /// Films picture by picture, until the recording, or what is wanted of it, ends, or `is_ended`.
    fn read(&mut self, is_ended: impl Fn() -> bool) -> anyhow::Result<End> {
        while let Some(shot) = self.reel.next()? {
            let now_ms = shot.frame.time.ms();
            self.hold(now_ms)?;
            self.last_ms = [self.last_ms[1], now_ms];
            if is_ended() {
                return Ok(End::Stopped);
            }
            if now_ms >= self.pace.to_ms {
                return Ok(End::Wanted);
            }
            self.tell(now_ms);
            self.take(shot);
        }
        let step_ms = (self.last_ms[1] - self.last_ms[0]).clamp(1000.0 / f64::from(FPS), LAST_MS_MAX);
        self.hold(self.last_ms[1] + step_ms)?;
        Ok(End::OfRecording)
    }

    fn tell(&mut self, now_ms: f64) {
        let of_wanted = self.pace.to_ms.is_finite().then(|| now_ms / self.pace.to_ms);
        // It ends where the recording does, or what is wanted of it, whichever comes first.
        let share = self.reel.read_share().into_iter().chain(of_wanted).reduce(f64::max);
        self.progress.show(share, || format!("{:.0} s", now_ms / 1000.0));
    }

    /// The last picture is shown up to this time.
    fn hold(&mut self, until_ms: f64) -> anyhow::Result<()> {
        let until = self.pace.pictures_until(until_ms);
        // Of pictures that are not shown at all none is drawn.
        if let Some(scene) = self.scene.take_if(|_| until > self.written) {
            self.painter.show(&scene);
        }
        while self.written < until {
            let time_ms = self.pace.time_ms(self.written);
            let said = self.diary.until(time_ms);
            let picture = self.painter.picture(&Moment { time_ms, presses: self.presses.as_ref(), said });
            self.output.video()?.write(picture)?;
            self.written += 1;
        }
        Ok(())
    }

    fn take(&mut self, shot: Shot) {
        if !self.is_told {
            self.diary.note(&shot.told);
        }
        let (viewer, look) = (self.reel.viewer(), &shot.viewed.look);
        let (believed, falling) = viewer.believed();
        self.pile.follow(&look.events, &believed);
        let has_locked = look.events.iter().any(|event| matches!(event, Event::Locked(_)));
        let deeds = self.track.as_mut().map(|track| track.at(shot.frame.time, has_locked));
        let plan = deeds.and_then(|deeds| deeds.plan).filter(|(_, _, is_ahead)| !is_ahead);
        // Somebody else's piece is not where this one is to go.
        let plan = plan.filter(|(pose, ..)| falling.is_some_and(|f| f.orientation.piece() == pose.orientation.piece()));
        let observation = &look.observation;
        let seen = falling.and_then(|pose| Falling::seen(pose.orientation.piece(), &believed, &observation.grid));
        // A piece that dropped is not believed anywhere else before the next one shows where it locked.
        let before = self.falling.filter(|(pose, _)| Some(*pose) == falling).map(|(_, shown)| shown);
        self.falling = falling.map(|pose| (pose, seen.or(before).unwrap_or(Falling::at(pose))));
        let (summary, counters) = (self.reel.summary(), viewer.counters());
        let mut numbers = vec![
            ("pieces", summary.pieces.to_string()),
            ("lines", summary.lines.to_string()),
            ("score", summary.score.to_string()),
            ("level", counters.level.to_string()),
        ];
        if let Some(track) = &self.track {
            let certainty = plan.map_or("–".into(), |(_, certainty, _)| format!("{:.0} %", certainty * 100.0));
            numbers.extend([("plan is certain", certainty), ("misplaced", track.misplaced().to_string())]);
        }
        self.scene = Some(Scene {
            picture: shot.frame.image,
            traces: Traces::of(observation, seen, viewer.calibration()),
            notice: notice(observation.state),
            pile: self.pile.clone(),
            falling: self.falling.map(|(_, shown)| shown),
            planned: plan.map(|(pose, ..)| pose),
            next: observation.next.piece().or(viewer.next()),
            numbers,
        });
    }

    /// Completes the film, and says what became of it.
    fn finish(self, read: anyhow::Result<End>) -> anyhow::Result<()> {
        let Self { output, written, last_ms, reel, progress, .. } = self;
        drop(progress);
        let path = output.path.display().to_string();
        output.finish()?;
        let length_s = written as f64 / f64::from(FPS);
        if written > 0 {
            let summary = reel.summary();
            let clear = summary.frames - summary.frames_obscured;
            let unclear = if clear == 0 { " No picture showed the game clearly." } else { "" };
            say!("{path}: {length_s:.1} s, {written} pictures of {} read.{unclear}", summary.frames)?;
        }
        let end = match read {
            Err(error) if written > 0 => return Err(error.context("the film ends early")),
            other => other?,
        };
        if end == End::Stopped {
            let left = if written > 0 { "what was filmed until then is in it" } else { "there is no film" };
            out::note(format_args!("Stopped after {:.1} s of the recording; {left}.", last_ms[1] / 1000.0));
            return Ok(());
        }
        ensure!(
            written > 0,
            "there is nothing to film: the recording has {:.1} s; give an earlier --from-s",
            last_ms[1] / 1000.0
        );
        Ok(())
    }
}

/// Why no more is filmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The recording has no more pictures.
    OfRecording,
    /// Up to here it was wanted.
    Wanted,
    /// A person ends it.
    Stopped,
}
