// The page on which a person calibrates.
import { at, page, ask, order, enter, live, allow, fixed, say, headline, stopper } from "/page.js";
import { ground, overlay, turned, turner } from "/draw.js";

const CORNERS = [0, 1, 2, 3].map((i) => at(`corner${i}`));
const NAMES = { a: "A", b: "B" };
const name = (button) => NAMES[button] ?? button[0].toUpperCase() + button.slice(1);
// A quiet computer gets its pictures more evenly than this.
const JITTER_MS = 10;
// What the finger or the mouse holds, until the server has shown it.
let held = null;
let drags = Math.floor(Math.random() * 1e9);
let last = null;
let picture = null;
// Whether Save has been pressed once, and what speaks against it was said.
let isAsked = false;
// A question that nobody answers is taken back.
const QUESTION_MS = 12000;
// How long the loupe stays after a nudge.
const LENS_MS = 1500;

// Orders go one after the other; of many moves only the newest is sent.
let sending = false;
const waiting = new Map();
async function send(key, what, more) {
  waiting.set(key, [what, more]);
  if (sending) return;
  sending = true;
  while (waiting.size) {
    const [next, [whatNext, moreNext]] = waiting.entries().next().value;
    waiting.delete(next);
    await order(whatNext, moreNext);
  }
  sending = false;
}

function toPicture(event) {
  const box = at("picture").getBoundingClientRect();
  const scale = at("picture").width / box.width;
  const { x, y } = onCanvas().inverse().transformPoint({ x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale });
  return [x, y];
}

// From the picture's pixels to the canvas's: it may be turned.
const onCanvas = () => at("picture").getContext("2d").getTransform();

const inside = ([x, y]) => [Math.min(Math.max(x, 0), last.size[0]), Math.min(Math.max(y, 0), last.size[1])];
const round = (point) => point.map((v) => Math.round(v * 10) / 10);

function place() {
  if (!last) return;
  const canvas = at("picture");
  const corners = last.corners.map((corner, i) => (held?.corner === i ? held.to : corner));
  const scale = canvas.clientWidth / canvas.width;
  const turn = onCanvas();
  corners.forEach((corner, i) => {
    const { x, y } = turn.transformPoint({ x: corner[0], y: corner[1] });
    CORNERS[i].style.left = `${Math.min(Math.max(x * scale, 0), canvas.clientWidth)}px`;
    CORNERS[i].style.top = `${Math.min(Math.max(y * scale, 0), canvas.clientHeight)}px`;
  });
  return corners;
}

function magnify(point) {
  const lens = at("lens");
  lens.hidden = !point || !picture;
  if (lens.hidden) return;
  // On the side where the finger is not.
  const { x } = onCanvas().transformPoint({ x: point[0], y: point[1] });
  lens.className = `lens ${x > at("picture").width / 2 ? "left" : "right"}`;
  const g = lens.getContext("2d");
  const zoom = 6;
  const part = lens.width / zoom;
  g.imageSmoothingEnabled = false;
  g.fillStyle = "#000";
  g.fillRect(0, 0, lens.width, lens.height);
  const [w, h] = last.marks?.picture ?? [picture.width, picture.height];
  g.save();
  g.scale(zoom, zoom);
  g.translate(part / 2, part / 2);
  g.rotate(turned() * Math.PI / 2);
  g.translate(-point[0], -point[1]);
  g.drawImage(picture, 0, 0, w, h);
  g.restore();
  g.strokeStyle = "#ffdc00";
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(0, lens.height / 2);
  g.lineTo(lens.width, lens.height / 2);
  g.moveTo(lens.width / 2, 0);
  g.lineTo(lens.width / 2, lens.height);
  g.stroke();
}

function moveCorner(corner, to, drag) {
  held = { corner, to: round(inside(to)), drag };
  draw();
  magnify(held.to);
  send(`corner${corner}`, "corner", { corner, to: held.to, drag });
}

CORNERS.forEach((button, corner) => {
  button.addEventListener("pointerdown", (event) => {
    if (!page.hand || !last) return;
    button.setPointerCapture(event.pointerId);
    const start = toPicture(event);
    // The finger need not hit the corner's middle.
    const grip = [last.corners[corner][0] - start[0], last.corners[corner][1] - start[1]];
    const drag = (drags += 1);
    const move = (e) => {
      const [x, y] = toPicture(e);
      moveCorner(corner, [x + grip[0], y + grip[1]], drag);
    };
    const end = () => {
      button.removeEventListener("pointermove", move);
      held = null;
      magnify(null);
    };
    button.addEventListener("pointermove", move);
    button.addEventListener("pointerup", end, { once: true });
    button.addEventListener("pointercancel", end, { once: true });
  });
  button.addEventListener("focus", () => last && button.matches(":focus-visible") && magnify(last.corners[corner]));
  button.addEventListener("blur", () => magnify(null));
});

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const SIDES = ["left", "top", "right", "bottom"];

// As it is seen on a picture that may be turned: a direction, and a border.
function inPicture([x, y]) {
  for (let i = 0; i < turned(); i++) [x, y] = [y, -x];
  return [x, y];
}
const borderOf = (side) => SIDES[(SIDES.indexOf(side) - turned() + 4) % 4];

function nudgeCorner(corner, arrow, by) {
  const [x, y] = inPicture(arrow);
  const [cx, cy] = last.corners[corner];
  last.corners[corner] = round([cx + x * by, cy + y * by]);
  magnify(last.corners[corner]);
  order("corner", { corner, to: last.corners[corner], drag: (drags += 1) });
}

function nudgeBorder(side, arrow, by) {
  const [x, y] = inPicture(arrow);
  order("nudge", { side: borderOf(side), by: (x + y) * by });
}

// The same for a finger: what is chosen, by as much as is chosen.
let lensEnds = 0;
function nudge(arrow) {
  if (!last) return;
  const [what, by] = [at("nudge-what").value, Number(at("nudge-by").value)];
  if (SIDES.includes(what)) return nudgeBorder(what, arrow, by);
  nudgeCorner(Number(what), arrow, by);
  clearTimeout(lensEnds);
  lensEnds = setTimeout(() => magnify(null), LENS_MS);
}

// A border moves across itself only.
function allowNudges() {
  const what = at("nudge-what").value;
  for (const [key, [x]] of Object.entries(ARROWS)) {
    const isAlong = SIDES.includes(what) && Boolean(x) !== ["left", "right"].includes(what);
    allow(at(`nudge-${key}`), !isAlong);
  }
}

window.addEventListener("keydown", (event) => {
  const control = event.target.closest("input, select, textarea");
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !control) {
    event.preventDefault();
    order(event.shiftKey ? "redo" : "undo");
    return;
  }
  const arrow = ARROWS[event.key];
  if (!arrow || control || !page.hand || !last) return;
  event.preventDefault();
  const by = event.altKey ? 0.1 : 1;
  const corner = CORNERS.indexOf(document.activeElement);
  if (corner >= 0) return nudgeCorner(corner, arrow, by);
  const side = arrow[0] ? (event.shiftKey ? "right" : "left") : event.shiftKey ? "bottom" : "top";
  nudgeBorder(side, arrow, by);
}, { capture: true });

function draw() {
  if (!picture || !last) return;
  const g = ground(at("picture"), picture, last.marks?.picture ?? last.size, turned());
  overlay(g, { ...last, cells: last.cells ?? [] });
  const corners = place();
  if (!held) return;
  // While a corner moves, its lines are ahead of the server's.
  g.strokeStyle = "#ffffff";
  g.lineWidth = 1.5;
  g.beginPath();
  corners.forEach(([x, y], i) => (i ? g.lineTo(x, y) : g.moveTo(x, y)));
  g.closePath();
  g.stroke();
}

// --- words ---

const isUnclear = (percent) => percent >= 10 && percent <= 90;
const NO_GAME = "Start one, or move the corners.";
const SCREENS = {
  paused: ["pause", "Game paused", "No cell can be told until it goes on."],
  game_over: ["over", "Game over", "Start the next one to go on."],
  menu: ["over", "No game", NO_GAME],
  not_this_game: ["bad", "No game", NO_GAME],
  obscured: ["bad", "Not seen", "Something stands before the field, or the corners are not on it."],
};

// The one line for somebody with a tripod in one hand.
function tell(state, unclear) {
  const cells = state.cells?.length ?? 0;
  const { presses } = state.measurement;
  if (state.problem) return headline("bad", "Trouble", "See “What to mend”.");
  if (presses) return headline("play", "Measuring", `${presses[0]} of ${presses[1]} presses.`);
  if (state.searching) return headline("wait", "Searching", "The field is being looked for.");
  if (!cells) return headline("bad", "No field", "Nothing can be read with these corners.");
  if (SCREENS[state.screen]) return headline(...SCREENS[state.screen]);
  if (unclear > cells * 0.03) return headline("over", "Unclear", `${unclear} of ${cells} cells cannot be told.`);
  headline("good", "Field found", `${unclear || "No"} ${unclear === 1 ? "cell" : "cells"} unclear; ${state.saved ? "saved" : "not saved yet"}.`);
}

// For a shell, whatever is in it.
const quoted = (text) => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

// A command that does the same; the simulated table has its own board.
function latencyCommand(state) {
  const source = state.source ?? "camera:0";
  // With none, or the table's, nothing can be measured there.
  const isReal = state.relay && !/^(none|sim(:.*)?)$/.test(state.relay);
  const relay = source === "sim" ? "sim" : isReal ? state.relay : "adr2200:/dev/ttyUSB0";
  const options = { source, layout: state.layout, relay, profile: page.site.profile };
  return `stackhand calibrate --latency ${Object.entries(options).map(([key, value]) => `--${key} ${quoted(value)}`).join(" ")}`;
}

// What to mend, and whether Start might help.
function advices(state) {
  const canStart = state.board.ready && state.buttons.start !== undefined && !state.measurement.presses;
  const own = { paused: "The game is paused: let it go on.", game_over: "The game is over: start the next one." }[state.screen];
  const isNoGame = (text) => text.startsWith("No game is seen");
  const others = state.warnings.filter((text) => !own || !isNoGame(text)).map((text) => [text, canStart && isNoGame(text)]);
  return [...(state.problem ? [[state.problem, false]] : []), ...(own ? [[own, canStart]] : []), ...others];
}

// A game that waits for Start can be given it here.
function advised([text, hasStart]) {
  const li = item(text || "Nothing: the picture is good.", text ? "bar row" : "fine");
  if (!hasStart) return li;
  const start = Object.assign(document.createElement("button"), { id: "press-start", textContent: "Press Start" });
  start.dataset.hand = "";
  start.disabled = !page.hand;
  start.addEventListener("click", () => order("test", { button: "start" }));
  li.append(start);
  return li;
}

function step([text, isDone, hint]) {
  const li = item(text, isDone ? "done" : "open");
  if (!isDone && hint) li.append(Object.assign(document.createElement("span"), { className: "small soft", textContent: ` (${hint})` }));
  return li;
}

function list(element, texts, make) {
  const key = JSON.stringify(texts);
  if (element.dataset.key === key) return;
  element.dataset.key = key;
  element.replaceChildren(...texts.map(make));
}

function item(text, kind) {
  const li = document.createElement("li");
  li.textContent = text;
  li.className = kind ?? "";
  return li;
}

function words(state) {
  const unclear = (state.cells ?? []).filter(isUnclear).length;
  tell(state, unclear);
  list(at("steps"), state.steps, step);
  const advice = advices(state);
  list(at("advice"), advice.length ? advice : [["", false]], advised);
  const rate = state.fps ? `${fixed(state.fps, 1)} pictures a second` : "measuring the rate";
  const found = state.searching ? "the field is being searched" : state.error_px ? `found by itself, ± ${fixed(state.error_px, 1)} px` : "placed by hand";
  at("facts").textContent = `${state.size[0]} × ${state.size[1]} px, ${rate}; ${found}.`;
  const read = (seen) => (!seen ? "–" : seen.piece ? `${seen.piece} (${fixed(seen.confidence * 100, 0)} %)` : seen.unknown ? "cannot be told" : "nothing");
  const screen = state.screen ? state.screen.replaceAll("_", " ") : "nothing can be read";
  at("reading").textContent = `Screen: ${screen}. Spawn place: ${read(state.spawn)}. Next: ${read(state.next)}. Cells that cannot be told: ${unclear}.`;
  at("file").textContent = state.saved ? `${page.site.profile} holds what is seen here.` : `Not saved yet; Save writes ${page.site.profile}.`;
  document.body.dataset.saved = state.saved ? "1" : "0";
  at("latency").textContent = latencyCommand(state);
  for (const [id, value] of [["source", state.source], ["layout", state.layout]]) {
    if (document.activeElement !== at(id) && value && at(id).value !== value) at(id).value = value;
  }
  if (!state.doubt) takeBack();
  allow(at("undo"), state.undo);
  allow(at("redo"), state.redo);
}

// --- saving ---

function takeBack() {
  if (!isAsked) return;
  isAsked = false;
  at("save").textContent = "Save";
  say("");
}

// What speaks against it is said before the file's last field is gone.
async function save() {
  if (last?.doubt && !isAsked) {
    isAsked = true;
    at("save").textContent = "Save all the same";
    say(`${last.doubt} Press again to save all the same; a file that is there stays beside it as ${page.site.profile}~.`, true);
    setTimeout(takeBack, QUESTION_MS);
    return;
  }
  takeBack();
  const value = await order("save");
  if (value) say(`Saved to ${value.saved}.`);
}

// --- the relay board ---

const PORT = "PATH";
// What may be chosen, for pictures of this kind.
let offered = { boards: [], ports: [], simulated: null };

// A list keeps what was chosen while it is offered.
function fill(select, options, wanted) {
  const before = select.value || wanted;
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  select.value = options.some(([value]) => value === before) ? before : options[0]?.[0] ?? "";
}

async function lookForBoards(simulated) {
  offered.simulated = simulated;
  const found = await ask("boards").catch(() => null);
  // Asked again with the next picture.
  if (!found) return Object.assign(offered, { simulated: null });
  Object.assign(offered, found);
  const noted = last?.relay ?? "";
  const isNoted = ([kind]) => kind === noted || (kind.includes(PORT) && offered.ports.some(([path]) => kind.replace(PORT, path) === noted));
  fill(at("board-kind"), offered.boards, offered.boards.find(isNoted)?.[0] ?? last?.board.name);
  fill(at("board-port"), offered.ports, offered.ports.find(([path]) => noted.includes(path))?.[0]);
}

const needsPort = () => at("board-kind").value.includes(PORT);

function board(state) {
  const { name, ready, changing, problem, simulated } = state.board;
  if (offered.simulated !== simulated) lookForBoards(simulated);
  const text = changing ? (changing === "none" ? "The board is being released …" : `Opening ${changing} …`)
    : problem ?? (ready ? `In use: ${name}` : "None is in use.");
  if (at("board-state").textContent !== text) at("board-state").textContent = text;
  at("board-state").classList.toggle("wrong", Boolean(problem) && !changing);
  at("no-relays").hidden = ready;
  const hasPort = !needsPort() || offered.ports.length > 0;
  const use = at("board-kind").value === "none" ? "Use none" : "Use this board";
  if (at("board-use").textContent !== use) at("board-use").textContent = use;
  allow(at("board-use"), !changing && hasPort && !state.measurement.presses);
  allow(at("board-kind"), !changing);
  allow(at("board-port"), !changing && needsPort() && hasPort);
  const hint = simulated ? "The picture is simulated, so only the simulated board can press; choose a camera to use a real one."
    : hasPort ? "The board that is used is opened and let go before another is opened." : "No serial port is found: plug in the board's cable, then look again.";
  if (at("board-hint").textContent !== hint) at("board-hint").textContent = hint;
}

function useBoard() {
  order("relay", { name: at("board-kind").value.replace(PORT, at("board-port").value) });
}

// What STOP came to, whatever is being done to the board.
function stopped({ opened, changing }) {
  if (changing) return say(`${opened === null ? "No relay board is in use yet" : "All relays are open"}; the board is being changed, and nothing is pressed meanwhile.`);
  say(opened === null ? "There is no relay board to open." : "All relays are open.");
}

function buttons(state) {
  const body = at("buttons").tBodies[0];
  if (!body.children.length) {
    for (const button of page.site.button_names) {
      const row = body.insertRow();
      row.insertCell().textContent = name(button);
      const choice = document.createElement("select");
      choice.dataset.hand = "";
      choice.id = `relay-${button}`;
      choice.setAttribute("aria-label", `Relay of ${name(button)}`);
      choice.append(new Option("none", ""), ...[...Array(8).keys()].map((k) => new Option(`K${k}`, String(k))));
      choice.disabled = !page.hand;
      choice.addEventListener("change", () => order("button", { button, relay: choice.value === "" ? null : Number(choice.value) }));
      row.insertCell().append(choice);
      const test = document.createElement("button");
      test.dataset.hand = "";
      test.id = `test-${button}`;
      test.textContent = "Test";
      test.setAttribute("aria-label", `Test ${name(button)}`);
      test.disabled = !page.hand;
      test.addEventListener("click", () => order("test", { button }));
      row.insertCell().append(test);
    }
  }
  for (const button of page.site.button_names) {
    const relay = state.buttons[button];
    const choice = at(`relay-${button}`);
    const value = relay === undefined ? "" : String(relay);
    if (document.activeElement !== choice && choice.value !== value) choice.value = value;
    const test = at(`test-${button}`);
    allow(test, state.board.ready && relay !== undefined);
    const closed = relay !== undefined && Boolean((state.lamps ?? 0) >> relay & 1);
    const text = closed ? "pressed" : state.tested.includes(button) ? "Test again" : "Test";
    if (test.textContent !== text) test.textContent = text;
  }
}

function times(state) {
  const { eye, close, open } = state.timing;
  const rows = [["console's poll to its picture", eye], ["command to closed contact", close], ["command to open contact", open]]
    .map(([text, time]) => [text, `${fixed(time.ms, 1)} ms`, `± ${fixed(time.spread_ms, 1)} ms`]);
  list(at("times").tBodies[0], rows, (cells) => {
    const row = document.createElement("tr");
    for (const text of cells) row.insertCell().textContent = text;
    return row;
  });
  const m = state.measured;
  const from = m
    ? `Measured on ${m.date} with ${m.presses} presses and ${m.releases} releases; poll and contact together ${fixed(m.eye_and_close.ms, 1)} ms, known to ± ${fixed(2 * m.eye_and_close_error_ms, 1)} ms.${m.arrival_jitter_ms > JITTER_MS ? ` Pictures came up to ${fixed(m.arrival_jitter_ms, 0)} ms early or late, which widens the spread: let this computer do nothing else, and measure again.` : ""}`
    : "Typical times: not measured on this rig yet.";
  if (at("times-from").textContent !== from) at("times-from").textContent = from;
  const { presses, took_s, words } = state.measurement;
  const text = presses ? "End" : m ? "Measure again" : "Measure on this rig";
  if (at("measure").textContent !== text) at("measure").textContent = text;
  at("measure").dataset.running = presses ? "1" : "";
  allow(at("measure"), state.board.ready);
  at("measure-bar").hidden = !presses;
  if (presses) Object.assign(at("measure-bar"), { value: presses[0], max: presses[1] });
  const told = presses ? `${presses[0]} of ${presses[1]} presses, ${fixed(Math.floor(took_s / 5) * 5, 0)} s` : words ?? "";
  if (at("measure-words").textContent !== told) at("measure-words").textContent = told;
}

function controls(state) {
  at("controls-section").hidden = !state.controls.length;
  const body = at("controls").tBodies[0];
  list(body, state.controls.map((c) => [c.id, c.name, c.min, c.max, c.step, c.is_switch]), ([id, label, min, max, step, isSwitch]) => {
    const row = document.createElement("tr");
    row.insertCell().textContent = label;
    if (isSwitch) {
      const box = Object.assign(document.createElement("input"), { type: "checkbox", id: `control-${id}` });
      box.dataset.hand = "";
      box.setAttribute("aria-label", label);
      box.addEventListener("change", () => order("control", { id, value: box.checked ? 1 : 0 }));
      row.insertCell().append(box);
      row.insertCell();
      return row;
    }
    const range = Object.assign(document.createElement("input"), { type: "range", min, max, step, id: `control-${id}` });
    range.dataset.hand = "";
    range.setAttribute("aria-label", label);
    range.addEventListener("change", () => order("control", { id, value: Number(range.value) }));
    const read = document.createElement("span");
    read.className = "small";
    row.insertCell().append(range, read);
    const auto = Object.assign(document.createElement("input"), { type: "checkbox", id: `auto-${id}` });
    auto.dataset.hand = "";
    auto.setAttribute("aria-label", `${label}: automatic`);
    auto.addEventListener("change", () => order("control", { id, value: auto.checked ? null : Number(range.value) }));
    row.insertCell().append(auto);
    return row;
  });
  for (const control of state.controls) {
    const range = at(`control-${control.id}`);
    if (control.is_switch) {
      range.checked = control.value === 1;
      continue;
    }
    if (document.activeElement !== range) range.value = String(control.value);
    range.nextSibling.textContent = ` ${control.value}${control.is_automatic === false ? " (locked)" : ""}`;
    const auto = at(`auto-${control.id}`);
    auto.checked = control.is_automatic === true;
    auto.hidden = control.is_automatic === null;
  }
}

function show({ state, picture: shown, strip }) {
  if (shown) {
    picture?.close();
    picture = shown;
  }
  state.size = state.marks?.picture ?? [picture.width, picture.height];
  last = state;
  draw();
  if (strip) {
    ground(at("strip"), strip).canvas.dataset.shown = "1";
    strip.close();
  }
  words(state);
  board(state);
  buttons(state);
  controls(state);
  times(state);
  document.body.dataset.corners = JSON.stringify(state.corners);
  document.body.dataset.searching = state.searching ? "1" : "0";
}

function offer(id, options) {
  at(id).replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  at(id).addEventListener("change", () => order(id, { name: at(id).value }));
}

async function start() {
  await enter((site) => {
    offer("source", site.sources);
    offer("layout", site.layouts);
  });
  for (const id of ["undo", "redo", "find"]) at(id).addEventListener("click", () => order(id));
  at("save").addEventListener("click", save);
  for (const [key, arrow] of Object.entries(ARROWS)) at(`nudge-${key}`).addEventListener("click", () => nudge(arrow));
  at("nudge-what").addEventListener("change", allowNudges);
  turner(at("turn"), draw);
  at("load").addEventListener("click", async () => {
    const value = await order("load");
    if (value) say(`Loaded ${value.loaded}.`);
  });
  at("measure").addEventListener("click", () => order(at("measure").dataset.running ? "measure_end" : "measure"));
  at("board-use").addEventListener("click", useBoard);
  at("board-look").addEventListener("click", () => lookForBoards(last?.board.simulated ?? null));
  for (const id of ["board-kind", "board-port"]) at(id).addEventListener("change", () => last && board(last));
  stopper(stopped);
  window.addEventListener("resize", place);
  live(show);
}

start();
