//! The page in a real browser: what a person does with mouse and keys arrives, and the page can be read by everybody.
//! Skipped, loudly, where there is no chromium.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::skip::skipped;
use crate::support::{Browser, Program, installed};
use serde_json::{Value, json};
use stackhand::profile::calibration::Calibration;
use std::path::{Path, PathBuf};
use std::process::Command;

const SHIFT: &str = "\u{e008}";
const ALT: &str = "\u{e00a}";
const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";
const DOWN: &str = "\u{e015}";
const ENTER: &str = "\u{e007}";
const TAB: &str = "\u{e004}";
const END: &str = "\u{e010}";
const HOME: &str = "\u{e011}";

/// axe-core's script, fetched once into target/; `None`, loudly, where it cannot be had.
fn axe() -> Option<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("axe");
    let file = folder.join("node_modules/axe-core/axe.min.js");
    if !file.exists() {
        let Some(npm) = installed(&["npm"]) else {
            skipped("axe-core's view of the page", &["npm"]);
            return None;
        };
        let mut fetch = Command::new(npm);
        fetch.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).arg("axe-core@4.10.3");
        if !fetch.status().is_ok_and(|status| status.success()) {
            skipped("axe-core's view of the page", &["npm", "npm's registry"]);
            return None;
        }
    }
    std::fs::read_to_string(file).ok()
}

/// Nothing that axe-core finds: contrast, labels, names, roles, landmarks, headings.
fn assert_readable(browser: &Browser, axe: Option<&str>, what: &str) {
    let Some(axe) = axe else { return };
    browser.run(axe);
    let found = browser.run_async(
        "axe.run(document, { resultTypes: ['violations'] }).then((r) => done(r.violations.map((v) => [v.id, v.nodes.map((n) => n.html)])))",
    );
    assert_eq!(found, json!([]), "{what}");
}

/// Nothing sticks out to the side, and no two things that can be pressed lie over each other.
fn assert_fits(browser: &Browser, what: &str) {
    let wide = browser.run("return [document.documentElement.scrollWidth, innerWidth]");
    assert!(wide[0].as_f64() <= wide[1].as_f64(), "{what}: {wide}");
    let script = "
        const things = [...document.querySelectorAll('button, select, input, summary')].filter((e) => e.offsetParent && !e.classList.contains('corner'));
        const boxes = things.map((e) => [e.id || e.textContent, e.getBoundingClientRect()]);
        const over = [];
        for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
            const [a, b] = [boxes[i][1], boxes[j][1]];
            if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) over.push([boxes[i][0], boxes[j][0]]);
        }
        const out = boxes.filter(([, b]) => b.right > innerWidth + 1 || b.left < -1).map((b) => b[0]);
        return [over, out];";
    assert_eq!(browser.run(script), json!([[], []]), "{what}");
}

fn looks(browser: &Browser, axe: Option<&str>, view: &str) {
    for (width, height, scheme) in [(360, 740, "dark"), (360, 740, "light"), (1280, 900, "light"), (1280, 900, "dark")]
    {
        let what = format!("{view}, {width} px, {scheme}");
        browser.look(width, height, scheme);
        // The header lies over what is scrolled under it.
        browser.run("scrollTo(0, 0)");
        assert_fits(browser, &what);
        assert_readable(browser, axe, &what);
    }
}

fn corners(browser: &Browser) -> Vec<[f64; 2]> {
    serde_json::from_value(browser.run("return JSON.parse(document.body.dataset.corners)")).unwrap()
}

/// The same but for the last digit, which a number in JSON may lose.
fn assert_same(a: &[[f64; 2]], b: &[[f64; 2]]) {
    let is_near = a.iter().flatten().zip(b.iter().flatten()).all(|(x, y)| (x - y).abs() < 1e-6);
    assert!(is_near && a.len() == b.len(), "{a:?} {b:?}");
}

fn profile(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    path
}

fn run(args: &[&str], folder: &Path) -> std::process::Output {
    let program = Path::new(env!("CARGO_BIN_EXE_stackhand"));
    let output = Command::new(program).args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

pub fn start(args: &[&str]) -> Program {
    Program::start(Path::new(env!("CARGO_BIN_EXE_stackhand")), args, Path::new("."))
}

#[test]
fn a_newcomer_calibrates_with_mouse_and_keys_and_the_file_holds_what_was_seen() {
    let Some(browser) = Browser::start() else { return };
    let path = profile("calibrated-in-a-browser.toml");
    let program = start(&[
        "calibrate",
        "--source",
        "sim",
        "--layout",
        "nes",
        "--ui",
        "--no-browser",
        "--profile",
        path.to_str().unwrap(),
    ]);
    browser.look(1280, 900, "light");
    browser.open(&program.url);
    // The field is found by itself.
    browser.wait("document.body.dataset.searching === '0' && document.querySelector('#facts').textContent.includes('found by itself')");
    let found = corners(&browser);

    // A corner is dragged by 6 px of the screen: so little that all cells can still be told, and Save asks nothing.
    let grip: Value = browser.run("const b = document.querySelector('#corner2').getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]");
    let grip: [f64; 2] = serde_json::from_value(grip).unwrap();
    browser.drag(grip, [grip[0] + 6.0, grip[1] + 4.0]);
    let scale =
        browser.run("const c = document.querySelector('#picture'); return c.width / c.getBoundingClientRect().width");
    let scale = scale.as_f64().unwrap();
    browser.wait(&format!(
        "Math.abs(JSON.parse(document.body.dataset.corners)[2][0] - {} - 6 * {scale}) < 1.5 * {scale}",
        found[2][0]
    ));
    browser.wait("document.body.dataset.saved === '0'");

    // The keys nudge borders.
    let before = corners(&browser);
    browser.run("document.activeElement.blur()");
    browser.keys(&[LEFT]);
    browser.keys(&[SHIFT, RIGHT]);
    browser.keys(&[ALT, DOWN]);
    let moved = |i: usize, axis: usize, by: f64| {
        format!("Math.abs(JSON.parse(document.body.dataset.corners)[{i}][{axis}] - {}) < 0.001", before[i][axis] + by)
    };
    for (corner, axis, by) in
        [(0, 0, -1.0), (3, 0, -1.0), (1, 0, 1.0), (2, 0, 1.0), (0, 1, 0.1), (1, 1, 0.1), (3, 1, 0.0)]
    {
        browser.wait(&moved(corner, axis, by));
    }

    // Save by keyboard alone; the file holds it, and so does the page after a reload.
    browser.run("document.querySelector('#save').focus()");
    browser.keys(&[ENTER]);
    browser.wait("document.body.dataset.saved === '1'");
    let seen = corners(&browser);
    let saved = Calibration::load(&path).unwrap();
    assert_same(&saved.corners, &seen);
    assert!((saved.corners[2][0] - found[2][0]).abs() > 1.0, "{found:?}");
    browser.open(&program.url);
    browser.wait("document.body.dataset.saved === '1'");
    assert_same(&corners(&browser), &seen);

    // Undo goes back; Load takes the file again.
    browser.run("document.querySelector('#undo').click()");
    browser.wait("document.body.dataset.saved === '0'");
    browser.run("document.querySelector('#load').click()");
    browser.wait("document.body.dataset.saved === '1'");
    assert_same(&corners(&browser), &seen);

    // A button is tested: the relay closes and opens again by itself.
    browser.run("document.querySelector('#test-a').click()");
    browser.wait("document.querySelector('#test-a').textContent === 'Test again'");

    // Without a board nothing can be pressed; only the simulated one is offered to the simulated table.
    let choose = |kind: &str| {
        browser.run(&format!("const k = document.querySelector('#board-kind'); k.value = '{kind}'; k.dispatchEvent(new Event('change')); document.querySelector('#board-use').click()"));
    };
    let kinds = "return [...document.querySelectorAll('#board-kind option')].map((o) => o.value)";
    assert_eq!(browser.run(kinds), json!(["none", "sim"]));
    choose("none");
    browser.wait("document.querySelector('#test-a').disabled && document.querySelector('#measure').disabled && document.querySelector('#board-state').textContent === 'None is in use.'");
    browser.keys(&["\u{e00c}"]);
    browser.wait("document.querySelector('#say').textContent === 'There is no relay board to open.'");
    choose("sim");
    browser.wait("!document.querySelector('#test-a').disabled && document.querySelector('#board-state').textContent === 'In use: sim'");
    let command = browser.run("return document.querySelector('#latency').textContent");
    assert!(command.as_str().unwrap().contains("--relay sim --profile"), "{command}");
    // The table's game begins anew with its board.
    browser.wait("document.querySelector('#reading').textContent.startsWith('Screen: playing')");
    browser.wait("document.body.dataset.saved === '1' || (document.querySelector('#save').click(), false)");
    assert_eq!(Calibration::load(&path).unwrap().relay.as_deref(), Some("sim"));

    // Measuring presses and counts; STOP ends it, and nothing has changed.
    browser.run("document.querySelector('#measure').click()");
    browser.wait("document.querySelector('#measure-bar').value >= 2");
    browser.run("document.querySelector('#undo').click()");
    browser.wait("document.querySelector('#say').textContent.includes('being measured')");
    // What went wrong is said beside the button that was pressed, not elsewhere.
    browser.look(360, 640, "light");
    browser.run("document.querySelector('#test-b').scrollIntoView({ block: 'center' })");
    let grip = browser.run("const b = document.querySelector('#test-b').getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]");
    let grip: [f64; 2] = serde_json::from_value(grip).unwrap();
    browser.drag(grip, grip);
    // The words that stand elsewhere from before are the same: it is the place that tells.
    browser.wait(
        "((a, b) => Math.max(a.top - b.bottom, b.top - a.bottom) >= 0 && Math.max(a.top - b.bottom, b.top - a.bottom) < 20 &&
        a.left >= 0 && a.right <= innerWidth)(...['#say', '#test-b'].map((id) => document.querySelector(id).getBoundingClientRect()))",
    );
    browser.look(1280, 900, "light");
    browser.run("document.activeElement.blur()");
    browser.keys(&[" "]);
    browser.wait("document.querySelector('#measure-words').textContent.startsWith('Ended before')");
    assert_same(&corners(&browser), &seen);
    assert!(Calibration::load(&path).unwrap().measured.is_none());

    looks(&browser, axe().as_deref(), "calibrate");
    assert_stop_in_view(&browser, "calibrate");
}

/// Wherever one is on the page, however small the window: STOP is in it, and nothing lies over it.
fn assert_stop_in_view(browser: &Browser, view: &str) {
    let looks = Path::new(env!("CARGO_TARGET_TMPDIR")).join("looks");
    std::fs::create_dir_all(&looks).unwrap();
    for (width, height) in [(1280, 800), (360, 640), (800, 400), (320, 256)] {
        browser.look(width, height, "light");
        for to in ["0", "document.documentElement.scrollHeight / 2", "document.documentElement.scrollHeight"] {
            let seen = browser.run(&format!(
                "scrollTo(0, {to});
                const [b, h] = ['#stop', 'header'].map((id) => document.querySelector(id).getBoundingClientRect());
                const top = document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2);
                return [b.left >= 0 && b.top >= 0 && b.right <= innerWidth && b.bottom <= innerHeight, top?.id, b.height >= 36, h.height < innerHeight / 2]"
            ));
            assert_eq!(seen, json!([true, "stop", true, true]), "{view}, {width} × {height}, scrolled to {to}");
            let picture = looks.join(format!("{view}-{width}x{height}-{}.png", to.len()));
            std::fs::write(picture, browser.picture(false)).unwrap();
        }
    }
}

/// A program that does not answer, and one that is gone: the page says so at once, and that the picture is old.
#[test]
#[cfg(unix)]
fn a_stop_that_is_not_confirmed_is_told_and_an_old_picture_is_grey() {
    use nix::sys::signal::{Signal, kill};
    let Some(browser) = Browser::start() else { return };
    let program = start(&["dry-run", "--realtime", "--pieces", "100000", "--ui", "--no-browser"]);
    let signal = |signal| kill(nix::unistd::Pid::from_raw(program.id() as i32), signal).unwrap();
    browser.look(800, 400, "light");
    browser.open(&program.url);
    browser.wait("Number(document.body.dataset.shown) > 20");
    assert_stop_in_view(&browser, "watch");
    browser.look(360, 640, "light");
    browser.run("scrollTo(0, document.documentElement.scrollHeight)");

    let is_loud = "const a = document.querySelector('#alarm'), b = a.getBoundingClientRect();
        return [a.textContent.startsWith(\"STOP was NOT confirmed: use the board's switch.\"), a.getAttribute('role'),
            b.top >= 0 && b.bottom <= innerHeight && a.contains(document.elementFromPoint(b.x + 20, b.y + 10))]";
    let looks = Path::new(env!("CARGO_TARGET_TMPDIR")).join("looks");
    signal(Signal::SIGSTOP);
    browser.wait("document.body.classList.contains('stale') && /^no picture for \\d/.test(document.querySelector('#age').textContent)");
    // How long it takes the page to say so, by its own clock.
    browser.run(
        "const began = performance.now();
        new MutationObserver(() => { if (document.body.dataset.stop === 'unconfirmed') window.toldMs ??= performance.now() - began; })
            .observe(document.body, { attributes: true });",
    );
    browser.keys(&[" "]);
    browser.wait("document.body.dataset.stop === 'unconfirmed'");
    println!("not confirmed: told after {} ms", browser.run("return window.toldMs"));
    assert_eq!(browser.run(is_loud), json!([true, "alert", true]));
    std::fs::write(looks.join("watch-unconfirmed.png"), browser.picture(false)).unwrap();
    signal(Signal::SIGCONT);
    browser.wait("document.body.dataset.stop === 'confirmed' && document.body.dataset.hold === 'stopped'");
    browser.wait("!document.body.classList.contains('stale') && document.querySelector('#age').hidden");
    browser.wait("document.querySelector('#alarm').textContent.startsWith('STOP is confirmed now, after')");

    drop(program);
    browser.wait("document.querySelector('#lost').textContent.includes(\"use the board's switch\")");
    // In words, in the tab's title, and nothing but STOP looks alive.
    let gone = "return [/fetch/i.test(document.body.innerText), document.title.startsWith('No connection'), document.querySelector('#state').textContent.startsWith('No connection'),
        ['pause', 'step', 'go'].every((id) => document.querySelector(`#${id}`).disabled)]";
    assert_eq!(browser.run(gone), json!([false, true, true, true]));
    browser.run("document.querySelector('#stop').click()");
    browser.wait("document.body.dataset.stop === 'unconfirmed'");
    assert_eq!(browser.run(is_loud), json!([true, "alert", true]));
    browser.look(800, 400, "dark");
    std::fs::write(looks.join("watch-gone.png"), browser.picture(false)).unwrap();
    assert_readable(&browser, axe().as_deref(), "the program is gone");
}

#[test]
#[ignore = "needs a quiet computer; `make test` runs it after all others: cargo test --test web -- --ignored"]
fn the_robot_is_watched_stopped_by_the_space_bar_and_goes_on() {
    let Some(browser) = Browser::start() else { return };
    let program = start(&["dry-run", "--realtime", "--pieces", "100000", "--ui", "--no-browser"]);
    browser.look(1280, 900, "light");
    browser.open(&program.url);
    browser.wait("Number(document.body.dataset.shown) > 20");
    let ready =
        browser.run("const n = performance.getEntriesByType('navigation')[0]; return n.domContentLoadedEventEnd");
    println!("the page was ready {ready} ms after it was asked for");
    browser.wait("[...document.querySelectorAll('#numbers dd')].some((d) => Number(d.textContent) > 0)");
    // Four numbers are large, the others folded; what goes on is in one line and in the tab's title.
    let large = browser.run("return [[...document.querySelectorAll('#numbers dt')].map((d) => d.textContent), document.querySelector('#more').open]");
    assert_eq!(large, json!([["Pieces", "Lines", "Misplaced", "Pictures a second"], false]));
    says(&browser, "Playing");

    // The token is in no address and in nobody's reach.
    let address = browser.run("return [location.pathname + location.search + location.hash, document.cookie]");
    assert_eq!(address, json!(["/", ""]));

    browser.keys(&[" "]);
    browser.wait("document.body.dataset.hold === 'stopped'");
    browser.wait("document.body.dataset.stopMs !== undefined && document.querySelectorAll('#lamps .on').length === 0");
    println!("STOP: relays open after {} ms", browser.run("return document.body.dataset.stopMs"));

    // Another tab watches, and may take over.
    let other = Browser::start().unwrap();
    other.open(&program.url);
    other.wait("!document.querySelector('#watching').hidden && document.querySelector('#go').disabled");
    other.run("document.querySelector('#take').click()");
    other.wait("document.querySelector('#watching').hidden && !document.querySelector('#go').disabled");
    browser.wait("!document.querySelector('#watching').hidden");
    // Whoever holds the hand, both are told that the robot is stopped.
    for tab in [&browser, &other] {
        tab.wait("!document.querySelector('#state').hidden && document.querySelector('#state').textContent.startsWith('Stopped')");
        says(tab, "Stopped");
    }
    // By keyboard alone: Tab leads to the button.
    other.run("document.activeElement.blur()");
    for _ in 0..12 {
        if other.run("return document.activeElement.id") == json!("go") {
            break;
        }
        other.keys(&[TAB]);
    }
    assert_eq!(other.run("return document.activeElement.id"), json!("go"));
    other.keys(&[ENTER]);
    browser.wait("document.body.dataset.hold === 'running'");
    drop(other);

    // Pausing pauses the game itself, as long as one likes; a step places one piece; going on presses Start again.
    let pieces = "Number(document.querySelector('#numbers dd').textContent)";
    let count = || browser.run(&format!("return {pieces}")).as_f64().unwrap();
    browser.run("document.querySelector('#take').click()");
    browser.wait("!document.querySelector('#pause').disabled");
    browser.run("document.querySelector('#pause').click()");
    browser.wait("document.body.dataset.gamePaused === '1' && document.querySelectorAll('#lamps .on').length === 0");
    // A pause hides the cells, and that is no alarm.
    says(&browser, "Paused");
    let cell = "const c = document.querySelector('#seen'); const [r, g, b] = c.getContext('2d').getImageData(c.width / 2 + 3, c.height / 2 + 3, 1, 1).data; return Math.max(r, g, b) - Math.min(r, g, b) < 20";
    assert_eq!(browser.run(cell), json!(true));
    let before = count();
    crate::support::nap(3000.0);
    assert_eq!((count(), browser.run("return document.body.dataset.gamePaused")), (before, json!("1")));
    browser.run("document.querySelector('#step').click()");
    browser.wait(&format!("{pieces} === {before} + 1 && document.body.dataset.gamePaused === '1'"));
    browser.run("document.querySelector('#go').click()");
    browser.wait(&format!("{pieces} >= {before} + 3 && document.body.dataset.gamePaused === '0'"));

    // What was said and ordered can be read afterwards, the newest first.
    let said = "[...document.querySelectorAll('#log-lines li')].map((li) => li.textContent)";
    let order = ["“Go on”", "“Step”", "“Pause”", "“Go on”", "STOP"];
    browser.wait(&format!(
        "{said}.filter((words) => words.includes('was pressed on the page')).length === {}",
        order.len()
    ));
    let lines = browser.run(&format!("return {said}.filter((words) => words.includes('was pressed'))"));
    let lines: Vec<String> = serde_json::from_value(lines).unwrap();
    assert!(lines.iter().zip(order).all(|(line, words)| line.contains(words)), "{lines:?}");
    // The picture's turn is the page's own.
    let shape = "(([w, h]) => w > h)(((c) => [c.width, c.height])(document.querySelector('#picture')))";
    browser.run("document.querySelector('#turn').click()");
    browser.wait(&format!("!{shape}"));
    browser.run("for (const d of document.querySelectorAll('details')) d.open = true");
    looks(&browser, axe().as_deref(), "watch, turned, with everything open");
    browser.run("for (let i = 0; i < 3; i++) document.querySelector('#turn').click()");
    browser.wait(shape);
    browser.run("for (const d of document.querySelectorAll('details')) d.open = false");
    looks(&browser, axe().as_deref(), "watch");
}

/// Waits until the large line says so, and the tab's title, too.
fn says(browser: &Browser, word: &str) {
    browser.wait(&format!(
        "document.querySelector('#state strong').textContent === '{word}' && document.title.startsWith('{word} · ')"
    ));
}

/// A field that cannot be read is saved only when that was said twice; a finger moves borders and corners, whichever way
/// the picture is turned; and a game that waits for Start gets it.
#[test]
fn a_bad_place_is_asked_about_and_a_finger_can_put_it_right() {
    let Some(browser) = Browser::start() else { return };
    let path = profile("saved-after-a-question.toml");
    let file = path.to_str().unwrap();
    let program =
        start(&["calibrate", "--source", "sim", "--layout", "nes", "--ui", "--no-browser", "--profile", file]);
    browser.look(390, 844, "light");
    browser.open(&program.url);
    browser.wait("document.body.dataset.searching === '0' && document.querySelector('#facts').textContent.includes('found by itself')");
    says(&browser, "Field found");
    // What is to mend and to do is right under the picture, before what needs a keyboard.
    let tops = "return ['picture', 'advice', 'steps', 'find', 'buttons', 'times'].map((id) => document.querySelector(`#${id}`).getBoundingClientRect().top)";
    let tops: Vec<f64> = serde_json::from_value(browser.run(tops)).unwrap();
    assert!(tops.is_sorted(), "{tops:?}");
    let small = "return [...document.querySelectorAll('button, select')].filter((b) => b.offsetParent).map((b) => [b.id, b.getBoundingClientRect()]).filter(([, r]) => r.height < 44 || r.width < 44).map(([id]) => id)";
    assert_eq!(browser.run(small), json!([]));
    // A command for the simulated table names no real board.
    let command = browser.run("return document.querySelector('#latency').textContent");
    assert!(command.as_str().unwrap().contains("--relay sim --profile"), "{command}");

    // Seen upright, then turned by a quarter to the right: there the picture's left border is the upper one.
    let choose = |what: &str, by: &str| {
        browser.run(&format!("document.querySelector('#nudge-what').value = '{what}'; document.querySelector('#nudge-what').dispatchEvent(new Event('change')); document.querySelector('#nudge-by').value = '{by}'"));
    };
    let moved = |i: usize, axis: usize, to: f64| {
        browser.wait(&format!("Math.abs(JSON.parse(document.body.dataset.corners)[{i}][{axis}] - {to}) < 0.06"));
    };
    let before = corners(&browser);
    choose("left", "1");
    browser.run("document.querySelector('#nudge-ArrowLeft').click()");
    moved(3, 0, before[3][0] - 1.0);
    assert_eq!(browser.run("return document.querySelector('#nudge-ArrowUp').disabled"), json!(true));
    browser.run("document.querySelector('#turn').click()");
    choose("top", "1");
    browser.run("document.querySelector('#nudge-ArrowDown').click()");
    moved(3, 0, before[3][0]);
    let grip = browser.run("const b = document.querySelector('#corner2'); b.scrollIntoView({ block: 'center' }); const r = b.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]");
    let grip: [f64; 2] = serde_json::from_value(grip).unwrap();
    browser.drag(grip, [grip[0] + 12.0, grip[1]]);
    browser.wait(&format!("JSON.parse(document.body.dataset.corners)[2][1] < {} - 5", before[2][1]));
    assert!((corners(&browser)[2][0] - before[2][0]).abs() < 2.5, "to the right on the page is up in the picture");
    browser.run(
        "document.querySelector('#undo').click(); for (let i = 0; i < 3; i++) document.querySelector('#turn').click()",
    );
    moved(2, 1, before[2][1]);

    // A corner far off: nothing is written before the second press.
    choose("2", "5");
    for i in 1..=8 {
        browser.run("document.querySelector('#nudge-ArrowLeft').click()");
        moved(2, 0, before[2][0] - 5.0 * f64::from(i));
    }
    browser.wait("document.querySelector('#state strong').textContent !== 'Field found'");
    browser.run("document.querySelector('#save').click()");
    browser.wait("document.querySelector('#save').textContent === 'Save all the same' && document.querySelector('#say').textContent.includes('Press again')");
    assert!(!path.exists());
    looks(&browser, axe().as_deref(), "calibrate with a question");
    browser.wait("document.querySelector('#save').textContent === 'Save'");
    assert!(!path.exists(), "a question that nobody answers is no answer");
    for _ in 0..2 {
        browser.run("document.querySelector('#save').click()");
    }
    browser
        .wait("document.body.dataset.saved === '1' && document.querySelector('#say').textContent.startsWith('Saved')");
    assert!(
        path.exists()
            && !browser.run("return document.querySelector('#say').classList.contains('bad')").as_bool().unwrap()
    );

    // The game is paused, which is no trouble; the advice has the button, and the table presses it by itself, too.
    for i in (0..8).rev() {
        browser.run("document.querySelector('#undo').click()");
        moved(2, 0, before[2][0] - 5.0 * f64::from(i));
    }
    says(&browser, "Field found");
    browser.run("document.querySelector('#test-start').click()");
    browser.wait("document.querySelector('#state strong').textContent === 'Game paused' && document.querySelector('#advice #press-start')");
    browser.wait("document.querySelector('#state strong').textContent === 'Field found' && !document.querySelector('#press-start')");
}

#[test]
fn what_is_to_mend_is_shown_and_the_robot_goes_on_when_told_to() {
    let Some(browser) = Browser::start() else { return };
    let fault = ["--level", "9", "--fault", "swapped:left,right@1"];
    let program = start(&[&["dry-run", "--pieces", "100000", "--ui", "--no-browser"][..], &fault].concat());
    browser.look(1280, 900, "light");
    browser.open(&program.url);
    browser.wait("document.body.dataset.rests === '1' && document.body.dataset.gamePaused === '1'");
    browser.wait("!document.querySelector('#go').disabled");
    let words = browser.run("return document.querySelector('#said-list li').textContent");
    assert!(words.as_str().is_some_and(|words| words.contains("left") && words.contains("right")), "{words}");
    looks(&browser, axe().as_deref(), "watch with something to mend");
    browser.run("document.querySelector('#go').click()");
    browser.wait("document.body.dataset.rests === '0' && document.querySelector('#said').hidden");
}

#[test]
fn the_simulated_world_stands_still_while_the_robot_is_held_and_goes_on_picture_by_picture() {
    let Some(browser) = Browser::start() else { return };
    let program = start(&["dry-run", "--pieces", "100000", "--ui", "--no-browser"]);
    browser.look(1280, 900, "light");
    browser.open(&program.url);
    let pieces = "Number(document.querySelector('#numbers dd')?.textContent ?? 0)";
    browser.wait(&format!("{pieces} >= 1"));
    // What the robot thinks of for a piece is there to be read, the place that it takes among it.
    let all = "document.querySelectorAll('#choices tr').length > 1 && document.querySelectorAll('#choices .taken').length === 1";
    let worth = "Number(document.querySelector('#choices .taken .number').textContent.replace(/,/g, '')) > 100";
    let expected = "/^Expects [\\d,]+ points from here on/.test(document.querySelector('#expected').textContent)";
    browser.wait(&format!("{all} && {worth} && {expected}"));
    browser.run("document.querySelector('#pause').click()");
    browser.wait("document.body.dataset.hold === 'paused'");
    let visitor = program.visitor();
    let time = || {
        let reply = visitor.get("/api/live?after=0");
        let length = u32::from_le_bytes(reply.body[..4].try_into().unwrap()) as usize;
        serde_json::from_slice::<Value>(&reply.body[4..4 + length]).unwrap()["t_ms"].as_f64().unwrap()
    };
    crate::support::nap(300.0);
    let before = time();
    crate::support::nap(500.0);
    assert_eq!(time(), before);
    browser.run("document.querySelector('#step').click()");
    crate::support::nap(500.0);
    let stepped_ms = time() - before;
    // Pictures come 33 ms apart, some of them a few ms late.
    assert!((17.0..50.0).contains(&stepped_ms), "one picture is {stepped_ms} ms");
    browser.keys(&[" "]);
    browser.wait("document.body.dataset.hold === 'stopped'");
    // A tab that is loaded again sees the same world, and may let it go on.
    browser.open(&program.url);
    browser.wait("document.body.dataset.hold === 'stopped' && !document.querySelector('#go').disabled");
    let before = browser.run(&format!("return {pieces}")).as_f64().unwrap();
    browser.run("document.querySelector('#go').click()");
    browser.wait(&format!("{pieces} >= {before} + 2"));
}

#[test]
fn a_recorded_run_is_scrubbed_through_and_a_part_of_it_becomes_a_test_case() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    run(&["dry-run", "--pieces", "14", "--seed", "7", "--record", "run.shs"], folder.path());
    let program = Program::start(
        Path::new(env!("CARGO_BIN_EXE_stackhand")),
        &["replay", "run.shs", "--ui", "--no-browser"],
        folder.path(),
    );
    browser.look(1280, 900, "light");
    browser.open(&program.url);
    browser.wait("document.querySelector('#title').dataset.done === '1'");
    let position = || browser.run("return Number(document.body.dataset.position)").as_u64().unwrap();
    let event = || browser.run("return document.querySelector('#event').textContent");
    let number = |name: &str| {
        browser.run(&format!(
            "return [...document.querySelectorAll('#numbers div')].find((d) => d.children[0].textContent === '{name}').children[1].textContent"
        ))
    };
    let go = |to: &str| {
        browser.run(&format!(
            "const p = document.querySelector('#position'); p.value = {to}; p.dispatchEvent(new Event('input'))"
        ));
        browser.wait(&format!("Number(document.body.dataset.position) === Number({to})"));
    };
    // What was recorded is all there: the last picture knows all pieces, and what the robot did.
    go("document.querySelector('#position').max");
    assert_eq!((number("Pieces"), number("Misplaced")), (json!("14"), json!("0")));
    let last = position();
    go("400");
    browser.run("document.activeElement.blur()");
    browser.keys(&[LEFT]);
    browser.wait("document.body.dataset.position === '399'");
    browser.keys(&[RIGHT]);
    browser.wait("document.body.dataset.position === '400'");
    browser.keys(&[SHIFT, RIGHT]);
    browser.wait("Number(document.body.dataset.position) > 400");
    assert!(event().as_str().is_some_and(|words| words.contains("locks") || words.contains("appears")), "{}", event());
    // A few pictures later it is known what the robot meant to do.
    let soon = position() + 6;
    go(&soon.to_string());
    assert!(browser.run("return document.querySelector('#plan').textContent").as_str().unwrap().contains(" to column"));
    assert_eq!(browser.run("return document.querySelectorAll('#lamps li').length"), json!(8));
    browser.run("document.querySelector('#play').click()");
    let from = position();
    browser.wait(&format!("Number(document.body.dataset.position) > {from} + 10"));
    browser.run("document.querySelector('#play').click()");

    // By keys alone, whatever is in focus: the ends, one picture, play and hold, what is to be exported.
    browser.run("document.querySelector('#after').focus()");
    let at = |position: u64| browser.wait(&format!("document.body.dataset.position === '{position}'"));
    for (key, wanted) in [(END, last), (",", last - 1), (HOME, 0), (".", 1), ("i", 1)] {
        browser.keys(&[key]);
        at(wanted);
    }
    let speed = |times: &str| browser.run(&format!("document.querySelector('#speed').value = '{times}'"));
    speed("4");
    browser.keys(&[" "]);
    browser.wait("Number(document.body.dataset.position) > 60");
    browser.keys(&[" "]);
    browser.wait("document.querySelector('#play').textContent === 'Play'");
    crate::support::nap(300.0);
    browser.keys(&["o"]);
    let marked = "return ['from', 'to'].map((id) => Number(document.querySelector(`#${id}`).value))";
    browser.wait("document.querySelector('#exporting').open");
    assert_eq!(browser.run(marked), json!([2, position() + 1]));
    // The time line is zoomed by keys and wheel, and goes along with what is shown.
    browser.run("document.activeElement.blur()");
    let zoomed = || browser.run("return document.querySelector('#zoomed').textContent");
    assert_eq!(zoomed(), json!(""));
    browser.keys(&["+"]);
    browser.wait("/^Pictures \\d+ to \\d+ of \\d+$/.test(document.querySelector('#zoomed').textContent)");
    browser.keys(&[END]);
    at(last);
    browser.wait(
        "((w) => w && w[1] === w[2])(document.querySelector('#zoomed').textContent.match(/to (\\d+) of (\\d+)/))",
    );
    browser.run("document.querySelector('#events').dispatchEvent(new WheelEvent('wheel', { deltaY: -1, bubbles: true, cancelable: true }))");
    browser.keys(&["0"]);
    browser
        .wait("document.querySelector('#zoomed').textContent === '' && document.querySelector('#zoom-all').disabled");
    // Where the mouse is, a small picture stands over it. The mouse is moved until it is seen: the browser's own may have moved
    // after it, for the page has scrolled under it.
    browser.run("document.querySelector('#events').scrollIntoView({ block: 'center' })");
    browser.wait(&format!(
        "((events, b) => {{
            events.dispatchEvent(new PointerEvent('pointermove', {{ pointerType: 'mouse', clientX: b.left + b.width / 2, clientY: b.top + 5 }}));
            return !document.querySelector('#peek').hidden && Math.abs(Number(document.body.dataset.peek) - {last} / 2) <= {last} / 50
                && document.querySelector('#peek-picture').naturalWidth === 160;
        }})(document.querySelector('#events'), document.querySelector('#events').getBoundingClientRect())"
    ));
    browser.run(
        "document.querySelector('#events').dispatchEvent(new PointerEvent('pointerleave', { pointerType: 'mouse' }))",
    );
    browser.wait("document.querySelector('#peek').hidden");
    // The recording is handed out as it is.
    let fetched = |id: &str| {
        browser.run_async(&format!("const a = document.querySelector('#{id}'); fetch(a.href).then((r) => r.arrayBuffer()).then((b) => done([a.download, b.byteLength]))"))
    };
    let length = |path: &Path| std::fs::metadata(path).unwrap().len();
    assert_eq!(fetched("get-recording"), json!(["run.shs", length(&folder.path().join("run.shs"))]));
    // An event of the list is gone to.
    browser.run(
        "const h = document.querySelector('#happened'); h.selectedIndex = 3; h.dispatchEvent(new Event('change'))",
    );
    browser.wait("document.body.dataset.position === document.querySelector('#happened').value && Number(document.body.dataset.position) > 0");
    let chosen = browser.run("return document.querySelector('#happened').selectedOptions[0].text");
    let (time, words) = chosen.as_str().unwrap().split_once(' ').unwrap();
    assert!(event().as_str().unwrap().contains(words) && time.starts_with("0:0"), "{chosen} {}", event());
    // What an export came to stays.
    browser.run("document.querySelector('#from').value = 9; document.querySelector('#to').value = 3; document.querySelector('#export').click()");
    browser.wait("document.querySelector('#exported').textContent.startsWith('Nothing was written')");
    crate::support::nap(2500.0);
    let stays = "return document.querySelector('#exported').textContent.includes('the first not after the second')";
    assert_eq!(browser.run(stays), json!(true));
    // Another scheme is another colour at once.
    let pixel =
        "const c = document.querySelector('#seen'); return [...c.getContext('2d').getImageData(5, 5, 1, 1).data]";
    let light = browser.run(pixel);
    browser.look(1280, 900, "dark");
    browser.wait(&format!("JSON.stringify((() => {{ {pixel} }})()) !== '{light}'"));
    browser.look(1280, 900, "light");

    // A part is exported from the middle, and reads as it was read.
    let (from, to) = (200, 500.min(last));
    browser.run("document.querySelector('#exporting').open = true");
    browser.run(&format!("document.querySelector('#from').value = {from}; document.querySelector('#to').value = {to}; document.querySelector('#export').click()"));
    browser.wait("document.querySelector('#exported').textContent.startsWith('Written')");
    let case = format!("run-{from}-{to}");
    let (pictures, truth) = (format!("{case}/recording.shs"), format!("{case}/truth.jsonl"));
    browser.wait("!document.querySelector('#exported-files').hidden");
    assert_eq!(fetched("get-pictures"), json!(["recording.shs", length(&folder.path().join(&pictures))]));
    assert_eq!(fetched("get-truth"), json!(["truth.jsonl", length(&folder.path().join(&truth))]));
    let replayed = run(&["replay", &pictures, "--truth", &truth, "--json"], folder.path());
    let text = String::from_utf8(replayed.stdout).unwrap();
    let summary: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let score = &summary["truth"];
    assert_eq!(summary["frames"], to - from + 1, "{summary}");
    let spawns = score["spawns"].as_u64().unwrap();
    assert!(spawns >= 3, "{summary}");
    assert_eq!(
        (&score["exact"], &score["extra"], &score["cells_wrong"]),
        (&json!(spawns), &json!(0), &json!(0)),
        "{summary}"
    );
    let axe = axe();
    looks(&browser, axe.as_deref(), "replay");

    // Where the truth says otherwise, the report's page shows it; here a true reading is contradicted.
    let lines = std::fs::read_to_string(folder.path().join(&truth)).unwrap();
    let mut events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let spawn = events.iter_mut().find(|event| event["event"] == "spawn" && !event["next"].is_null()).unwrap();
    spawn["next"] = json!(if spawn["next"] == "T" { "S" } else { "T" });
    let other: String = events.iter().map(|event| format!("{event}\n")).collect();
    std::fs::write(folder.path().join("other.jsonl"), other).unwrap();
    run(&["replay", &pictures, "--truth", "other.jsonl", "--report", "report.html"], folder.path());
    browser.open(&format!("file://{}", folder.path().join("report.html").display()));
    let pictures = browser.run("return [...document.querySelectorAll('article')].map((a) => [a.querySelector('h3').textContent.includes('wrong next'), a.querySelector('img').naturalWidth > 100])");
    assert_eq!(pictures, json!([[true, true]]));
    browser.run("document.querySelector('details').open = true");
    looks(&browser, axe.as_deref(), "report");
}
