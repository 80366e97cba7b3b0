//! How long one picture takes: finding the field, and reading it.

use divan::Bencher;
use image::{Rgb, RgbImage};
use stackhand::edge::camera::decode_jpeg;
use stackhand::message::Frame;
use stackhand::profile::layout::Layout;
use stackhand::time::{CameraFrame, HostTime};
use stackhand::vision::read::Reader;
use stackhand::vision::{View, locate, refine_view};
use std::sync::Arc;

fn main() {
    divan::main();
}

/// A field of the NES layout with its frames and a few blocks, drawn into a picture of this size.
fn picture([width, height]: [u32; 2]) -> (RgbImage, [[f64; 2]; 4]) {
    let cell = f64::from(height) * 0.03;
    let [left, top] = [f64::from(width) * 0.35, f64::from(height) * 0.2];
    let image = RgbImage::from_fn(width, height, |x, y| {
        let (u, v) = ((f64::from(x) + 0.5 - left) / cell, (f64::from(y) + 0.5 - top) / cell);
        let within = |[l, t, r, b]: [f64; 4]| (l..r).contains(&u) && (t..b).contains(&v);
        let is_black = within([-0.125, -0.125, 10.125, 20.125]) || within([11.97, 6.875, 16.11, 12.125]);
        let is_frame = within([-0.5, -0.5, 10.5, 20.5]) || within([11.6, 6.5, 16.48, 12.5]);
        let is_block = within([4.0, 0.0, 7.0, 1.0]) || within([5.0, 1.0, 6.0, 2.0]) || within([0.0, 17.0, 8.0, 20.0]);
        let is_next = within([13.0, 9.0, 15.0, 11.0]);
        match (is_block || is_next, is_black, is_frame) {
            (true, ..) if u.rem_euclid(1.0) < 0.875 && v.rem_euclid(1.0) < 0.875 => Rgb([60, 60, 240]),
            (_, true, _) => Rgb([4, 4, 4]),
            (_, _, true) => Rgb([180, 240, 240]),
            _ => Rgb([60, 60, 60]),
        }
    });
    let [right, bottom] = [left + 10.0 * cell, top + 20.0 * cell];
    (image, [[left, top], [right, top], [right, bottom], [left, bottom]])
}

fn nes() -> Layout {
    match Layout::load("nes") {
        Ok(layout) => layout,
        Err(e) => panic!("{e}"),
    }
}

#[divan::bench(args = [[640, 480], [1280, 720]])]
fn read(bencher: Bencher, size: [u32; 2]) {
    let (image, corners) = picture(size);
    let frame = Frame { index: CameraFrame(0), time: HostTime(0), name: None, file: None, image: Arc::new(image) };
    let Ok(mut reader) = Reader::new(&nes(), corners, size) else { panic!("the corners enclose a field") };
    bencher.bench_local(|| reader.read(divan::black_box(&frame)));
}

/// A camera's JPEG picture, decoded and read.
#[divan::bench(args = [[640, 480], [1280, 720]])]
fn decode_and_read(bencher: Bencher, size: [u32; 2]) {
    let (image, corners) = picture(size);
    let mut jpeg = Vec::new();
    let encoder = jpeg_encoder::Encoder::new(&mut jpeg, 85);
    if let Err(e) = encoder.encode(&image, size[0] as u16, size[1] as u16, jpeg_encoder::ColorType::Rgb) {
        panic!("{e}");
    }
    let Ok(mut reader) = Reader::new(&nes(), corners, size) else { panic!("the corners enclose a field") };
    bencher.bench_local(|| {
        let image = decode_jpeg(divan::black_box(&jpeg)).map(Arc::new);
        image.map(|image| {
            reader.read(&Frame { index: CameraFrame(0), time: HostTime(0), name: None, file: None, image })
        })
    });
}

#[divan::bench(args = [[640, 480], [1280, 720]])]
fn find(bencher: Bencher, size: [u32; 2]) {
    let (image, _) = picture(size);
    let layout = nes();
    bencher.bench_local(|| locate(divan::black_box(&image), &layout));
}

#[divan::bench(args = [[640, 480], [1280, 720]])]
fn sharpen(bencher: Bencher, size: [u32; 2]) {
    let (image, mut corners) = picture(size);
    corners.iter_mut().flatten().for_each(|c| *c += 1.5);
    let Some(view) = View::new([0.0, 0.0, 10.0, 20.0], corners, size.map(|s| s as usize)) else {
        panic!("the corners enclose a field")
    };
    let layout = nes();
    bencher.bench_local(|| refine_view(divan::black_box(&image), &layout, &view));
}
