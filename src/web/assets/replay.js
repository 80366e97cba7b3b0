// A recording: go to any picture, and see what happened when.
import { at, page, ask, unpack, pause, plainly, fixed, say, scheme } from "/page.js";
import { sheet } from "/draw.js";

// How an event is drawn on the time line: its colour, and from where to where, from the bottom up.
const MARKS = { spawn: ["--plan", 0, 0.35], lock: ["--full", 0.35, 0.6], clear: ["--full", 0.35, 1], game_over: ["--wrong", 0, 1],
  surprise: ["--wrong", 0, 1], moved: ["--fall", 0, 1] };
// Pictures are about so far apart while nothing better is known.
const GAP_MS = 33;
let count = 0;
let marks = [];
let position = 0;
let wanted = 0;
let loading = false;
let playing = false;
let now = 0;

// Loads the wanted picture; while one is on its way only the newest wish counts.
async function load(show) {
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
      show(shown);
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
  const x = (p) => (count > 1 ? (p / (count - 1)) * (width - 2) : 0);
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
}

// Shows the pictures at their own pace or a multiple of it; what is not there in time is left out.
async function play(show) {
  const [began, began_ms, first] = [performance.now(), now, position];
  const speed = Number(at("speed").value);
  while (playing && position + 1 < count && speed === Number(at("speed").value)) {
    const gap = position > first && now > began_ms ? (now - began_ms) / (position - first) : GAP_MS;
    const due = () => began_ms + (performance.now() - began) * speed - now;
    if (due() < gap) await pause(Math.min((gap - due()) / speed, 200));
    if (!playing || due() < gap * 0.9) continue;
    wanted = Math.min(position + Math.max(1, Math.floor(due() / gap)), count - 1);
    const before = position;
    await load(show);
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

export async function replay(show, clock) {
  at("scrub").hidden = false;
  at("plan-key").hidden = !page.site.relays;
  const go = (to) => {
    wanted = Math.min(Math.max(Math.round(to), 0), Math.max(count - 1, 0));
    load(show);
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
  at("events").addEventListener("pointerdown", (event) => {
    const box = at("events").getBoundingClientRect();
    goAndHold(((event.clientX - box.left) / box.width) * (count - 1));
  });
  at("play").addEventListener("click", async () => {
    if (playing) return hold();
    playing = true;
    at("play").textContent = "Hold";
    // From its end a recording begins again.
    if (position + 1 >= count) {
      wanted = 0;
      await load(show);
    }
    // Another speed begins anew.
    while (playing && position + 1 < count) {
      const before = position;
      await play(show);
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
