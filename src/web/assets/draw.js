// Marks over the picture, and boards.
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// A game that hides its field tells nothing, as it should.
const HIDDEN = ["paused", "menu", "game_over"];

// Sure empty: blue, sure full: green, in between: red; the surer, the stronger.
export function confidence(percent) {
  if (percent > 90) return `rgba(60, 240, 110, ${0.35 + (percent - 90) / 18})`;
  if (percent < 10) return `rgba(110, 160, 255, ${0.25 + (10 - percent) / 25})`;
  return "rgba(255, 70, 60, 0.95)";
}

function line(g, points, close) {
  g.beginPath();
  points.forEach(([x, y], i) => (i ? g.lineTo(x, y) : g.moveTo(x, y)));
  if (close) g.closePath();
  g.stroke();
}

// --- the picture's turn on this page, in quarters to the right; the robot sees it as it is ---

const TURN = "turn";
let turn = 0;
try {
  turn = Number(localStorage.getItem(TURN)) & 3;
} catch {
  // A browser that remembers nothing begins upright.
}

export const turned = () => turn;

export function turner(button, redraw) {
  button.addEventListener("click", () => {
    turn = (turn + 1) & 3;
    try {
      localStorage.setItem(TURN, String(turn));
    } catch {
      // Then it is forgotten with the page.
    }
    redraw();
  });
}

// Draws the picture into the canvas, and returns a context in the picture's own pixels.
export function ground(canvas, picture, size, quarters = 0) {
  const [width, height] = size ?? [picture.width, picture.height];
  const [across, down] = quarters & 1 ? [height, width] : [width, height];
  if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
  canvas.parentElement.style.setProperty("--ratio", String(across / down));
  const g = canvas.getContext("2d");
  g.setTransform(...[[1, 0, 0, 1, 0, 0], [0, 1, -1, 0, height, 0], [-1, 0, 0, -1, width, height], [0, -1, 1, 0, 0, width]][quarters]);
  if (picture) g.drawImage(picture, 0, 0, width, height);
  return g;
}

// The cell's middle, from the crossings of the lines around it.
export function middle(marks, x, y) {
  const w = marks.columns + 1;
  const [a, b] = [marks.crossings[y * w + x], marks.crossings[(y + 1) * w + x + 1]];
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

export function overlay(g, state) {
  const m = state.marks;
  if (!m) return;
  const w = m.columns + 1;
  const side = Math.hypot(m.crossings[1][0] - m.crossings[0][0], m.crossings[1][1] - m.crossings[0][1]);
  g.lineWidth = Math.max(1, side / 12);
  g.strokeStyle = "#ffdc00";
  const rim = [];
  for (let x = 0; x <= m.columns; x++) rim.push(m.crossings[x]);
  for (let y = 1; y <= m.rows; y++) rim.push(m.crossings[y * w + m.columns]);
  for (let x = m.columns - 1; x >= 0; x--) rim.push(m.crossings[m.rows * w + x]);
  for (let y = m.rows - 1; y > 0; y--) rim.push(m.crossings[y * w]);
  line(g, rim, true);
  g.setLineDash([side / 4, side / 4]);
  g.strokeStyle = "#7fe9ff";
  line(g, m.spawn, true);
  for (const box of m.next) line(g, box, true);
  g.setLineDash([]);
  state.cells.forEach((percent, i) => {
    const [x, y] = middle(m, i % m.columns, Math.floor(i / m.columns));
    const isCalm = percent >= 10 && percent <= 90 && HIDDEN.includes(state.screen);
    const radius = percent < 10 || isCalm ? side * 0.08 : side * 0.24;
    g.fillStyle = isCalm ? "rgba(200, 200, 200, 0.6)" : confidence(percent);
    g.beginPath();
    g.arc(x, y, radius, 0, 7);
    g.fill();
  });
  if (state.plan) {
    g.strokeStyle = "#ffffff";
    g.lineWidth = Math.max(1.5, side / 8);
    for (const [x, y] of state.plan.cells) {
      if (y < 0 || x < 0 || x >= m.columns || y >= m.rows) continue;
      const p = y * w + x;
      line(g, [m.crossings[p], m.crossings[p + 1], m.crossings[p + w + 1], m.crossings[p + w]], true);
    }
  }
}

// A board of cells; `paint(x, y)` gives a cell's style: fill, mark, ghost, and a letter.
export function board(canvas, columns, rows, paint) {
  const size = 20;
  if (canvas.width !== columns * size || canvas.height !== rows * size) {
    Object.assign(canvas, { width: columns * size, height: rows * size });
  }
  const g = canvas.getContext("2d");
  g.font = "12px system-ui, sans-serif";
  g.textAlign = "center";
  g.textBaseline = "middle";
  g.fillStyle = css("--line");
  g.fillRect(0, 0, canvas.width, canvas.height);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const cell = paint(x, y);
      const [l, t] = [x * size, y * size];
      g.fillStyle = css(cell.fill ?? "--empty");
      g.fillRect(l + 0.5, t + 0.5, size - 1, size - 1);
      if (cell.letter) {
        g.fillStyle = css("--soft");
        g.fillText(cell.letter, l + size / 2, t + size / 2 + 1);
      }
      if (cell.ghost) {
        g.strokeStyle = css("--plan");
        g.lineWidth = 2;
        g.setLineDash([3, 2]);
        g.strokeRect(l + 2.5, t + 2.5, size - 5, size - 5);
        g.setLineDash([]);
      }
      if (cell.other && !cell.ghost) {
        g.strokeStyle = css("--soft");
        g.lineWidth = 1;
        g.setLineDash([2, 3]);
        g.strokeRect(l + 4.5, t + 4.5, size - 9, size - 9);
        g.setLineDash([]);
      }
      if (cell.mark) {
        g.strokeStyle = css("--wrong");
        g.lineWidth = 2;
        g.strokeRect(l + 1.5, t + 1.5, size - 3, size - 3);
      }
    }
  }
}

// A drawing area in CSS pixels, sharp on any screen.
export function sheet(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "11px system-ui, sans-serif";
  return { g, width, height, css };
}
