// A recording: go to any picture, and see what happened when.
import { at, page, order, unpack, pause, fixed, say } from "/page.js";
import { sheet } from "/draw.js";

// How an event is drawn on the time line: its colour, and from where to where, from the bottom up.
const MARKS = { spawn: ["--plan", 0, 0.35], lock: ["--full", 0.35, 0.6], clear: ["--full", 0.35, 1], game_over: ["--wrong", 0, 1],
  surprise: ["--wrong", 0, 1], moved: ["--fall", 0, 1] };
let count = 0;
let marks = [];
let position = 0;
let wanted = 0;
let loading = false;
let playing = false;
let times = [0, 0];

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
      times = [times[1], shown.state.t_ms];
      show(shown);
      tell(shown.state);
    } while (wanted !== position);
  } catch (error) {
    say(`The picture cannot be had: ${error.message}`, true);
  }
  loading = false;
}

function tell(state) {
  at("position").value = String(position);
  at("where").textContent = `${position + 1} of ${count}, ${fixed(state.t_ms / 1000, 3)} s`;
  const here = marks.filter((m) => m[0] === position).map((m) => m[2]);
  at("event").textContent = here.length ? here.join("; ") : " ";
  document.body.dataset.position = String(position);
  timeline();
}

function timeline() {
  const { g, width, height, css } = sheet(at("events"));
  const x = (p) => (count > 1 ? (p / (count - 1)) * (width - 2) : 0);
  for (const [p, kind] of marks) {
    const [colour, from, to] = MARKS[kind] ?? ["--soft", 0, 0.35];
    g.fillStyle = css(colour);
    g.fillRect(x(p), height * (1 - to), 2, height * (to - from));
  }
  g.fillStyle = css("--ink");
  g.fillRect(x(position), 0, 2, height);
}

export async function replay(show) {
  at("scrub").hidden = false;
  at("plan-key").hidden = !page.site.relays;
  const go = (to) => {
    wanted = Math.min(Math.max(Math.round(to), 0), Math.max(count - 1, 0));
    load(show);
  };
  const stop = () => {
    playing = false;
    at("play").textContent = "Play";
  };
  const by = { back: () => position - 1, forth: () => position + 1,
    before: () => marks.filter((m) => m[0] < position).at(-1)?.[0] ?? 0,
    after: () => marks.find((m) => m[0] > position)?.[0] ?? count - 1 };
  for (const [id, to] of Object.entries(by)) {
    at(id).addEventListener("click", () => {
      stop();
      go(to());
    });
  }
  at("position").addEventListener("input", () => {
    stop();
    go(Number(at("position").value));
  });
  at("events").addEventListener("pointerdown", (event) => {
    const box = at("events").getBoundingClientRect();
    stop();
    go(((event.clientX - box.left) / box.width) * (count - 1));
  });
  at("play").addEventListener("click", async () => {
    if (playing) return stop();
    playing = true;
    at("play").textContent = "Hold";
    while (playing && position + 1 < count) {
      const began = performance.now();
      wanted = position + 1;
      await load(show);
      const span = Math.min(Math.max(times[1] - times[0], 5), 200);
      await pause(Math.max(0, span - (performance.now() - began)));
    }
    stop();
  });
  window.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, textarea, summary") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { ArrowLeft: event.shiftKey ? "before" : "back", ArrowRight: event.shiftKey ? "after" : "forth" };
    if (keys[event.key]) {
      event.preventDefault();
      at(keys[event.key]).click();
    }
  });
  at("export").addEventListener("click", async () => {
    const value = await order("export", { from: Number(at("from").value) - 1, to: Number(at("to").value) - 1 });
    if (value) at("exported").textContent = value.words;
  });
  window.addEventListener("resize", timeline);
  let shown = false;
  for (let done = false; ;) {
    const value = await order("reel", { since: marks.length });
    if (value) {
      // What became certain late is told late.
      marks = marks.concat(value.marks).sort((a, b) => a[0] - b[0]);
      const grew = value.count !== count;
      count = value.count;
      done = value.done && value.marks.length === 0;
      at("position").max = String(Math.max(count - 1, 0));
      if (grew) {
        for (const id of ["from", "to"]) Object.assign(at(id), { min: "1", max: String(count) });
        if (at("from").value === "0") at("from").value = "1";
        if (document.activeElement !== at("to")) at("to").value = String(Math.min(count, Number(at("from").value) + 299));
      }
      if (value.export) at("exported").textContent = value.export;
      at("title").dataset.done = done ? "1" : "0";
      if (count && !shown) {
        shown = true;
        go(0);
      } else if (grew && count) timeline();
    }
    await pause(done ? 1500 : 400);
  }
}
