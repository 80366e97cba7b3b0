// What every view shares: who holds the hand, orders, STOP, and the live picture.
export const at = (id) => document.getElementById(id);
export const page = { tab: 0, hand: false, handAt: 0, site: null };
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
export const fixed = (value, digits) => (value === null || value === undefined ? "–" : Number(value).toFixed(digits));

// STOP must be confirmed within this; otherwise the page says so, as loudly as it can, and asks again.
const CONFIRM_MS = 500;
// One try of STOP; the board itself has a second.
const STOP_PATIENCE_MS = 2000;
// A tab that does not say that it is there gives the hand away, after some seconds.
const HOLD_EVERY_MS = 1000;
// A picture older than this is grey.
const FRESH_MS = 1000;
// A word of success stays so long; what went wrong stays until the next order.
const GOOD_WORDS_MS = 6000;
// Another state of the game is told when it has lasted so long: one bad picture is no news.
const SETTLED_MS = 400;
// Light or dark: what is drawn has to be drawn again.
export const scheme = matchMedia("(prefers-color-scheme: dark)");

// The live picture that is being asked for.
let asking = null;

async function post(path, body, more) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-stackhand-tab": String(page.tab) },
    body: JSON.stringify(body ?? {}),
    ...more,
  });
  const value = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(value.error ?? `the answer was ${answer.status}`);
  return value;
}

// --- words where the finger is ---

let pressed = null;
let fade = 0;
for (const kind of ["pointerdown", "keydown", "change"]) {
  window.addEventListener(kind, (event) => {
    pressed = event.target.closest?.("button, select, input, summary") ?? pressed;
  }, { capture: true });
}

function settle() {
  const bubble = at("say");
  if (bubble.hidden) return;
  const whole = document.documentElement;
  const near = pressed?.getClientRects().length ? pressed : document.querySelector("header");
  const box = near.getBoundingClientRect();
  // As wide as it would be with room to its right.
  bubble.style.left = "8px";
  const top = document.querySelector("header").getBoundingClientRect().bottom;
  const below = box.bottom + 6;
  const fits = below + bubble.offsetHeight <= whole.clientHeight;
  // Beside the control, never over STOP, never outside.
  const wanted = fits ? below : Math.max(box.top - bubble.offsetHeight - 6, 0);
  bubble.style.top = `${Math.min(Math.max(wanted, top + 4), Math.max(top + 4, whole.clientHeight - bubble.offsetHeight - 6))}px`;
  bubble.style.left = `${Math.max(8, Math.min(box.left, whole.clientWidth - bubble.offsetWidth - 8))}px`;
}

for (const kind of ["scroll", "resize"]) window.addEventListener(kind, settle, { passive: true });

// What an order came to, beside the control that gave it.
export function say(text, isBad) {
  const bubble = at("say");
  clearTimeout(fade);
  bubble.textContent = text;
  bubble.hidden = !text;
  bubble.classList.toggle("bad", Boolean(isBad));
  if (!text) return;
  settle();
  if (!isBad) fade = setTimeout(() => say(""), GOOD_WORDS_MS);
}

// What is so until it is not: stays whoever holds the hand, and whatever is ordered.
export function lasting(id, text) {
  const bar = at(id);
  if (bar.textContent === text) return;
  bar.textContent = text;
  bar.hidden = !text;
}

// What went wrong, for a person.
export function plainly(error) {
  if (error.name === "TimeoutError") return "no answer";
  // So a browser calls a connection that is not there.
  return error instanceof TypeError ? "no connection" : error.message;
}

// A link to a file that this page hands out, with how long it is; no file, no link.
export function hand(id, word, file, words) {
  const link = at(id);
  link.hidden = !file;
  if (!file) return;
  const size = file.bytes ? ` (${file.bytes < 1e6 ? `${fixed(file.bytes / 1e3, 0)} kB` : file.bytes < 1e9 ? `${fixed(file.bytes / 1e6, 0)} MB` : `${fixed(file.bytes / 1e9, 1)} GB`})` : "";
  if (link.textContent !== words + size) link.textContent = words + size;
  Object.assign(link, { download: file.name, title: file.name });
  if (!link.hasAttribute("href")) link.href = `/api/file?is=${word}`;
}

// An order of the page's own: what it comes to is nobody's news.
export const ask = (what, more) => post("/api/order", { do: what, ...more });

export async function order(what, more) {
  try {
    const value = await ask(what, more);
    say("");
    return value;
  } catch (error) {
    say(plainly(error), true);
    return null;
  }
}

// --- the one line that is read from across the room ---

const NO_CONNECTION = { kind: "bad", word: "No connection", words: "What stands here is old." };
const NO_PICTURE = { kind: "bad", word: "No picture", words: "The camera, or the program, gives none." };
const line = { told: null, at: 0, wish: null, since: 0, title: document.title };

function showLine() {
  const { classList } = document.body;
  const isHeld = ["stop", "pause"].includes(line.told?.kind);
  const shown = classList.contains("gone") ? NO_CONNECTION : classList.contains("stale") && !isHeld ? NO_PICTURE : line.told;
  if (!shown) return;
  const [word, words] = at("state").children;
  for (const [element, text] of [[word, shown.word], [words, shown.words]]) {
    if (element.textContent !== text) element.textContent = text;
  }
  at("state").hidden = false;
  at("state").dataset.kind = shown.kind;
  const title = `${shown.word} · ${line.title}`;
  if (document.title !== title) document.title = title;
}

// Tells the state: its kind, a word, and what it means. What is not sure must last for a moment.
export function headline(kind, word, words, isSure) {
  const now = performance.now();
  if (line.wish !== kind) Object.assign(line, { wish: kind, since: now });
  const hasSettled = now - (line.told?.kind === kind ? line.at : line.since) > SETTLED_MS;
  if (!isSure && !hasSettled && line.told) return;
  Object.assign(line, { told: { kind, word, words }, at: now });
  showLine();
}

// How the page is called, in the tab's title.
export function called(title) {
  line.title = title;
  showLine();
}

// --- STOP ---

let stops = 0;

function alarm(text, isOver) {
  at("alarm").classList.toggle("over", Boolean(isOver));
  lasting("alarm", text);
}

function unconfirmed(why) {
  document.body.dataset.stop = "unconfirmed";
  alarm(`STOP was NOT confirmed: use the board's switch. (${why}; this page goes on trying.)`);
}

// Asks until it is confirmed. What came of it, or nothing if a newer STOP has taken its place.
export async function stop() {
  const turn = (stops += 1);
  const began = performance.now();
  const took = () => `${fixed((performance.now() - began) / 1000, 1)} s`;
  document.body.dataset.stop = "asked";
  const late = setTimeout(() => unconfirmed("no answer for half a second"), CONFIRM_MS);
  // A browser has few connections to one place: the picture's is given to STOP.
  asking?.abort();
  while (turn === stops) {
    try {
      const value = await post("/api/stop", {}, { signal: AbortSignal.timeout(STOP_PATIENCE_MS), priority: "high" });
      clearTimeout(late);
      if (turn !== stops) return null;
      const wasLoud = document.body.dataset.stop === "unconfirmed";
      document.body.dataset.stop = "confirmed";
      document.body.dataset.stopMs = String(value.ms);
      alarm(wasLoud ? `STOP is confirmed now, after ${took()}.` : "", true);
      if (wasLoud) setTimeout(() => turn === stops && alarm(""), 10 * GOOD_WORDS_MS);
      return value;
    } catch (error) {
      clearTimeout(late);
      if (turn === stops) unconfirmed(`${plainly(error)}, after ${took()}`);
      await pause(CONFIRM_MS);
    }
  }
  return null;
}

// The button (when it is touched, not when it is let go), the space bar, and Esc; `done` gets what it came to.
export function stopper(done) {
  const now = async () => {
    const value = await stop();
    if (value) done(value);
  };
  let touched = -Infinity;
  at("stop").addEventListener("pointerdown", () => {
    touched = performance.now();
    now();
  });
  at("stop").addEventListener("click", () => {
    if (performance.now() - touched > 1000) now();
  });
  // Everywhere, also on a focused button: the space bar is for emergencies. Where it writes or ticks a box, Esc is.
  const is = (event) => event.key === "Escape"
    || (event.code === "Space" && !event.target.closest?.("input:not([type=range]), select, textarea"));
  window.addEventListener("keydown", (event) => {
    if (!is(event)) return;
    event.preventDefault();
    if (!event.repeat) now();
  }, { capture: true });
  window.addEventListener("keyup", (event) => {
    if (is(event)) event.preventDefault();
  }, { capture: true });
}

// --- the hand ---

function setHand(holds) {
  page.hand = holds;
  page.handAt = performance.now();
  const isGone = document.body.classList.contains("gone");
  at("watching").hidden = holds || isGone;
  for (const element of document.querySelectorAll("[data-hand]")) element.disabled = isGone || !holds || element.dataset.off === "1";
}

// What an answer says of the hand, unless it was asked for before the hand was last given or taken: that is no news.
function hearHand(holds, askedAt) {
  if (holds !== page.hand && askedAt >= page.handAt) setHand(holds);
}

// Lets an element that needs the hand be used or not.
export function allow(element, can) {
  element.dataset.off = can ? "0" : "1";
  element.disabled = !can || !page.hand || document.body.classList.contains("gone");
}

export async function enter(ready) {
  // A tab that goes away gives the hand back at once.
  window.addEventListener("pagehide", () => post("/api/order", { do: "leave" }, { keepalive: true }).catch(() => {}));
  at("take").addEventListener("click", async () => {
    const value = await order("take");
    if (value) setHand(value.hand);
  });
  for (;;) {
    try {
      const value = await post("/api/hello");
      page.tab = value.tab;
      page.site = value.site;
      ready(value.site);
      setHand(value.hand);
      lost(null);
      holdOn();
      return;
    } catch (error) {
      lost(error);
      await pause(1000);
    }
  }
}

// Says that this tab is still there, for as long as it is.
async function holdOn() {
  for (;;) {
    await pause(HOLD_EVERY_MS);
    const askedAt = performance.now();
    try {
      const { hand } = await post("/api/hold", {}, { signal: AbortSignal.timeout(STOP_PATIENCE_MS) });
      hearHand(hand, askedAt);
      if (page.site.kind === "replay") lost(null);
    } catch (error) {
      if (page.site.kind === "replay") lost(error);
    }
  }
}

// --- the live picture ---

// Without a connection everything is grey but STOP, which goes on trying.
function lost(error) {
  const isGone = Boolean(error);
  if (document.body.classList.contains("gone") !== isGone) {
    document.body.classList.toggle("gone", isGone);
    setHand(page.hand);
    showLine();
  }
  if (!isGone) return lasting("lost", "");
  const why = error instanceof TypeError ? "it has ended, or the network is away" : plainly(error);
  const stopWords = page.site?.kind === "replay" ? "" : " STOP cannot reach it from this page: use the board's switch.";
  lasting("lost", `No connection to stackhand: ${why}.${stopWords} This page goes on trying.`);
}

// The parts of an answer: JSON, and pictures as blobs.
export async function unpack(answer) {
  const bytes = await answer.arrayBuffer();
  const view = new DataView(bytes);
  const parts = [];
  for (let from = 0; from + 4 <= bytes.byteLength;) {
    const length = view.getUint32(from, true);
    parts.push(new Uint8Array(bytes, from + 4, length));
    from += 4 + length;
  }
  const state = JSON.parse(new TextDecoder().decode(parts[0]));
  const pictures = await Promise.all(parts.slice(1).map((part) =>
    part.length ? createImageBitmap(new Blob([part], { type: "image/jpeg" })) : null));
  return { state, picture: pictures[0], strip: pictures[1] };
}

// Greys the picture when none has come for long, and says for how long.
function watchAge(seen) {
  const age = (performance.now() - seen.at) + seen.age;
  const isOld = age > FRESH_MS;
  document.body.classList.toggle("stale", isOld);
  at("age").hidden = !isOld;
  showLine();
  if (isOld) at("age").textContent = `no picture for ${age < 60000 ? `${fixed(age / 1000, 1)} s` : `${fixed(age / 60000, 0)} min`}`;
}

// Asks for picture after picture; each is shown before the next is asked for, so a slow viewer just sees fewer.
export async function live(show) {
  let after = 0;
  let shown = 0;
  const seen = { at: performance.now(), age: 0 };
  setInterval(() => watchAge(seen), 100);
  for (;;) {
    asking = new AbortController();
    const askedAt = performance.now();
    try {
      const answer = await fetch(`/api/live?after=${after}&tab=${page.tab}`, { signal: asking.signal, priority: "low" });
      if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? `the answer was ${answer.status}`);
      hearHand(answer.headers.get("x-hand") === "1", askedAt);
      lost(null);
      if (answer.status === 204) {
        await pause(200);
        continue;
      }
      after = Number(answer.headers.get("x-serial"));
      const parts = await unpack(answer);
      Object.assign(seen, { at: performance.now(), age: parts.state.age_ms ?? 0 });
      show(parts);
      shown += 1;
      document.body.dataset.shown = String(shown);
      // A tab that nobody sees asks for nothing.
      while (document.hidden) await pause(250);
      await new Promise((done) => requestAnimationFrame(done));
    } catch (error) {
      // STOP has taken the connection.
      if (error.name === "AbortError") {
        await pause(50);
        continue;
      }
      lost(error);
      await pause(1000);
    }
  }
}
