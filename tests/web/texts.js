// Finds texts of a page that lie over each other, and texts that are cut off without an ellipsis.
() => {
  const seen = (node) => {
    for (let box = node.parentElement; box; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.display === "none" || style.visibility === "hidden" || Number(style.opacity) === 0) return false;
      if (box.matches(".sr, .sprite, .soundkey, svg, noscript, [hidden]")) return false;
    }
    return true;
  };
  const clips = (box) => /hidden|clip|auto|scroll/.test(getComputedStyle(box).overflow);
  const texts = [];
  const cut = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.trim() || !seen(node)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    let dots = false;
    const bounds = [{ left: 0, top: 0, right: innerWidth, bottom: innerHeight }];
    for (let box = node.parentElement; box !== document.body; box = box.parentElement) {
      if (!clips(box)) continue;
      dots ||= getComputedStyle(box).textOverflow === "ellipsis" && box.scrollWidth > box.clientWidth;
      bounds.push(box.getBoundingClientRect());
    }
    for (const whole of range.getClientRects()) {
      // A line is higher than its letters: what counts is the middle of it.
      const slack = whole.height * 0.22;
      const box = { left: whole.left, right: whole.right, top: whole.top + slack, bottom: whole.bottom - slack };
      const outside = bounds.some(
        (edge) =>
          box.left < edge.left - 2 || box.right > edge.right + 2 || box.top < edge.top - 2 || box.bottom > edge.bottom + 2,
      );
      if (outside && !dots) cut.push(node.data.trim());
      for (const edge of bounds) {
        box.left = Math.max(box.left, edge.left);
        box.right = Math.min(box.right, edge.right);
      }
      if (box.right > box.left) texts.push({ node, words: node.data.trim(), ...box });
    }
  }
  const over = [];
  texts.sort((one, other) => one.left - other.left);
  texts.forEach((one, place) => {
    for (let next = place + 1; next < texts.length && texts[next].left < one.right - 2; next++) {
      const other = texts[next];
      if (other.node !== one.node && other.top < one.bottom - 1 && one.top < other.bottom - 1)
        over.push(`${one.words} / ${other.words}`);
    }
  });
  return { count: texts.length, over, cut: [...new Set(cut)] };
}
