// Keeps a page as the server has it: takes what the event stream sends and morphs it in. Says so when nothing comes.
(() => {
  "use strict";
  const body = document.body;
  const bar = document.getElementById("offline");
  const QUIET = 25000;
  let source = null;
  let last = Date.now();
  let again = 0;
  let { drawn } = body.dataset; // the drawing that this page is

  // What a person set on this screen stays: an open fold, the sound key, a chosen die, a field until its form is sent.
  const touched = new WeakSet();
  document.addEventListener("input", (event) => touched.add(event.target));
  document.addEventListener("reset", (event) => [...event.target.elements].forEach((field) => touched.delete(field)));
  const kept = (name, node) =>
    name === "open" ||
    name === "data-sound" ||
    (name === "aria-pressed" && node.hasAttribute("data-keep")) ||
    (["value", "checked", "selected"].includes(name) && touched.has(node.closest("select") || node));
  const options = {
    callbacks: {
      beforeAttributeUpdated: (name, node) => !kept(name, node),
      beforeNodeRemoved: (node) => node.id !== "refused", // said by this page itself, for a while
    },
  };

  function morph(html) {
    // What somebody types is left alone; a key that was pressed is not: it may stand for something else now.
    options.ignoreActiveValue = Boolean(document.activeElement?.matches("input, select, textarea"));
    const holder = document.createElement("template");
    holder.innerHTML = html;
    for (const fresh of [...holder.content.children]) {
      const old = document.getElementById(fresh.id);
      if (old) Idiomorph.morph(old, fresh, options);
    }
    document.dispatchEvent(new CustomEvent("morphed"));
  }

  function heard() {
    last = Date.now();
    bar.hidden = true;
    bar.textContent = bar.dataset.cut;
    body.classList.remove("cut");
    document.dispatchEvent(new CustomEvent("linked"));
  }

  function cut() {
    bar.hidden = false;
    body.classList.add("cut");
    document.dispatchEvent(new CustomEvent("cut"));
  }

  // Too many pages are open: this one is still for a minute or so, lest it takes the room of another again and again.
  function makeRoom() {
    source.close();
    clearTimeout(again);
    bar.textContent = bar.dataset.full;
    cut();
    last = Date.now() + 30000 + Math.random() * 30000;
    again = setTimeout(listen, last - Date.now());
  }

  // A time that is counted down to is by the server's clock, which no phone needs to agree with.
  let ahead = 0;
  let toBell = 0;

  function set(clock) {
    ahead = clock - Date.now();
    count();
  }

  function count() {
    for (const time of document.querySelectorAll("[data-until]")) {
      const left = Math.max(Math.ceil((Number(time.dataset.until) - Date.now() - ahead) / 1000), 0);
      const text = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
      const counted = toBell;
      toBell = time.dataset.step === "end" ? left : 0;
      if (toBell <= 60 && toBell > 50 && counted > 60) document.dispatchEvent(new CustomEvent("lastminute"));
      if (time.textContent !== text) time.textContent = text;
      time.classList.toggle("soon", left <= 10);
    }
  }
  document.addEventListener("morphed", count);

  function listen() {
    clearTimeout(again);
    if (source) source.close();
    const { stream } = body.dataset;
    source = new EventSource(`${stream}${stream.includes("?") ? "&" : "?"}drawn=${drawn}`);
    source.addEventListener("page", (event) => {
      drawn = event.lastEventId;
      heard();
      morph(event.data);
    });
    source.addEventListener("alive", (event) => {
      heard();
      if (event.data !== body.dataset.version) location.reload();
    });
    source.addEventListener("clock", (event) => set(Number(event.data)));
    source.addEventListener("bell", (event) => {
      heard();
      document.dispatchEvent(new CustomEvent("bell", { detail: event.data }));
    });
    source.addEventListener("screen", () => document.dispatchEvent(new CustomEvent("screen")));
    source.addEventListener("chime", () => document.dispatchEvent(new CustomEvent("chime")));
    source.addEventListener("full", makeRoom);
    source.addEventListener("error", () => {
      setTimeout(() => Date.now() - last > 2500 && cut(), 3000);
      if (source.readyState !== EventSource.CLOSED) return;
      again = setTimeout(listen, 2000 + Math.random() * 2000);
      fetch(body.dataset.stream, { method: "HEAD" })
        .then((answer) => (answer.status === 503 ? makeRoom() : (bar.textContent = bar.dataset.cut)))
        .catch(() => {});
    });
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-print]")) print();
  });

  // A form that holds more than is taken stays as it was typed, and says so.
  function tooMuch(event) {
    const { most, toomuch } = event.target.dataset;
    if (!most || String(new URLSearchParams(new FormData(event.target))).length < Number(most) - 200) return false;
    event.preventDefault();
    const field = event.target.querySelector("textarea");
    field.setCustomValidity(toomuch);
    field.reportValidity();
    field.addEventListener("input", () => field.setCustomValidity(""), { once: true });
    return true;
  }

  // A form that is pressed twice is sent once, while its answer is on the way.
  let sent = null;
  document.addEventListener("submit", (event) => {
    if (event.target.hasAttribute("data-tap") || tooMuch(event)) return;
    if (event.target === sent) event.preventDefault();
    sent = event.target;
    setTimeout(() => (sent = null), 6000);
  });
  addEventListener("pageshow", () => (sent = null));

  if (body.dataset.stream) {
    listen();
    setInterval(count, 200);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && Date.now() - last > 5000) listen();
    });
    addEventListener("online", listen);
    document.addEventListener("stale", () => {
      drawn = ""; // the whole page comes first
      listen();
    });
    addEventListener("offline", cut);
    setInterval(() => {
      if (Date.now() - last < QUIET) return;
      cut();
      last = Date.now() - QUIET / 2;
      listen();
    }, 5000);
  }
})();
