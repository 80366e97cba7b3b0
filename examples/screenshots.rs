//! Makes the README's pictures of the page: `make screenshots`. Needs chromium and chromium-driver.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/web_support/mod.rs"]
mod web_support;

use std::path::{Path, PathBuf};
use web_support::{Browser, Program, nap};

/// The same picture in fewer colours, so that the repository stays small: the camera's noise does not compress.
fn small(png: &[u8]) -> Vec<u8> {
    let mut picture = image::load_from_memory(png).unwrap().into_rgb8();
    let width = picture.width().min(960);
    let height = picture.height() * width / picture.width();
    if width < picture.width() {
        picture = image::imageops::resize(&picture, width, height, image::imageops::FilterType::Triangle);
    }
    picture
        .pixels_mut()
        .for_each(|pixel| pixel.0.iter_mut().for_each(|v| *v = if *v > 239 { *v } else { *v / 16 * 16 + 8 }));
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or("docs".into()));
    let program = std::env::args().nth(2).unwrap_or("target/release/stackhand".into());
    let program = Path::new(&program).canonicalize().expect("build the program first: cargo build --release");
    let temporary = tempfile::tempdir().unwrap();
    let browser = Browser::start().expect("chromium and chromium-driver are needed");
    let save = |name: &str, width, height, scheme, is_whole| {
        browser.look(width, height, scheme);
        nap(700.0);
        std::fs::write(folder.join(format!("{name}.png")), small(&browser.picture(is_whole))).unwrap();
    };
    let start = |args: &[&str]| Program::start(&program, args, temporary.path());
    {
        let page = start(&["calibrate", "--source", "sim", "--layout", "nes", "--ui", "--no-browser"]);
        browser.look(1280, 900, "light");
        browser.open(&page.url);
        browser.wait("document.querySelector('#facts').textContent.includes('found by itself')");
        nap(9000.0);
        save("calibrate", 1280, 900, "light", false);
        save("calibrate-dark", 1280, 900, "dark", false);
        save("calibrate-phone", 360, 740, "light", true);
    }
    {
        let page = start(&["dry-run", "--realtime", "--pieces", "100000", "--ui", "--no-browser", "--level", "9"]);
        browser.look(1280, 900, "light");
        browser.open(&page.url);
        browser.wait("Number(document.querySelectorAll('#numbers dd')[0]?.textContent) >= 24");
        save("watch", 1280, 900, "light", false);
        save("watch-dark", 1280, 900, "dark", false);
        save("watch-phone", 360, 740, "dark", true);
    }
    let recording = std::env::args().nth(3);
    if let Some(recording) = recording {
        let recording = Path::new(&recording).canonicalize().unwrap();
        let page = start(&["replay", recording.to_str().unwrap(), "--ui", "--no-browser", "--auto"]);
        browser.look(1280, 900, "light");
        browser.open(&page.url);
        browser.wait("document.querySelector('#title').dataset.done === '1'");
        browser.run(
            "const p = document.querySelector('#position'); p.value = p.max / 2; p.dispatchEvent(new Event('input'))",
        );
        save("replay", 1280, 900, "light", false);
        save("replay-phone", 360, 740, "light", true);
    }
}
