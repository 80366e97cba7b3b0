//! Who holds the hand, in two real browsers. Skipped, loudly, where there is no chromium.
#![allow(clippy::unwrap_used)]

use crate::browser::start;
use crate::support::Browser;
use serde_json::json;

/// Pictures that were asked for before a tab took the hand say that it has none. A press right after that was lost.
#[test]
fn no_answer_from_before_takes_the_hand_away_again() {
    let (Some(browser), Some(other)) = (Browser::start(), Browser::start()) else { return };
    let program = start(&["dry-run", "--realtime", "--pieces", "100000", "--ui", "--no-browser"]);
    browser.open(&program.url);
    browser.wait("Number(document.body.dataset.shown) > 5 && !document.querySelector('#pause').disabled");
    other.open(&program.url);
    other.wait("!document.querySelector('#watching').hidden");
    other.run("document.querySelector('#take').click()");
    browser.wait("!document.querySelector('#watching').hidden");
    // Answers are held up on their way.
    browser.run(
        "const plain = window.fetch; window.fetch = async (...what) => { const answer = await plain(...what); \
         if (String(what[0]).startsWith('/api/live')) await new Promise((done) => setTimeout(done, 500)); return answer; }; \
         window.held = Number(document.body.dataset.shown) + 3",
    );
    browser.wait("Number(document.body.dataset.shown) >= window.held");
    browser.run(
        "const button = document.querySelector('#pause'); window.lost = 0; document.querySelector('#take').click(); \
         new MutationObserver(() => { if (!button.disabled) window.had = 1; else if (window.had) window.lost += 1; }).observe(button, { attributes: true })",
    );
    browser.wait("window.had === 1");
    let later = browser.run("return Number(document.body.dataset.shown)").as_f64().unwrap() + 3.0;
    browser.wait(&format!("Number(document.body.dataset.shown) >= {later}"));
    assert_eq!(browser.run("return window.lost"), json!(0));
}
