// This page as a screen of the hall: it rings where somebody has tapped it once, and does not fall asleep.
(() => {
  "use strict";
  const body = document.body;
  const place = document.currentScript.src;
  const held = Math.min(screen.width, screen.height) < 450;
  const kind = body.dataset.device === "tv" && held ? "" : body.dataset.device; // who follows by phone is no TV
  const beside = (file) => new URL(file, place);

  // A start sounds once, an end three times, as the host has chosen. A browser plays nothing before a tap.
  // Seconds to the next strike, the wave, which part of a tone stays loud; its tones: frequency, level, seconds.
  const PACKS = {
    bell: [0.55, "sine", 0, [[880, 0.5, 2.6], [1760, 0.25, 1.7], [2429, 0.22, 1.2], [4752, 0.12, 0.6]]],
    gong: [1.2, "sine", 0, [[147, 0.5, 4.5], [233, 0.35, 3.6], [371, 0.2, 2.4], [624, 0.1, 1.2]]],
    horn: [0.95, "sawtooth", 0.8, [[311, 0.14, 0.75], [370, 0.14, 0.75], [415, 0.12, 0.75], [622, 0.06, 0.75]]],
  };
  let pack = "bell";
  let volume = 1;
  let audio = null;
  let more = null;
  const chosen = () => localStorage.getItem("sound") || (["", "host"].includes(kind) ? "off" : "on");
  const wanted = () => chosen() !== "off";
  const armed = () => audio !== null && audio.state === "running";
  const sound = () => (!wanted() ? "off" : armed() ? "on" : "silent");
  const speaks = () => kind === "tv" && chosen() === "spoken" && armed();

  function tone(when, wave, loud, stays, frequency, length) {
    if (!volume) return;
    const source = audio.createOscillator();
    const gain = audio.createGain();
    source.type = wave;
    source.frequency.value = frequency;
    gain.gain.setValueAtTime(loud * volume, when);
    gain.gain.setValueAtTime(loud * volume, when + stays * length);
    gain.gain.exponentialRampToValueAtTime(0.0001, when + length);
    source.connect(gain).connect(audio.destination);
    source.start(when);
    source.stop(when + length);
  }

  function strike(nth, loud, sound = pack) {
    const [gap, wave, stays, tones] = PACKS[sound];
    for (const [frequency, level, length] of tones) {
      tone(audio.currentTime + nth * gap, wave, level * loud, stays, frequency, length);
    }
  }

  function ring(strikes, loud = 1) {
    if (!wanted()) return;
    const own = new CustomEvent("ring", { cancelable: true, detail: strikes > 1 ? "end" : "start" });
    if (navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.(Array(2 * strikes - 1).fill(250));
    if (!armed() || !document.dispatchEvent(own)) return; // the host's own sound plays
    for (let i = 0; i < strikes; i++) strike(i, loud);
  }

  function show() {
    for (const key of document.querySelectorAll("[data-sound]")) key.dataset.sound = speaks() ? "spoken" : sound();
    if (state() !== reported) report();
  }

  // Asks the browser for sound; without a tap it agrees only where it is set up so.
  async function arm() {
    if (!wanted()) return;
    if (!audio) {
      audio = new AudioContext();
      audio.addEventListener("statechange", show);
    }
    if (!armed()) await Promise.race([audio.resume().catch(() => {}), new Promise((done) => setTimeout(done, 500))]);
    if (armed() && kind === "tv" && !more) {
      more = document.createElement("script"); // what nobody could hear before
      more.src = beside("show.js");
      body.append(more);
    }
    show();
  }

  // What keeps the screen lit: a lock, on a secure page; else a black video behind everything. An iPhone counts only one
  // with sound, which there is silent, and plays it only from a tap.
  let lock = null;
  let video = null;
  const apple = /iPhone|iPad|Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1;
  const awake = () => (lock !== null && !lock.released) || (video !== null && !video.paused);

  async function light() {
    if (document.visibilityState !== "visible" || awake()) return;
    try {
      if (navigator.wakeLock) {
        lock = await navigator.wakeLock.request("screen");
        lock.addEventListener("release", show);
      } else {
        await play();
      }
    } catch {
      // the next tap asks again
    }
    show();
  }

  async function play() {
    if (!video) {
      video = document.createElement("video");
      video.className = "awake";
      video.loop = video.playsInline = true;
      video.muted = !apple;
      video.setAttribute("aria-hidden", "true");
      video.src = URL.createObjectURL(await (await fetch(beside("awake.mp4"))).blob());
      video.addEventListener("pause", show);
      body.append(video);
    }
    await video.play();
  }

  document.addEventListener("click", async (event) => {
    const key = event.target.closest("[data-sound]");
    const was = sound();
    const next = kind === "tv" && "speechSynthesis" in window && !speaks() ? "spoken" : "off";
    if (key) localStorage.setItem("sound", was === "on" ? next : "on");
    light();
    await arm();
    if (sound() === "on" && (key ? was !== "on" : was === "silent" && !localStorage.getItem("rang"))) {
      localStorage.setItem("rang", "1"); // the tap that joins says how the bell sounds here
      ring(1, 0.3);
    }
    show();
  });
  document.addEventListener("bell", (event) => {
    ring(event.detail === "end" ? 3 : 1);
    if (event.detail === "test") report();
  });
  document.addEventListener("chime", () => {
    if (wanted() && armed() && document.querySelector("main.scene")) strike(0, 0.2, "bell");
  });
  document.addEventListener("tune", ({ detail: [strikes, ...notes] }) => {
    const begins = wanted() && armed() && audio.currentTime + strikes * PACKS[pack][0];
    for (const [pitch, after] of begins ? notes : []) tone(begins + after, "triangle", 0.35, 0.5, pitch, 0.3);
  });
  document.addEventListener("morphed", show);
  document.addEventListener("visibilitychange", light);

  // Tells the page service of this screen: at once, when it changes, and every 15 s. The answer is what it is to show.
  let battery = null;
  let reported = "";
  const state = () =>
    new URLSearchParams({
      kind,
      number: body.dataset.number,
      sound: sound(),
      awake: awake() ? "1" : "0",
      battery: battery ? String(Math.round(battery.level * 20) * 5) : "",
    }).toString();

  // The answer to the first word gives a new browser the name by which it is known; all else that it tells waits for that,
  // and is then told at once.
  let first = null;
  let waits = false;
  async function report() {
    if (!kind || waits) return;
    if (first) {
      waits = true;
      await first.catch(() => null); // it may have been cut off
      waits = false;
      tell();
    } else first = tell();
  }

  async function tell() {
    reported = state();
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const answer = await fetch("/screen", { method: "POST", headers, body: reported }).catch(() => null);
    if (answer?.status !== 200) return;
    const { show, sounds, own } = await answer.json();
    const [name, percent] = sounds.split(" ");
    if (name in PACKS) pack = name;
    volume = Number(percent) / 100;
    body.dataset.loud = percent;
    body.dataset.own = JSON.stringify(own || {});
    if (kind === "tv" && show !== null && show !== body.dataset.show) location.reload();
  }

  addEventListener("pagehide", () => {
    const words = new Blob([`${state()}&closed=1`], { type: "application/x-www-form-urlencoded" });
    if (kind) navigator.sendBeacon("/screen", words);
  });
  document.addEventListener("screen", report);
  addEventListener("pageshow", (event) => event.persisted && report());
  setInterval(report, 15000);
  if (kind && navigator.getBattery) {
    navigator.getBattery().then((found) => {
      battery = found;
      battery.addEventListener("levelchange", show);
      show();
    });
  }
  arm();
  light();
  report();
})();
