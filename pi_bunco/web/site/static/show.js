// What a scoreboard tells beside the bell: a fanfare for a Bunco; the host's own sounds; and, where it was asked to speak, who
// rang, who plays on and who goes to which table.
(() => {
  "use strict";
  const NOTES = [[523, 0], [659, 0.14], [784, 0.28], [1047, 0.42], [784, 0.7], [1047, 0.84]];
  const TABLES = "main:is(.Playing, .AfterBell) :is(.tbl, .mt)";

  // Sounds of the host's own, kept as they come: they play in place of those that are made here.
  const own = new Map();
  async function keep() {
    for (const [name, address] of Object.entries(JSON.parse(document.body.dataset.own || "{}"))) {
      if (own.get(name)?.address === address) continue;
      const file = await fetch(address).catch(() => null);
      if (file?.ok) own.set(name, Object.assign(new Audio(URL.createObjectURL(await file.blob())), { address }));
    }
  }

  function plays(name) {
    const sound = own.get(name);
    if (!sound || !(name in JSON.parse(document.body.dataset.own))) return false;
    sound.volume = Number(document.body.dataset.loud) / 100;
    sound.currentTime = 0;
    sound.play();
    return true;
  }
  document.addEventListener("ring", (event) => plays(event.detail) && event.preventDefault());
  new MutationObserver(keep).observe(document.body, { attributeFilter: ["data-own"] });
  keep();

  // Once for each Bunco, and after the bell of one that ends the round.
  const shown = new Set();
  let latest = 0;
  function celebrates() {
    let fresh = false;
    for (const one of document.querySelectorAll(`main.scene, ${TABLES}`)) {
      const before = shown.delete(one.id);
      if (!one.matches(".bunco, .BuncoMoment")) continue;
      shown.add(one.id);
      fresh = fresh || !before;
    }
    return fresh;
  }

  function celebrate() {
    if (!celebrates() || Date.now() - latest < 15000) return;
    latest = Date.now();
    if (plays("bunco")) return;
    const strikes = document.querySelector("main.BuncoMoment") ? 3 : 0;
    document.dispatchEvent(new CustomEvent("tune", { detail: [strikes, ...NOTES] }));
  }

  // What a screen reader would say, in the language of the page; scenes that come again in turns say it once.
  let said = "";
  function speak() {
    const words = document.getElementById("alarm")?.textContent.replace(/\s+/g, " ").trim() || "";
    if (!words || words === said) return;
    said = words;
    if (!document.querySelector("[data-sound=spoken]")) return;
    const speech = new SpeechSynthesisUtterance(words);
    speech.lang = document.documentElement.lang;
    speech.volume = Number(document.body.dataset.loud || 100) / 100;
    speechSynthesis.speak(speech);
  }

  // A clock that is set back tells it no second time.
  let told = "";
  document.addEventListener("lastminute", () => {
    const bell = document.querySelector("[data-step=end]").dataset.until;
    if (bell === told) return;
    told = bell;
    if (plays("minute")) return;
    document.dispatchEvent(new CustomEvent("tune", { detail: [0, [784, 0], [784, 0.4]] }));
  });
  document.addEventListener("morphed", celebrate);
  document.addEventListener("morphed", speak);
  celebrates(); // what was there when the page came is no news
  speak();
})();
