// What a scoreboard tells beside the bell: a fanfare for a Bunco; and, where it was asked to speak, who rang and who plays on.
(() => {
  "use strict";
  const NOTES = [[523, 0], [659, 0.14], [784, 0.28], [1047, 0.42], [784, 0.7], [1047, 0.84]];
  const TABLES = "main:is(.Playing, .AfterBell) :is(.tbl, .mt)";

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
    const strikes = document.querySelector("main.BuncoMoment") ? 3 : 0;
    document.dispatchEvent(new CustomEvent("tune", { detail: [strikes, ...NOTES] }));
  }

  // What a screen reader would say, in the language of the page.
  let words = "";
  function speak() {
    const before = words;
    words = document.getElementById("alarm")?.textContent.replace(/\s+/g, " ").trim() || "";
    if (!words || words === before || !document.querySelector("[data-sound=spoken]")) return;
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
    document.dispatchEvent(new CustomEvent("tune", { detail: [0, [784, 0], [784, 0.4]] }));
  });
  document.addEventListener("morphed", celebrate);
  document.addEventListener("morphed", speak);
  celebrates(); // what was there when the page came is no news
  speak();
})();
