// The page on which a person calibrates.
import { at, page, order, enter, live, allow, fixed, say, stopper } from "/page.js";
import { ground, overlay } from "/draw.js";

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
  return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
}

const inside = ([x, y]) => [Math.min(Math.max(x, 0), at("picture").width), Math.min(Math.max(y, 0), at("picture").height)];
const round = (point) => point.map((v) => Math.round(v * 10) / 10);

function place() {
  if (!last) return;
  const canvas = at("picture");
  const corners = last.corners.map((corner, i) => (held?.corner === i ? held.to : corner));
  const scale = canvas.clientWidth / canvas.width;
  corners.forEach(([x, y], i) => {
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
  lens.className = `lens ${point[0] > at("picture").width / 2 ? "left" : "right"}`;
  const g = lens.getContext("2d");
  const zoom = 6;
  const part = lens.width / zoom;
  g.imageSmoothingEnabled = false;
  g.fillStyle = "#000";
  g.fillRect(0, 0, lens.width, lens.height);
  const [w, h] = last.marks?.picture ?? [picture.width, picture.height];
  g.save();
  g.scale(zoom, zoom);
  g.translate(part / 2 - point[0], part / 2 - point[1]);
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
  if (corner >= 0) {
    const [x, y] = last.corners[corner];
    last.corners[corner] = round([x + arrow[0] * by, y + arrow[1] * by]);
    magnify(last.corners[corner]);
    order("corner", { corner, to: last.corners[corner], drag: (drags += 1) });
    return;
  }
  const side = arrow[0] ? (event.shiftKey ? "right" : "left") : event.shiftKey ? "bottom" : "top";
  order("nudge", { side, by: (arrow[0] + arrow[1]) * by });
}, { capture: true });

function draw() {
  if (!picture || !last) return;
  const g = ground(at("picture"), picture, last.marks?.picture ?? last.size);
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
  list(at("steps"), state.steps, ([text, done]) => item(text, done ? "done" : "open"));
  const advice = [...(state.problem ? [state.problem] : []), ...state.warnings];
  list(at("advice"), advice.length ? advice : [""], (text) => item(text || "Nothing: the picture is good.", text ? "bar" : "fine"));
  const rate = state.fps ? `${fixed(state.fps, 1)} pictures a second` : "measuring the rate";
  const found = state.searching ? "the field is being searched" : state.error_px ? `found by itself, ± ${fixed(state.error_px, 1)} px` : "placed by hand";
  at("facts").textContent = `${state.size[0]} × ${state.size[1]} px, ${rate}; ${found}.`;
  const read = (seen) => (!seen ? "–" : seen.piece ? `${seen.piece} (${fixed(seen.confidence * 100, 0)} %)` : seen.unknown ? "cannot be told" : "nothing");
  const unknown = (state.cells ?? []).filter((p) => p >= 10 && p <= 90).length;
  const screen = state.screen ? state.screen.replaceAll("_", " ") : "nothing can be read";
  at("reading").textContent = `Screen: ${screen}. Spawn place: ${read(state.spawn)}. Next: ${read(state.next)}. Cells that cannot be told: ${unknown}.`;
  at("file").textContent = state.saved ? `${page.site.profile} holds what is seen here.` : `Not saved yet; Save writes ${page.site.profile}.`;
  document.body.dataset.saved = state.saved ? "1" : "0";
  const relay = state.relay ?? "adr2200:/dev/ttyUSB0";
  at("latency").textContent = `stackhand calibrate --latency --source ${state.source ?? "camera:0"} --layout ${state.layout} --relay ${relay} --profile ${page.site.profile}`;
  for (const [id, value] of [["source", state.source], ["layout", state.layout]]) {
    if (document.activeElement !== at(id) && value && at(id).value !== value) at(id).value = value;
  }
  allow(at("undo"), state.undo);
  allow(at("redo"), state.redo);
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
    allow(test, page.site.relays && relay !== undefined);
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
  allow(at("measure"), page.site.relays);
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
    at("no-relays").hidden = site.relays;
  });
  for (const id of ["undo", "redo", "find"]) at(id).addEventListener("click", () => order(id));
  at("save").addEventListener("click", async () => {
    const value = await order("save");
    if (value) say(`Saved to ${value.saved}.`);
  });
  at("load").addEventListener("click", async () => {
    const value = await order("load");
    if (value) say(`Loaded ${value.loaded}.`);
  });
  at("measure").addEventListener("click", () => order(at("measure").dataset.running ? "measure_end" : "measure"));
  stopper((value) => say(value.opened === null ? "There is no relay board to open." : "All relays are open."));
  window.addEventListener("resize", place);
  live(show);
}

start();
