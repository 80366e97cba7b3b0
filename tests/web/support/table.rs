//! A page over a robot that does nothing, with a relay board that remembers.

use super::Visitor;
use image::RgbImage;
use stackhand::edge::relay::{Executor, Limits, NoBoard};
use stackhand::game::Board;
use stackhand::message::{Frame, Observation, RelayCommand, RelayMask};
use stackhand::profile::calibration::Calibration;
use stackhand::profile::layout::Layout;
use stackhand::time::{CameraFrame, Clock, HostTime, SystemClock};
use stackhand::vision::read::Reader;
use stackhand::web::{BoardLog, Heights, LoggedBoard, Numbers, Server, Shot, Thoughts, Watch};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

const CORNERS: [[f64; 2]; 4] = [[200.0, 80.0], [400.0, 80.0], [400.0, 440.0], [200.0, 440.0]];
/// Between two pictures, ms.
const PERIOD_MS: f64 = 1000.0 / 30.0;

pub struct Table {
    pub server: Server,
    pub watch: Arc<Watch>,
    pub executor: Executor,
    pub log: BoardLog,
    pub clock: Arc<dyn Clock>,
}

impl Table {
    pub fn set(listen: Option<&str>) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let layout = Layout::load("nes").unwrap();
        let calibration = Calibration::new("nes", [640, 480], CORNERS, 0.0);
        let log = BoardLog::default();
        let board = LoggedBoard::new(Box::new(NoBoard), clock.clone(), log.clone());
        let executor = Executor::start(Box::new(board), clock.clone(), Limits::of(&calibration)).unwrap();
        let watch = Arc::new(Watch::new("test", &layout, &calibration, clock.clone(), true, log.clone()));
        watch.connect(executor.handle());
        let server = Server::start(watch.clone(), listen, clock.clone()).unwrap();
        Self { server, watch, executor, log, clock }
    }

    /// Somebody with the token.
    pub fn visitor(&self) -> Visitor {
        Visitor::of(&self.server.url().replace("0.0.0.0", "127.0.0.1"))
    }

    /// Leaves a picture for those who look.
    pub fn show(&self) {
        self.watch.newest.put(Picture::noise().shot(self.clock.now()));
    }

    /// Leaves 30 pictures a second until `over`.
    pub fn film(&self, over: &Arc<AtomicBool>) -> JoinHandle<()> {
        let (watch, clock, over) = (self.watch.clone(), self.clock.clone(), over.clone());
        std::thread::spawn(move || {
            let picture = Picture::noise();
            while !over.load(Ordering::Relaxed) {
                watch.newest.put(picture.shot(clock.now()));
                clock.sleep_until(clock.now().plus_ms(PERIOD_MS));
            }
        })
    }

    /// Closes a relay, now and for long, and waits until it is closed. A computer that stands still meanwhile lets the press
    /// become stale, which drops it: then it is made again.
    pub fn press(&self) {
        self.watch.control.go_on();
        let mut expires = HostTime::default();
        super::eventually("a press", || {
            let now = self.clock.now();
            if expires < now {
                let due = now.plus_ms(2.0);
                expires = due.plus_ms(1000.0);
                self.executor.schedule(vec![RelayCommand { due, expires, mask: RelayMask(1) }]).unwrap();
            }
            self.executor.handle().closed().0 != 0
        });
    }

    /// When the relays were opened after `since`, if they were and are.
    pub fn opened_after(&self, since: HostTime) -> Option<HostTime> {
        let changes = self.log.changes();
        let last = changes.iter().rev().take_while(|(time, mask)| mask.0 == 0 && *time >= since).last();
        last.map(|(time, _)| *time).filter(|_| self.executor.handle().closed().0 == 0)
    }
}

/// A picture and what is read in it.
struct Picture(Frame, Observation);

impl Picture {
    /// One that compresses as badly as a camera's.
    fn noise() -> Self {
        let mut seed = 1_u32;
        let image = RgbImage::from_fn(640, 480, |x, y| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = (x / 4 + y / 4) as u8 ^ (seed >> 28) as u8;
            image::Rgb([value, value.wrapping_add(20), value / 2])
        });
        let frame = Frame { index: CameraFrame(0), time: HostTime(0), name: None, file: None, image: Arc::new(image) };
        let layout = Layout::load("nes").unwrap();
        let observation = Reader::new(&layout, CORNERS, [640, 480]).unwrap().read(&frame);
        Self(frame, observation)
    }

    fn shot(&self, time: HostTime) -> Shot {
        Shot {
            frame: Frame { time, ..self.0.clone() },
            observation: self.1.clone(),
            pile: Board::new(10, 20),
            falling: None,
            plan: None,
            is_ahead: false,
            thoughts: Thoughts::default(),
            planned: Arc::default(),
            heights: Heights::default(),
            numbers: Numbers::default(),
            corners: CORNERS,
            said: Vec::new(),
            rests: false,
        }
    }
}
