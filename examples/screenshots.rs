//! Makes the README's pictures of the page, in docs/, and those of other widths and colours, in target/screenshots/:
//! `make screenshots`. Needs chromium and chromium-driver.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/web/support/mod.rs"]
mod web_support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use web_support::{Browser, Program, nap};

/// Runs until one is clean.
const ATTEMPTS: u32 = 8;

/// What the other pictures are made in: a small desktop and a phone, light and dark.
const LOOKS: [(&str, u32, u32, &str); 4] = [
    ("desk-light", 1280, 800, "light"),
    ("desk-dark", 1280, 800, "dark"),
    ("phone-light", 390, 844, "light"),
    ("phone-dark", 390, 844, "dark"),
];

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
    let others = PathBuf::from("target/screenshots");
    std::fs::create_dir_all(&others).unwrap();
    let program = std::env::args().nth(2).unwrap_or("target/release/stackhand".into());
    let program = Path::new(&program).canonicalize().expect("build the program first: cargo build --release");
    let temporary = tempfile::tempdir().unwrap();
    let browser = Browser::start().expect("chromium and chromium-driver are needed");
    let save = |name: &str, width, height, scheme, is_whole| {
        browser.look(width, height, scheme);
        nap(700.0);
        let folder = if name.contains('-') { &others } else { &folder };
        std::fs::write(folder.join(format!("{name}.png")), small(&browser.picture(is_whole))).unwrap();
    };
    let all_looks = |name: &str, before: &str| {
        for (look, width, height, scheme) in LOOKS {
            browser.look(width, height, scheme);
            nap(300.0);
            browser.run(before);
            save(&format!("{name}-{look}"), width, height, scheme, false);
        }
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
        let in_view = "document.querySelector('#board-kind').scrollIntoView({ block: 'center' })";
        all_looks("calibrate-board", in_view);
        browser.run("const k = document.querySelector('#board-kind'); k.value = 'none'; document.querySelector('#board-use').click()");
        browser.wait("document.querySelector('#board-state').textContent === 'None is in use.'");
        all_looks("calibrate-no-board", in_view);
    }
    // What the README shows must be what the program does, not what a busy machine makes of it: until a run is clean.
    for attempt in 1.. {
        let page = start(&["dry-run", "--realtime", "--pieces", "100000", "--ui", "--no-browser", "--level", "9"]);
        browser.look(1280, 900, "light");
        browser.open(&page.url);
        browser.wait("Number(document.querySelectorAll('#numbers dd')[0]?.textContent) >= 24");
        let number = |name: &str| {
            let of = format!(
                "[...document.querySelectorAll('#numbers div, #more-numbers div')].find((d) => d.children[0].textContent === '{name}')"
            );
            browser.run(&format!("return Number({of}.children[1].textContent)")).as_f64().unwrap()
        };
        let [missed, misplaced] = [number("Presses missed"), number("Misplaced")];
        if misplaced > 0.0 || missed > 0.0 {
            println!("run {attempt}: {misplaced} misplaced, {missed} presses missed; another one");
            assert!(attempt < ATTEMPTS, "this machine is too busy to play on; try again later");
            continue;
        }
        save("watch", 1280, 900, "light", true);
        save("watch-dark", 1280, 900, "dark", false);
        save("watch-phone", 360, 740, "dark", true);
        break;
    }
    {
        let session = temporary.path().join("dry-run.shs");
        let record = ["dry-run", "--pieces", "40", "--level", "9", "--seed", "5", "--record"];
        let recorded = Command::new(&program).args(record).arg(&session).stdout(Stdio::null()).status();
        assert!(recorded.is_ok_and(|status| status.success()), "the dry-run was not recorded");
        let page = start(&["replay", "dry-run.shs", "--level", "9", "--ui", "--no-browser"]);
        browser.look(1280, 900, "light");
        browser.open(&page.url);
        browser.wait("document.querySelector('#title').dataset.done === '1'");
        browser.run(
            "const p = document.querySelector('#position'); p.value = p.max * 0.6; p.dispatchEvent(new Event('input'))",
        );
        save("replay", 1280, 900, "light", true);
        save("replay-phone", 360, 740, "light", true);
        browser.run("for (let i = 0; i < 4; i++) document.querySelector('#zoom-in').click()");
        all_looks("replay-zoomed", "scrollTo(0, 0);
            document.querySelector('#zoom-in').scrollIntoView({ block: 'center' });
            const b = document.querySelector('#events').getBoundingClientRect();
            document.querySelector('#events').dispatchEvent(new PointerEvent('pointermove', { pointerType: 'mouse', clientX: b.left + b.width * 0.7, clientY: b.top + 5 }))");
    }
    {
        let record = ["dry-run", "--realtime", "--pieces", "100000", "--ui", "--no-browser", "--record", "live.shs"];
        let page = start(&record);
        browser.look(1280, 900, "light");
        browser.open(&page.url);
        browser.wait("Number(document.querySelectorAll('#numbers dd')[0]?.textContent) >= 3 && !document.querySelector('#recorded').hidden");
        all_looks("watch-recorded", "document.querySelector('#recorded').scrollIntoView({ block: 'center' })");
    }
}
