// The robot at play, or a recording.
import { at, page, ask, order, enter, live, allow, fixed, pause, hand, headline, called, scheme, stopper } from "/page.js";
import { ground, overlay, board, sheet, turned, turner } from "/draw.js";

const BUTTONS = ["right", "left", "down", "up", "start", "select", "b", "a"];
const SHAPES = { T: ["###", ".#."], J: ["###", "..#"], Z: ["##.", ".##"], O: ["##", "##"], S: [".##", "##."], L: ["###", "#.."], I: ["####"] };
// The first four that there are stand large.
const LARGE = 4;
const NUMBERS = [
  ["Pieces", "pieces"], ["Lines", "lines"], ["Misplaced", "misplaced"], ["Pictures a second", "fps", (v) => fixed(v, 1)],
  ["Level", "level"], ["Points for lines", "score"],
  ["Nobody steered", "adrift"], ["Surprises", "surprises"], ["Games over", "games_over"], ["Pictures dropped", "frames_dropped"], ["Pictures stopped", "stalls"], ["Presses missed", "commands_dropped"],
  ["Picture to command", "loop_ms", (v) => `${fixed(v[0], 2)} ms`], ["at worst of 100", "loop_ms", (v) => `${fixed(v[1], 2)} ms`],
  ["Reading", "read_us", (v) => `${fixed(v, 0)} µs`], ["Planning", "plan_us", (v) => `${fixed(v, 0)} µs`],
  ["Console to picture", "eye_ms", (v) => `${fixed(v, 0)} ms`], ["Console", "console_hz", (v) => (v ? `${fixed(v, 3)} Hz` : "not known yet")],
];
const values = new Map();
// What the game's screen means: how it looks, a word, and what follows.
const PLAYING = ["play", "Playing", ""];
const SCREENS = {
  playing: PLAYING, line_clear: PLAYING,
  paused: ["pause", "Game paused", "It goes on when Start is pressed."],
  game_over: ["over", "Game over", ""],
  menu: ["over", "No game", "Another screen of the game is shown."],
  not_this_game: ["bad", "Not seen", "The picture shows something else than this game."],
  obscured: ["bad", "Not seen", "Something stands before the field, or it cannot be read."],
};
// The newest picture's state, to draw it again.
let last = null;
let picture = null;

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
      const isLarge = at("numbers").children.length < LARGE;
      at(isLarge ? "numbers" : "more-numbers").append(group);
      if (!isLarge) at("more").hidden = false;
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
    // A pause hides the cells: that is no alarm.
    const unknown = { fill: counts ? "--wrong-cell" : "--hidden-cell", letter: counts ? "?" : "" };
    if (p >= 10 && p <= 90) return unknown;
    const fill = p < 10 ? "--empty" : state.pile[y][x] === "#" || !counts ? "--full" : "--fall";
    return { fill, mark: differ(x, y) };
  });
  const other = state.plan?.choices?.find((choice) => !choice.taken)?.cells;
  at("other-key").hidden = !other;
  board(at("believed"), columns, rows, (x, y) => {
    const fill = state.pile[y][x] === "#" ? "--full" : has(state.falling, x, y) ? "--fall" : "--empty";
    return { fill, mark: differ(x, y), ghost: has(state.plan?.cells, x, y), other: has(other, x, y) };
  });
  const shape = SHAPES[state.next] ?? [];
  board(at("next"), 4, 2, (x, y) => ({ fill: shape[y]?.[x] === "#" ? "--fall" : "--empty" }));
  at("next-name").textContent = state.next ? `next: ${state.next}` : "next: none";
  at("plan").textContent = planned(state.plan);
  thoughts(state.plan);
}

// Why a place was not taken.
const FATES = { open: "less", too_far: "too far", uncertain: "not certain" };
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

// The best places, what each is worth, and what the game is expected to bring.
function thoughts(plan) {
  const choices = plan?.choices ?? [];
  at("thoughts").hidden = !choices.length;
  if (!choices.length) return;
  const inPoints = plan.points !== null && plan.points !== undefined;
  at("expected").textContent = inPoints
    ? `Expects ${whole.format(plan.points)} points from here on, each piece later counting a little less.`
    : "";
  at("worth").textContent = inPoints ? "Points" : "Cost";
  const rows = choices.map((choice) => {
    const row = document.createElement("tr");
    if (choice.taken) row.className = "taken";
    const worth = inPoints ? whole.format(choice.points) : fixed(choice.cost, 1);
    const words = [place(choice.cells), worth, choice.taken ? "taken" : FATES[choice.fate] ?? ""];
    words.forEach((text, column) => {
      const cell = document.createElement("td");
      if (column === 1) cell.className = "number";
      cell.textContent = text;
      row.append(cell);
    });
    return row;
  });
  at("choices").replaceChildren(...rows);
}

function planned(plan) {
  if (!plan) return page.site.kind === "replay" && !page.site.relays ? "" : "No plan at the moment.";
  const percent = Math.min(Math.round(plan.certainty * 100), 100);
  return `${plan.ahead ? "Ahead of time: " : ""}${plan.piece} to ${place(plan.cells)}, ${percent === 100 ? "certain" : `${percent} % sure`}.`;
}

function place(cells) {
  const columns = cells.map(([x]) => x + 1);
  const [first, end] = [Math.min(...columns), Math.max(...columns)];
  return first === end ? `column ${first}` : `columns ${first} to ${end}`;
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

// A person's words, with what stands between backquotes as code.
function spelled(words) {
  return words.split("`").map((part, i) => (i & 1 ? Object.assign(document.createElement("code"), { textContent: part }) : part));
}

function told(state) {
  const all = state.said ?? [];
  const key = all.map((said) => said.t_ms).join();
  if (at("said").dataset.key === key) return;
  at("said").dataset.key = key;
  at("said").hidden = !all.length;
  const [newest, ...older] = all.toReversed().map((said) => {
    const li = document.createElement("li");
    li.append(...spelled(said.words));
    return li;
  });
  at("said-list").replaceChildren(...(newest ? [newest] : []));
  at("said-older").replaceChildren(...older);
  at("said-before").hidden = !older.length;
}

// Lines of the program's log that are on the page, and whether more are being asked for.
let logged = 0;
let isAsking = false;

async function log(state) {
  at("log").hidden = state.told === undefined;
  if (isAsking || state.told === undefined || state.told === logged) return;
  isAsking = true;
  try {
    const { count, lines } = await ask("log", { since: logged });
    logged = count;
    at("log-count").textContent = String(count);
    const list = at("log-lines");
    for (const [ms, words] of lines) {
      const li = document.createElement("li");
      const time = Object.assign(document.createElement("time"), { textContent: clock(ms) });
      const text = document.createElement("span");
      text.append(...spelled(words));
      li.append(time, " ", text);
      list.prepend(li);
    }
    while (list.children.length > 100) list.lastChild.remove();
  } catch {
    // The picture's own request tells that there is no connection.
    await pause(1000);
  }
  isAsking = false;
}

// Hours, minutes and seconds of a run.
export function clock(ms) {
  const s = Math.floor(ms / 1000);
  const two = (n) => String(n % 60).padStart(2, "0");
  return `${s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60))}` : Math.floor(s / 60)}:${two(s)}`;
}

// The recording that is made, as far as it goes by now, or the one that is shown.
export function recorded(file, words, note) {
  at("recorded").hidden = !file;
  hand("get-recording", "recording", file, words);
  at("recorded-words").textContent = note;
}

// What is drawn in the page's colours.
function draw() {
  if (!last) return;
  boards(last);
  if (page.site.relays) presses(last);
  if (last.heights) heights(last);
}

function drawPicture() {
  if (picture) overlay(ground(at("picture"), picture, last.marks?.picture, turned()), last);
}

export function show({ state, picture: shown }) {
  last = state;
  if (shown) {
    picture?.close();
    picture = shown;
    drawPicture();
  }
  draw();
  numbers(state);
  if (page.site.relays) lamps(state);
  told(state);
  log(state);
  if (state.recording) recorded(state.recording, "Download what is recorded so far", "The run goes on being recorded; what you get ends here, and is replayed like any other.");
  if (state.hold) hold(state.hold, state.screen === "paused", state.rests);
  tell(state);
}

// How the robot is held comes before what the game does.
function tell(state) {
  const { hold: held, gamePaused, rests } = document.body.dataset;
  if (held === "stopped") return headline("stop", "Stopped", "All relays are open. The robot presses nothing until “Go on”.", true);
  if (held === "paused") {
    const words = gamePaused === "1" ? "Robot and game. “Go on” and “Step” press Start." : "The robot presses nothing until “Go on” or “Step”.";
    return headline("pause", "Paused", words, true);
  }
  if (rests === "1") return headline("rest", "Resting", "See “What is to mend”. Mend it, then press “Go on”; it presses Start if the game is paused.", true);
  if (held === "stepping") return headline("step", "One step", "Then it pauses.", true);
  const [kind, word, words] = SCREENS[state?.screen] ?? PLAYING;
  headline(kind, word, words, page.site.kind === "replay");
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
  tell(last);
}

async function start() {
  await enter((site) => {
    // Whether it plays is for the line below to say.
    const title = site.title.replace(/^Playing +/, "");
    at("title").textContent = title[0].toUpperCase() + title.slice(1);
    called(`${title} · stackhand`);
    at("relays").hidden = !site.relays;
  });
  turner(at("turn"), drawPicture);
  scheme.addEventListener("change", draw);
  window.addEventListener("resize", draw);
  at("h-heights").addEventListener("toggle", draw);
  if (page.site.kind === "replay") {
    // There is no board behind a recording.
    for (const id of ["controls", "stop", "stop-hint"]) at(id).hidden = true;
    at("h-picture").textContent = "What the recording shows";
    recorded(page.site.recording, "Download this recording", "");
    // The time line needs the room under the picture.
    document.querySelectorAll(".column")[1].append(at("relays"), at("h-heights"));
    const { replay } = await import("/replay.js");
    await replay(show, clock);
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
