// What every view shares: who holds the hand, orders, and the live picture.
export const at = (id) => document.getElementById(id);
export const page = { tab: 0, hand: false, site: null };
let onHand = () => {};

async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-stackhand-tab": String(page.tab) },
    body: JSON.stringify(body ?? {}),
    keepalive: body?.do === "leave",
  });
  const value = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(value.error ?? `the answer was ${answer.status}`);
  return value;
}

export function say(text, isBad) {
  const bar = at("say");
  if (bar.textContent === text) return;
  bar.textContent = text;
  bar.hidden = !text;
  bar.classList.toggle("bad", Boolean(isBad));
}

// An order to the robot; what went wrong is told at the top.
export async function order(what, more) {
  try {
    const value = await post("/api/order", { do: what, ...more });
    say("");
    return value;
  } catch (error) {
    say(error.message, true);
    return null;
  }
}

function setHand(holds) {
  page.hand = holds;
  at("watching").hidden = holds;
  for (const element of document.querySelectorAll("[data-hand]")) element.disabled = !holds || element.dataset.off === "1";
  onHand(holds);
}

// Lets an element that needs the hand be used or not.
export function allow(element, can) {
  element.dataset.off = can ? "0" : "1";
  element.disabled = !can || !page.hand;
}

export async function enter(ready, hand) {
  onHand = hand ?? onHand;
  // A tab that goes away gives the hand back at once.
  window.addEventListener("pagehide", () => post("/api/order", { do: "leave" }).catch(() => {}));
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
      return;
    } catch (error) {
      say(`No answer from stackhand: ${error.message}`, true);
      await pause(1000);
    }
  }
}

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

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

// Asks for picture after picture; each is shown before the next is asked for, so a slow viewer just sees fewer.
export async function live(show) {
  let after = 0;
  let shown = 0;
  for (;;) {
    try {
      const answer = await fetch(`/api/live?after=${after}&tab=${page.tab}`);
      if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? `the answer was ${answer.status}`);
      const holds = answer.headers.get("x-hand") === "1";
      if (holds !== page.hand) setHand(holds);
      if (answer.status === 204) {
        await pause(200);
        continue;
      }
      after = Number(answer.headers.get("x-serial"));
      show(await unpack(answer));
      shown += 1;
      document.body.dataset.shown = String(shown);
      if (at("say").dataset.lost) {
        delete at("say").dataset.lost;
        say("");
      }
      await new Promise((done) => (document.hidden ? setTimeout(done, 500) : requestAnimationFrame(done)));
    } catch (error) {
      at("say").dataset.lost = "1";
      say(`The connection to stackhand is lost (${error.message}). If the program has ended, start it again.`, true);
      await pause(1000);
    }
  }
}

export const fixed = (value, digits) => (value === null || value === undefined ? "–" : Number(value).toFixed(digits));
