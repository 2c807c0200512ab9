// A phone as a table: each tap gets a name, is kept here until the server has it, and is sent in order.
(() => {
  "use strict";
  const KEY = "taps" + location.pathname;
  const load = () => JSON.parse(localStorage.getItem(KEY) || "[]");
  const save = (taps) => localStorage.setItem(KEY, JSON.stringify(taps));
  let boot = localStorage.getItem("boot");
  if (!boot) {
    boot = [...crypto.getRandomValues(new Uint8Array(6))].map((n) => n.toString(16).padStart(2, "0")).join("");
    localStorage.setItem("boot", boot);
  }
  // A page's own clock begins anew with each page and stands still in sleep; the other one can be set.
  const page = Math.random();
  const now = () => ({ page, up: performance.now(), at: Date.now() });
  const age = (tap) => Math.max(0, Date.now() - tap.at, tap.page === page ? performance.now() - tap.up : 0) || 0;
  let sending = false;
  let owes = false; // a word to the server that nothing is kept
  let cut = false;
  let drawn = false; // what stands on the page is this phone's own word

  function mark() {
    const seq = Number(localStorage.getItem("seq") || 0) + 1;
    localStorage.setItem("seq", String(seq));
    return seq;
  }

  // The taps since the page was drawn: those that wait here, and those that went out.
  let sent = [];
  function since(state) {
    const [link, count] = state.split(".");
    const fresh = (tap) => tap.state.startsWith(`${link}.`) && Number(tap.state.split(".")[1]) > Number(count);
    return [...sent.filter(fresh), ...load()].map((tap) => {
      const fields = new URLSearchParams(tap.body);
      const dice = (fields.get("dice") || "").split(",").map(Number);
      return { what: fields.get("tap"), dice, round: fields.get("round") };
    });
  }

  // Without a network the table goes on by the page's own numbers, until the head's word comes.
  function goOn() {
    const numbers = document.getElementById("ahead");
    const line = document.getElementById("turnline");
    if (!cut || !numbers || !line || !load().length) return;
    drawn = true;
    const [view, texts, seats] = ["view", "texts", "seats"].map((name) => JSON.parse(numbers.dataset[name]));
    const now = ahead(view, since(view.state));
    const set = (place, text) => place && (place.textContent = text);
    const plate = line.querySelector(".plate");
    const dice = line.querySelector(".row .dice");
    if (dice) dice.hidden = true;
    for (const [side, chip] of line.querySelectorAll(".chip > span").entries()) {
      chip.lastChild.textContent = now ? ` ${now.points[side]} ` : " ? ";
    }
    const after = now && view.bell && view.ends[now.seat] ? texts.ends : texts.next;
    set(document.getElementById("after"), now ? after.replace("%s", seats[view.next[now.seat]][0]) : "");
    const goes = now && now.turn.length > 0;
    set(line.querySelector(".say"), !now ? texts.kept : goes ? texts.results[now.last[1]] : texts.rolls);
    const sum = goes && now.turn.reduce((one, more) => one + more, 0);
    set(line.querySelector(".sub"), !now ? texts.later : goes ? texts.turn.replace("%s", sum) : texts.then);
    if (plate) plate.hidden = !now;
    if (plate && now) {
      const [name, side, size] = seats[now.seat];
      plate.className = `plate ${side} turn ${size}`;
      set(plate.querySelector("bdi"), name);
    }
    const last = now && now.last;
    const undo = last && texts.undo.replace("%n", seats[last[0]][0]).replace("%w", texts.names[last[1]]);
    const undoes = document.getElementById("undoes");
    set(undoes, undo || texts.undo_any);
    if (undoes) undoes.closest("form").hidden = Boolean(now) && !last;
  }

  // Says how many throws wait here; nothing while all of them went out.
  function tell() {
    const bar = document.getElementById("keeps");
    if (!bar) return;
    goOn();
    const taps = load().map((tap) => new URLSearchParams(tap.body).get("tap"));
    const count = taps.reduce((n, tap) => (tap === "undo" ? Math.max(n - 1, 0) : tap === "help" ? n : n + 1), 0);
    bar.hidden = !cut;
    const text = count === 1 ? bar.dataset.one : count ? bar.dataset.many.replace("%s", count) : bar.dataset.none;
    if (bar.lastElementChild.textContent !== text) bar.lastElementChild.textContent = text;
  }

  // No answer comes after 8 s. (AbortSignal.timeout is not on phones of before 2022.)
  function post(taps) {
    const patience = new AbortController();
    setTimeout(() => patience.abort(), 8000);
    const kept = taps.map((tap) => `${tap.body}&age=${Math.round(age(tap))}`);
    return fetch("tap", {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams({ kept: JSON.stringify(kept) }),
      signal: patience.signal,
    });
  }

  // All at once: no tap is older than the request before. They wait while the page asks for the code.
  async function send() {
    if (sending || !document.getElementById("keeps")) return;
    sending = true;
    try {
      for (let taps; (taps = load().slice(0, 300)).length || owes; ) {
        owes = false;
        const answer = await post(taps);
        if (answer.status === 401 || answer.status === 403) {
          location.reload();
          break;
        }
        const gone = taps.slice(0, answer.headers.get("x-taken") || 0);
        const state = answer.headers.get("x-state") || "";
        sent = [...sent.slice(-20), ...gone.map((tap) => ({ ...tap, state }))];
        save(load().filter((tap) => gone.every((one) => one.body !== tap.body))); // another window may have sent some
        if (answer.status === 409) say(await answer.text());
        else if (!answer.ok || gone.length < taps.length) throw answer;
      }
      cut = false;
      if (drawn) document.dispatchEvent(new CustomEvent("stale"));
      drawn = false;
    } catch {
      cut = owes = true;
      setTimeout(send, 2000);
    } finally {
      sending = false;
      tell();
    }
  }

  function say(text) {
    const old = document.getElementById("refused");
    if (old) old.remove();
    const line = document.createElement("p");
    line.id = "refused";
    line.className = "alert";
    line.setAttribute("role", "alert");
    line.textContent = text.slice(0, 300);
    document.querySelector("#page > main").before(line);
    setTimeout(() => line.remove(), 8000);
  }

  // Nobody throws three dice so soon again, nor reads a question: the second of a double tap goes nowhere.
  function rest() {
    document.body.classList.add("rests");
    setTimeout(() => document.body.classList.remove("rests"), 400);
  }

  // The tap that a key of a form is, made now.
  function tapOf(form, button) {
    const fields = new URLSearchParams(new FormData(form, button));
    if (form.hasAttribute("data-dice")) {
      const dice = ["die1", "die2", "die3"].filter((name) => fields.has(name)).map((name) => fields.get(name));
      fields.set("dice", dice.join(","));
    }
    form.reset();
    return { fields, ...now() };
  }

  function keep({ fields, ...tap }) {
    fields.set("mark_boot", boot);
    fields.set("mark_seq", String(mark()));
    save([...load(), { ...tap, body: fields.toString() }]);
    rest();
    tell();
    send();
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.hasAttribute("data-tap")) return;
    event.preventDefault();
    const button = event.submitter;
    const sheet = button && button.dataset.asks && document.getElementById(button.dataset.asks);
    const tap = tapOf(form, button);
    if (!sheet) return keep(tap);
    sheet.onclick = (click) => {
      const key = click.target.closest("[data-yes], [data-no]");
      if (!key) return;
      sheet.close();
      if (key.matches("[data-yes]")) keep(tap); // it counts for when the dice were tapped
    };
    rest();
    sheet.showModal();
  });
  document.addEventListener("bell", (event) => {
    const rang = document.getElementById("rang");
    if (event.detail !== "end") return;
    if (rang) rang.hidden = false;
    owes = true;
    setTimeout(send, 1000 * Math.random());
  });
  document.addEventListener("morphed", tell);
  document.addEventListener("linked", send);
  addEventListener("online", send);
  document.addEventListener("cut", () => {
    cut = true;
    tell();
  });
  if (load().length) send();
  tell();
})();
