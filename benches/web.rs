//! What the page costs the robot's loop: reading a picture and leaving it for viewers, with nobody and with somebody there.

use divan::Bencher;
use stackhand::calibration::Calibration;
use stackhand::game::Board;
use stackhand::layout::Layout;
use stackhand::message::Frame;
use stackhand::time::{CameraFrame, Clock, SystemClock};
use stackhand::vision::Reader;
use stackhand::web::{BoardLog, Heights, Numbers, Server, Shot, Watch};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn main() {
    divan::main();
}

/// Pictures of 640 × 480, at the pace of a camera: 30 a second.
const PERIOD_MS: f64 = 33.3;

/// Asks for picture after picture, as the page does.
fn look(address: String, stop: Arc<AtomicBool>) {
    let Ok(mut stream) = TcpStream::connect(&address) else { return };
    let mut buffer = vec![0; 1 << 20];
    while !stop.load(Ordering::Relaxed) {
        let request = format!("GET /api/live?after=0 HTTP/1.1\r\nhost: {address}\r\n\r\n");
        if stream.write_all(request.as_bytes()).is_err() || stream.read(&mut buffer).is_err() {
            return;
        }
    }
}

#[divan::bench(args = [0, 1, 4], sample_count = 100, sample_size = 1)]
fn read_and_leave_a_picture(bencher: Bencher, viewers: usize) {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let Ok(layout) = Layout::load("nes") else { return };
    let corners = [[250.0, 110.0], [420.0, 110.0], [420.0, 400.0], [250.0, 400.0]];
    let calibration = Calibration::new("nes", [640, 480], corners, 0.0);
    let Ok(mut reader) = Reader::new(&layout, corners, [640, 480]) else { return };
    let watch = Watch::new("bench", &layout, &calibration, clock.clone(), true, BoardLog::default());
    let watch = Arc::new(watch);
    let Ok(server) = Server::start(watch.clone(), None, clock.clone()) else { return };
    let stop = Arc::new(AtomicBool::new(false));
    for _ in 0..viewers {
        let (address, stop) = (server.address().to_string(), stop.clone());
        std::thread::spawn(move || look(address, stop));
    }
    let image = Arc::new(image::RgbImage::from_fn(640, 480, |x, y| {
        image::Rgb([(x * 7 + y) as u8, (x / 16 * 40 + y / 14 * 30) as u8, (x ^ y) as u8])
    }));
    let mut count = 0;
    bencher
        .with_inputs(|| {
            clock.sleep_until(clock.now().plus_ms(PERIOD_MS));
            count += 1;
            Frame { index: CameraFrame(count), time: clock.now(), name: None, image: image.clone() }
        })
        .bench_local_values(|frame| {
            let observation = reader.read(&frame);
            if watch.is_watched() {
                watch.newest.put(Shot {
                    frame,
                    observation,
                    pile: Board::new(10, 20),
                    falling: None,
                    plan: None,
                    is_ahead: false,
                    planned: Arc::default(),
                    heights: Heights::default(),
                    numbers: Numbers::default(),
                    corners,
                });
            }
        });
    stop.store(true, Ordering::Relaxed);
}
