// Search as one types: the list follows; without this, or while the network is cut, the key searches.
(() => {
  "use strict";
  const box = document.querySelector("#q");
  let waits = 0;
  let asked = 0;

  async function look() {
    const number = ++asked;
    const answer = await fetch(`/door?q=${encodeURIComponent(box.value)}`);
    if (!answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (number === asked) document.querySelector("#found").replaceWith(page.querySelector("#found"));
  }

  box.addEventListener("input", () => {
    clearTimeout(waits);
    waits = setTimeout(() => look().catch(() => {}), 120);
  });
})();
