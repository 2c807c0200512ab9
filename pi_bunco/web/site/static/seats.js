// Two people change places: tap one and then the other, or drag one onto the other. The seats go out as a whole.
(() => {
  "use strict";
  let picked = null;

  function swap(form, a, b) {
    const seats = JSON.parse(form.dataset.seats);
    const [at, to] = [a, b].map((key) => [Number(key.dataset.table), Number(key.dataset.seat)]);
    [seats[at[0]][at[1]], seats[to[0]][to[1]]] = [seats[to[0]][to[1]], seats[at[0]][at[1]]];
    form.elements.args.value = JSON.stringify({ tables: seats });
    form.submit();
  }

  document.addEventListener("click", (event) => {
    const key = event.target.closest("#seatform [data-seat]");
    if (!key) return;
    if (picked && picked !== key) return swap(key.form, picked, key);
    picked = picked === key ? null : key;
    for (const one of key.form.querySelectorAll("[data-seat]")) one.setAttribute("aria-pressed", String(one === picked));
  });
  document.addEventListener("dragstart", (event) => {
    picked = event.target.closest("#seatform [data-seat]");
  });
  document.addEventListener("dragover", (event) => {
    if (picked && event.target.closest("#seatform [data-seat]")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const key = event.target.closest("#seatform [data-seat]");
    if (!picked || !key || key === picked) return;
    event.preventDefault();
    swap(key.form, picked, key);
  });
})();
