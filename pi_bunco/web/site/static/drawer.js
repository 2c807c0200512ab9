// A drawer or a question over the page: Escape closes it, and what opened it has the focus again.
(() => {
  "use strict";
  const open = document.querySelector("[aria-modal]");
  const opener = sessionStorage.getItem("opener");
  sessionStorage.removeItem("opener");

  if (open) {
    addEventListener("keydown", (event) => event.key === "Escape" && open.querySelector("[data-close]")?.click());
    addEventListener("click", (event) => {
      if (event.target.closest("[data-close]")) sessionStorage.setItem("opener", location.pathname + location.search);
    });
  } else if (opener) {
    const from = [...document.querySelectorAll("a[href]")].find(
      (link) => link.getAttribute("href") === opener && link.getClientRects().length,
    );
    from?.focus();
  }
})();
