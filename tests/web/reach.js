// Finds the controls of a page that no finger can press: scrolls as a finger would, and asks what lies at each centre.
() => {
  const CONTROLS = "a[href], button:not(:disabled), input:not([type=hidden]), select, textarea, summary";
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const target = (control) =>
    control.matches("[type=radio], [type=checkbox]") ? control.closest("label") || control : control;
  const shown = (control) => {
    if (control.closest("[inert], [hidden], .veil, dialog:not([open])")) return false;
    return target(control).getClientRects().length > 0 && getComputedStyle(control).visibility === "visible";
  };
  const left = new Set([...document.querySelectorAll(CONTROLS)].filter(shown));
  const total = left.size;

  const hits = (control) => {
    // A link over two lines has two boxes: the middle of the first is where a finger goes.
    const wanted = target(control);
    const box = wanted.getClientRects()[0];
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false;
    const found = document.elementFromPoint(x, y);
    return Boolean(found) && (wanted.contains(found) || found.closest("label")?.control === control);
  };
  const look = () => {
    for (const control of left) if (hits(control)) left.delete(control);
  };
  const scrolls = (box, axis) => {
    const over = axis === "Y" ? box.scrollHeight - box.clientHeight : box.scrollWidth - box.clientWidth;
    return over > 1 && /auto|scroll/.test(getComputedStyle(box)[`overflow${axis}`]);
  };
  const boxes = [...document.body.querySelectorAll("*")].filter((box) => scrolls(box, "Y") || scrolls(box, "X"));

  const walk = (box, inner) => {
    for (let y = 0; ; y += box.clientHeight / 3) {
      box.scrollTop = y;
      for (let x = 0; ; x += box.clientWidth / 2) {
        box.scrollLeft = x;
        look();
        for (const other of inner) if (other !== box && left.size) walk(other, []);
        if (!left.size || !scrolls(box, "X") || x >= box.scrollWidth - box.clientWidth) break;
      }
      if (!left.size || y >= box.scrollHeight - box.clientHeight) break;
    }
    box.scrollTop = box.scrollLeft = 0;
  };
  walk(document.scrollingElement, boxes);
  const flat = [document.scrollingElement, ...boxes].filter((box) => !box.matches(".sideways"));
  const wide = Math.max(...flat.map((box) => box.scrollWidth - box.clientWidth));
  const small = [...document.querySelectorAll(".key, .tabs a")].filter(
    (key) => shown(key) && Math.min(key.offsetHeight, key.offsetWidth) < 44,
  );
  const words = (control) => (control.textContent.trim().replace(/\s+/g, " ") || control.name || control.id).slice(0, 40);
  return { total, hidden: [...left].map(words), small: small.map(words), wide };
}
