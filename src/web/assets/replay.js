// A recording: go to any picture, and see what happened when.
import { at, page, ask, unpack, pause, plainly, fixed, hand, say, scheme } from "/page.js";
import { sheet } from "/draw.js";

// How an event is drawn on the time line: its colour, and from where to where, from the bottom up.
const MARKS = { spawn: ["--plan", 0, 0.35], lock: ["--full", 0.35, 0.6], clear: ["--full", 0.35, 1], game_over: ["--wrong", 0, 1],
  surprise: ["--wrong", 0, 1], moved: ["--fall", 0, 1] };
// Pictures are about so far apart while nothing better is known.
const GAP_MS = 33;
// The time line shows so few pictures at least, and a step of zooming is so much.
const SPAN_MIN = 30;
const ZOOM_STEP = 1.6;
// Small pictures differ from so many pixels of the time line on, and so many are kept.
const PEEK_PX = 6;
const PEEKS_MAX = 400;
let count = 0;
let marks = [];
let position = 0;
let wanted = 0;
let loading = false;
let playing = false;
let now = 0;

// The part of the recording on the time line, in pictures; all of it while `span` is null.
const line = { from: 0, span: null };
const first = () => (line.span === null ? 0 : line.from);
const span = () => line.span ?? Math.max(count - 1, 1);

// From a picture's number to the time line's pixels, and back.
const toX = (p, width) => ((p - first()) / span()) * (width - 2);
const toPicture = (x, width) => Math.min(Math.max(Math.round(first() + (x / width) * span()), 0), Math.max(count - 1, 0));

// Shows `wide` pictures from `from` on, as far as there are so many.
function show(from, wide) {
  const all = Math.max(count - 1, 1);
  line.span = wide >= all ? null : Math.max(wide, Math.min(SPAN_MIN, all));
  line.from = line.span === null ? 0 : Math.min(Math.max(from, 0), all - line.span);
  timeline();
}

// What is `at` (0 to 1) on the time line stays there.
function zoom(by, at = Math.min(Math.max((position - first()) / span(), 0), 1)) {
  const stays = first() + at * span();
  const wide = Math.max(span() / by, Math.min(SPAN_MIN, Math.max(count - 1, 1)));
  show(stays - at * wide, wide);
}

// The picture that is gone to is on the time line.
function keepInView() {
  if (line.span === null || (position >= line.from && position <= line.from + line.span)) return;
  show(position - line.span / 2, line.span);
}

// --- small pictures over the time line ---

const peeks = new Map();
const peek = { wanted: null, loading: false };

async function loadPeeks() {
  if (peek.loading) return;
  peek.loading = true;
  // One at a time; of many wishes only the newest.
  while (peek.wanted !== null && !peeks.has(peek.wanted)) {
    const target = peek.wanted;
    const answer = await fetch(`/api/thumb?n=${target}`, { priority: "low" }).catch(() => null);
    peeks.set(target, answer?.ok ? URL.createObjectURL(await answer.blob()) : "");
    if (peeks.size > PEEKS_MAX) {
      const [oldest, url] = peeks.entries().next().value;
      URL.revokeObjectURL(url);
      peeks.delete(oldest);
    }
  }
  peek.loading = false;
  showPeek();
}

function showPeek() {
  const url = peeks.get(peek.wanted);
  // The one before stays until this one is there.
  if (url === undefined) return;
  at("peek-picture").hidden = !url;
  if (url && at("peek-picture").src !== url) at("peek-picture").src = url;
  document.body.dataset.peek = url ? String(peek.wanted) : "";
}

function peekAt(x, width, clock) {
  const p = toPicture(x, width);
  // Neighbours share a picture: a power of two, so that another zoom finds those it has.
  const step = 2 ** Math.max(0, Math.floor(Math.log2((span() / width) * PEEK_PX)));
  peek.wanted = Math.min(Math.round(p / step) * step, count - 1);
  const near = marks.filter((m) => Math.abs(toX(m[0], width) - x) < 3).map((m) => m[2]);
  const ms = marks.length ? timeOf(p) : null;
  at("peek-words").textContent = [`picture ${p + 1}`, ...(ms === null ? [] : [clock(ms)]), ...near.slice(-1)].join(", ");
  at("peek").hidden = false;
  const half = at("peek").offsetWidth / 2;
  at("peek").style.left = `${Math.min(Math.max(x, half), width - half)}px`;
  showPeek();
  loadPeeks();
}

// About when a picture was taken: between the events around it.
function timeOf(p) {
  const timed = marks.filter((m) => typeof m[3] === "number");
  const before = timed.findLast((m) => m[0] <= p) ?? timed[0];
  const after = timed.find((m) => m[0] > p) ?? timed.at(-1);
  if (!before || !after || after[0] <= before[0]) return null;
  return Math.max(0, before[3] + ((p - before[0]) / (after[0] - before[0])) * (after[3] - before[3]));
}

function endPeek() {
  at("peek").hidden = true;
  at("peek-picture").hidden = true;
  peek.wanted = null;
  document.body.dataset.peek = "";
}

// Mouse, fingers and wheel on the time line: one goes there, two zoom.
function handle(goAndHold, clock) {
  const canvas = at("events");
  const fingers = new Map();
  let pinch = null;
  const xOf = (event) => Math.min(Math.max(event.clientX - canvas.getBoundingClientRect().left, 0), canvas.clientWidth);
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return { wide: Math.max(Math.abs(a - b), 10), middle: (a + b) / 2 / canvas.clientWidth };
  };
  const goTo = (x) => {
    goAndHold(toPicture(x, canvas.clientWidth));
    peekAt(x, canvas.clientWidth, clock);
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, xOf(event));
    if (fingers.size === 1) return goTo(xOf(event));
    if (fingers.size > 2) return;
    endPeek();
    const { wide, middle } = spread();
    pinch = { wide, under: first() + middle * span(), span: span() };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return event.pointerType === "mouse" && peekAt(xOf(event), canvas.clientWidth, clock);
    fingers.set(event.pointerId, xOf(event));
    if (fingers.size === 1 && !pinch) return goTo(xOf(event));
    if (fingers.size !== 2 || !pinch) return;
    const { wide, middle } = spread();
    const shown = Math.max((pinch.span * pinch.wide) / wide, SPAN_MIN);
    show(pinch.under - middle * shown, shown);
  });
  for (const kind of ["pointerup", "pointercancel", "pointerleave"]) {
    canvas.addEventListener(kind, (event) => {
      if (kind !== "pointerleave") fingers.delete(event.pointerId);
      if (!fingers.size) pinch = null;
      if (!fingers.size && (kind === "pointerleave" || event.pointerType !== "mouse")) endPeek();
    });
  }
  canvas.addEventListener("wheel", (event) => {
    // Sideways it moves along, else it zooms; where all is shown already, the page scrolls down as everywhere.
    const isAlong = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!isAlong && event.deltaY > 0 && line.span === null) return;
    event.preventDefault();
    const by = event.deltaX || event.deltaY;
    if (isAlong) show(first() + Math.sign(by) * span() * 0.1, span());
    else zoom(event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP, xOf(event) / canvas.clientWidth);
    peekAt(xOf(event), canvas.clientWidth, clock);
  }, { passive: false });
}

// Loads the wanted picture; while one is on its way only the newest wish counts.
async function load(draw) {
  if (loading) return;
  loading = true;
  try {
    do {
      const target = wanted;
      const answer = await fetch(`/api/frame?n=${target}`);
      if (!answer.ok) break;
      const shown = await unpack(answer);
      position = target;
      now = shown.state.t_ms;
      draw(shown);
      tell();
    } while (wanted !== position);
  } catch (error) {
    say(`The picture cannot be had: ${plainly(error)}.`, true);
  }
  loading = false;
}

function tell() {
  at("position").value = String(position);
  at("where").textContent = `${position + 1} of ${count}, ${fixed(now / 1000, 3)} s`;
  const here = marks.filter((m) => m[0] === position).map((m) => m[2]);
  at("event").textContent = here.length ? here.join("; ") : " ";
  document.body.dataset.position = String(position);
  choose();
  keepInView();
  timeline();
}

// The list stands at the last event so far.
function choose() {
  const list = at("happened");
  if (document.activeElement === list) return;
  let chosen = -1;
  for (const [i, option] of [...list.options].entries()) {
    if (Number(option.value) > position) break;
    chosen = i;
  }
  if (list.selectedIndex !== chosen) list.selectedIndex = chosen;
}

function events(clock) {
  const kinds = at("kinds").value.split(" ").filter(Boolean);
  const shown = marks.filter((m) => !kinds.length || kinds.includes(m[1]));
  at("happened").replaceChildren(...shown.map(([p, , words, ms]) =>
    new Option(`${ms === undefined || ms === null ? `picture ${p + 1}` : `${clock(ms)}.${String(Math.floor(ms % 1000)).padStart(3, "0")}`}  ${words}`, String(p))));
  choose();
}

function timeline() {
  const { g, width, height, css } = sheet(at("events"));
  const x = (p) => (count > 1 ? toX(p, width) : 0);
  const [from, to] = ["from", "to"].map((id) => Number(at(id).value) - 1);
  if (at("exporting").open && to > from) {
    g.fillStyle = css("--range");
    g.fillRect(x(from), 0, x(to) - x(from), height);
  }
  for (const [p, kind] of marks) {
    const [colour, low, high] = MARKS[kind] ?? ["--soft", 0, 0.35];
    g.fillStyle = css(colour);
    g.fillRect(x(p), height * (1 - high), 2, height * (high - low));
  }
  g.fillStyle = css("--ink");
  g.fillRect(x(position), 0, 2, height);
  const isWhole = line.span === null;
  for (const id of ["zoom-out", "zoom-all"]) at(id).disabled = isWhole;
  at("zoom-in").disabled = span() <= SPAN_MIN;
  const words = isWhole ? "" : `Pictures ${Math.round(first()) + 1} to ${Math.round(first() + span()) + 1} of ${count}`;
  if (at("zoomed").textContent !== words) at("zoomed").textContent = words;
}

// Shows the pictures at their own pace or a multiple of it; what is not there in time is left out.
async function play(draw) {
  const [began, began_ms, start] = [performance.now(), now, position];
  const speed = Number(at("speed").value);
  while (playing && position + 1 < count && speed === Number(at("speed").value)) {
    const gap = position > start && now > began_ms ? (now - began_ms) / (position - start) : GAP_MS;
    const due = () => began_ms + (performance.now() - began) * speed - now;
    if (due() < gap) await pause(Math.min((gap - due()) / speed, 200));
    if (!playing || due() < gap * 0.9) continue;
    wanted = Math.min(position + Math.max(1, Math.floor(due() / gap)), count - 1);
    const before = position;
    await load(draw);
    if (position === before) return;
  }
}

// What an export came to stays until the next one.
function exported(words, isBad) {
  at("exported").textContent = words;
  at("exported").classList.toggle("wrong", Boolean(isBad));
}

async function exportPart() {
  try {
    exported((await ask("export", { from: Number(at("from").value) - 1, to: Number(at("to").value) - 1 })).words);
  } catch (error) {
    exported(`Nothing was written: ${plainly(error)}.`, true);
  }
}

export async function replay(draw, clock) {
  at("scrub").hidden = false;
  at("plan-key").hidden = !page.site.relays;
  const go = (to) => {
    wanted = Math.min(Math.max(Math.round(to), 0), Math.max(count - 1, 0));
    load(draw);
  };
  const hold = () => {
    playing = false;
    at("play").textContent = "Play";
  };
  const goAndHold = (to) => {
    hold();
    go(to);
  };
  const mark = (id) => {
    at("exporting").open = true;
    at(id).value = String(position + 1);
    timeline();
  };
  const to = { back: () => position - 1, forth: () => position + 1,
    before: () => marks.filter((m) => m[0] < position).at(-1)?.[0] ?? 0,
    after: () => marks.find((m) => m[0] > position)?.[0] ?? count - 1 };
  for (const [id, where] of Object.entries(to)) at(id).addEventListener("click", () => goAndHold(where()));
  at("position").addEventListener("input", () => goAndHold(Number(at("position").value)));
  at("happened").addEventListener("change", () => goAndHold(Number(at("happened").value)));
  at("kinds").addEventListener("change", () => events(clock));
  handle(goAndHold, clock);
  at("zoom-in").addEventListener("click", () => zoom(ZOOM_STEP));
  at("zoom-out").addEventListener("click", () => zoom(1 / ZOOM_STEP));
  at("zoom-all").addEventListener("click", () => show(0, count));
  at("play").addEventListener("click", async () => {
    if (playing) return hold();
    playing = true;
    at("play").textContent = "Hold";
    // From its end a recording begins again.
    if (position + 1 >= count) {
      wanted = 0;
      await load(draw);
    }
    // Another speed begins anew.
    while (playing && position + 1 < count) {
      const before = position;
      await play(draw);
      if (position === before) await pause(50);
    }
    hold();
  });
  at("mark-in").addEventListener("click", () => mark("from"));
  at("mark-out").addEventListener("click", () => mark("to"));
  at("export").addEventListener("click", exportPart);
  for (const id of ["from", "to"]) at(id).addEventListener("input", timeline);
  at("exporting").addEventListener("toggle", timeline);
  const keys = { " ": () => at("play").click(), ",": () => goAndHold(to.back()), ".": () => goAndHold(to.forth()),
    Home: () => goAndHold(0), End: () => goAndHold(count - 1), i: () => mark("from"), o: () => mark("to"),
    "+": () => zoom(ZOOM_STEP), "=": () => zoom(ZOOM_STEP), "-": () => zoom(1 / ZOOM_STEP), 0: () => show(0, count),
    ArrowLeft: (event) => goAndHold(event.shiftKey ? to.before() : to.back()),
    ArrowRight: (event) => goAndHold(event.shiftKey ? to.after() : to.forth()) };
  const keyOf = (event) => {
    const isTaken = event.target.closest?.("input:not([type=range]), select, textarea") || event.ctrlKey || event.metaKey || event.altKey;
    return isTaken ? undefined : keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  };
  // The space bar plays wherever the focus is; buttons are pressed by Enter.
  window.addEventListener("keydown", (event) => {
    const does = keyOf(event);
    if (!does) return;
    event.preventDefault();
    if (event.key !== " " || !event.repeat) does(event);
  }, { capture: true });
  window.addEventListener("keyup", (event) => {
    if (event.key === " " && keyOf(event)) event.preventDefault();
  }, { capture: true });
  window.addEventListener("resize", timeline);
  scheme.addEventListener("change", timeline);
  await follow(go, clock);
}

// Asks for what has been read since, for as long as the page is open.
async function follow(go, clock) {
  let shown = false;
  let told = "";
  for (let done = false; ;) {
    const value = await ask("reel", { since: marks.length }).catch(() => null);
    if (value) {
      // What became certain late is told late.
      marks = marks.concat(value.marks).sort((a, b) => a[0] - b[0]);
      const grew = value.count !== count;
      count = value.count;
      done = value.done && value.marks.length === 0;
      at("position").max = String(Math.max(count - 1, 0));
      if (value.marks.length) events(clock);
      if (grew) limits();
      if (value.export && value.export !== told) {
        told = value.export;
        exported(told, !/^Writ/.test(told));
        const files = Object.fromEntries(value.exported);
        at("exported-files").hidden = !value.exported.length;
        for (const word of ["pictures", "truth"]) hand(`get-${word}`, word, files[word] && { name: files[word] }, `Download ${files[word]}`);
      }
      at("title").dataset.done = done ? "1" : "0";
      if (count && !shown) {
        shown = true;
        go(0);
      } else if (grew && count) timeline();
    }
    await pause(done ? 1500 : 400);
  }
}

// Until somebody has marked a part, the first pictures are offered.
function limits() {
  for (const id of ["from", "to"]) Object.assign(at(id), { min: "1", max: String(count) });
  if (at("from").value === "0") at("from").value = "1";
  if (document.activeElement !== at("to") && !at("exporting").open) at("to").value = String(Math.min(count, Number(at("from").value) + 299));
}
