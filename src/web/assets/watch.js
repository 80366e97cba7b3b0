// The robot at play, or a recording.
import { at, page, order, enter, live, allow, fixed, lasting, stopper } from "/page.js";
import { ground, overlay, board, sheet } from "/draw.js";

const BUTTONS = ["right", "left", "down", "up", "start", "select", "b", "a"];
const SHAPES = { T: ["###", ".#."], J: ["###", "..#"], Z: ["##.", ".##"], O: ["##", "##"], S: [".##", "##."], L: ["###", "#.."], I: ["####"] };
const NUMBERS = [
  ["Pieces", "pieces"], ["Lines", "lines"], ["Level", "level"], ["Points for lines", "score"],
  ["Misplaced", "misplaced"], ["Nobody steered", "adrift"], ["Surprises", "surprises"], ["Games over", "games_over"],
  ["Pictures a second", "fps", (v) => fixed(v, 1)], ["Pictures dropped", "frames_dropped"], ["Pictures stopped", "stalls"], ["Presses missed", "commands_dropped"],
  ["Picture to command", "loop_ms", (v) => `${fixed(v[0], 2)} ms`], ["at worst of 100", "loop_ms", (v) => `${fixed(v[1], 2)} ms`],
  ["Reading", "read_us", (v) => `${fixed(v, 0)} µs`], ["Planning", "plan_us", (v) => `${fixed(v, 0)} µs`],
  ["Console to picture", "eye_ms", (v) => `${fixed(v, 0)} ms`], ["Console", "console_hz", (v) => (v ? `${fixed(v, 3)} Hz` : "not known yet")],
];
const values = new Map();

function numbers(state) {
  const n = state.numbers;
  if (!n) return;
  for (const [name, key, words] of NUMBERS) {
    // A recording does not say everything.
    if (n[key] === undefined || (n[key] === null && key !== "console_hz")) continue;
    if (!values.has(name)) {
      const [group, dt, dd] = ["div", "dt", "dd"].map((tag) => document.createElement(tag));
      dt.textContent = name;
      group.append(dt, dd);
      at("numbers").append(group);
      values.set(name, dd);
    }
    const text = words ? words(n[key]) : String(n[key]);
    if (values.get(name).textContent !== text) values.get(name).textContent = text;
  }
}

const has = (cells, x, y) => Boolean(cells) && cells.some(([cx, cy]) => cx === x && cy === y);

function boards(state) {
  if (!state.marks) return;
  const { columns, rows } = state.marks;
  const seen = (x, y) => state.cells[y * columns + x];
  const believed = (x, y) => state.pile[y][x] === "#" || has(state.falling, x, y);
  // A curtain, a menu or a hand says nothing about the pile.
  const counts = state.screen === "playing";
  const differ = (x, y) => counts && ((seen(x, y) > 90 && !believed(x, y)) || (seen(x, y) < 10 && believed(x, y)));
  board(at("seen"), columns, rows, (x, y) => {
    const p = seen(x, y);
    const fill = p > 90 ? (state.pile[y][x] === "#" || !counts ? "--full" : "--fall") : p < 10 ? "--empty" : "--wrong";
    return { fill, mark: differ(x, y) };
  });
  board(at("believed"), columns, rows, (x, y) => {
    const fill = state.pile[y][x] === "#" ? "--full" : has(state.falling, x, y) ? "--fall" : "--empty";
    return { fill, mark: differ(x, y), ghost: has(state.plan?.cells, x, y) };
  });
  const shape = SHAPES[state.next] ?? [];
  board(at("next"), 4, 2, (x, y) => ({ fill: shape[y]?.[x] === "#" ? "--fall" : "--empty" }));
  at("next-name").textContent = state.next ? `next: ${state.next}` : "next: none";
  at("screen").textContent = `(${state.screen.replaceAll("_", " ")})`;
  const plan = state.plan;
  at("plan").textContent = plan
    ? `${plan.ahead ? "Ahead of time, " : ""}${plan.piece} to columns ${Math.min(...plan.cells.map((c) => c[0])) + 1} to ${Math.max(...plan.cells.map((c) => c[0])) + 1}; comes out with probability ${fixed(plan.certainty, 2)}.`
    : page.site.kind === "replay" && !page.site.relays ? "" : "No plan at the moment.";
}

function names() {
  const map = page.site?.buttons ?? {};
  return [...Array(8).keys()].map((relay) => Object.keys(map).find((b) => map[b] === relay) ?? "");
}

function lamps(state) {
  const list = at("lamps");
  if (!list.children.length) {
    names().forEach((name, relay) => {
      const li = document.createElement("li");
      li.textContent = `K${relay} ${name || "free"}`;
      list.append(li);
    });
  }
  [...list.children].forEach((li, relay) => {
    const on = Boolean((state.lamps ?? 0) >> relay & 1);
    if (li.classList.contains("on") !== on) li.classList.toggle("on", on);
  });
}

function presses(state) {
  const { g, width, height, css } = sheet(at("presses"));
  const span = 6000;
  const top = height / 8;
  const x = (t) => 44 + (width - 48) * (1 + Math.max(t, -span) / span);
  const known = names();
  g.textBaseline = "middle";
  for (let relay = 0; relay < 8; relay++) {
    g.fillStyle = css("--soft");
    g.fillText(known[relay] || `K${relay}`, 0, (relay + 0.5) * top);
    g.fillStyle = css("--line");
    g.fillRect(44, (relay + 0.5) * top, width - 48, 1);
  }
  const changes = state.presses ?? [];
  const errors = [];
  changes.forEach(([t, mask, late], i) => {
    const end = i + 1 < changes.length ? changes[i + 1][0] : 0;
    if (late !== null) errors.push(late);
    if (end < -span) return;
    for (let relay = 0; relay < 8; relay++) {
      if (!(mask >> relay & 1)) continue;
      g.fillStyle = css(late === null ? "--wrong" : "--fall");
      g.fillRect(x(t), relay * top + 2, Math.max(2, x(end) - x(t)), top - 4);
    }
  });
  const worst = errors.length ? Math.max(...errors) : null;
  errors.sort((a, b) => a - b);
  at("press-words").textContent = worst === null
    ? "Presses of the last 6 seconds."
    : `Presses of the last 6 seconds. Commands left ${fixed(errors[errors.length >> 1], 2)} ms late in the median, ${fixed(worst, 2)} ms at worst; red ones were not sent.`;
}

function heights(state) {
  const counts = state.heights ?? [];
  const rows = state.marks?.rows ?? 20;
  const total = counts.reduce((a, b) => a + b, 0);
  const { g, width, height, css } = sheet(at("heights"));
  // A logarithmic scale: the tail is a straight line on it.
  const floor = total ? Math.log10(0.5 / total) : -1;
  const y = (share) => 4 + (height - 20) * (share > 0 ? Math.min(1, Math.log10(share) / floor) : 1);
  const step = (width - 4) / (rows + 1);
  g.textAlign = "center";
  for (let h = 0; h <= rows; h++) {
    if (counts[h]) {
      g.fillStyle = css("--full");
      const t = y(counts[h] / total);
      g.fillRect(h * step + 2, t, step - 2, height - 16 - t);
    }
    g.fillStyle = css("--soft");
    if (h % 5 === 0) g.fillText(String(h), h * step + step / 2 + 1, height - 3);
  }
  const fit = state.fit;
  if (fit) {
    g.strokeStyle = css("--plan");
    g.lineWidth = 2;
    g.beginPath();
    for (const h of [fit.from, rows]) {
      const py = 4 + (height - 20) * ((fit.intercept + fit.slope * h) / floor);
      if (h === fit.from) g.moveTo(h * step + step / 2, py);
      else g.lineTo(h * step + step / 2, Math.min(py, height + 400));
    }
    g.save();
    g.rect(0, 0, width, height - 16);
    g.clip();
    g.stroke();
    g.restore();
  }
  at("fit").textContent = fit
    ? `${total} pieces. From ${fit.from} rows on each further row is reached by ${fixed(100 * 10 ** fit.slope, 0)} % as many (straightness ${fixed(fit.r_squared, 3)}): a game is expected to end after about ${Number(fit.pieces_to_end.toPrecision(2)).toLocaleString("en")} pieces.`
    : `${total} pieces, on a logarithmic scale; too few for a line through the tail yet.`;
}

function told(state) {
  const all = state.said ?? [];
  const key = all.map((said) => said.t_ms).join();
  if (at("said").dataset.key === key) return;
  at("said").dataset.key = key;
  at("said").hidden = !all.length;
  at("said-list").replaceChildren(...all.toReversed().map((said) => {
    const li = document.createElement("li");
    li.textContent = said.words;
    return li;
  }));
}

export function show({ state, picture }) {
  if (picture) {
    overlay(ground(at("picture"), picture, state.marks?.picture), state);
    picture.close();
  }
  boards(state);
  numbers(state);
  if (page.site.relays) {
    lamps(state);
    presses(state);
  }
  if (state.heights) heights(state);
  told(state);
  if (state.hold) hold(state.hold, state.screen === "paused", state.rests);
}

let rested = false;

function hold(name, isGamePaused, rests = rested) {
  const key = `${name} ${isGamePaused} ${rests}`;
  if (document.body.dataset.key === key) return;
  document.body.dataset.key = key;
  document.body.dataset.hold = name;
  document.body.dataset.gamePaused = isGamePaused ? "1" : "0";
  document.body.dataset.rests = rests ? "1" : "0";
  rested = rests;
  const running = name === "running";
  allow(at("pause"), running || name === "stepping");
  allow(at("step"), !running);
  allow(at("go"), !running || rests);
  at("go").textContent = name === "stopped" ? "Go on after STOP" : "Go on";
  const words = (text) => lasting("state", text);
  if (name === "stopped") words("Stopped: all relays are open, and the robot presses nothing until “Go on”.");
  else if (name === "paused" && isGamePaused) words("Paused, robot and game; “Go on” and “Step” press Start.");
  else if (name === "paused") words("Paused: the robot presses nothing until “Go on” or “Step”.");
  else if (rests) words("The robot rests: see “What is to mend”. Mend it, then press “Go on”; it presses Start if the game is paused.");
  else words("");
}

async function start() {
  await enter((site) => {
    at("title").textContent = site.title;
    document.title = `${site.title} · stackhand`;
    at("relays").hidden = !site.relays;
  });
  if (page.site.kind === "replay") {
    // There is no board behind a recording.
    for (const id of ["controls", "stop", "stop-hint"]) at(id).hidden = true;
    at("h-picture").textContent = "What the recording shows";
    const { replay } = await import("/replay.js");
    await replay(show);
    return;
  }
  stopper((value) => hold(value.hold));
  for (const id of ["pause", "step", "go"]) {
    at(id).addEventListener("click", async () => {
      const value = await order(id);
      if (value) hold(value.hold);
    });
  }
  live(show);
}

start();
