// Makes a PNG of the picture of the evening, and hands it to what shares pictures here, or saves it.
(() => {
  "use strict";

  async function drawn(svg) {
    await document.fonts.ready;
    const { width, height } = svg.viewBox.baseVal;
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width, height });
    const pen = canvas.getContext("2d");
    pen.textAlign = "center";
    for (const part of svg.querySelectorAll("rect, circle, text")) {
      const at = (name) => Number(part.getAttribute(name));
      pen.fillStyle = part.getAttribute("fill");
      pen.beginPath();
      if (part.tagName === "rect") (pen.roundRect || pen.rect).call(pen, at("x"), at("y"), at("width"), at("height"), at("rx"));
      if (part.tagName === "circle") pen.arc(at("cx"), at("cy"), at("r"), 0, 7);
      pen.fill();
      pen.font = `${at("font-size")}px "${part.getAttribute("font-family")}", sans-serif`;
      if (part.tagName === "text") pen.fillText(part.textContent.trim(), at("x"), at("y"), width * 0.94);
    }
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  document.addEventListener("click", async (event) => {
    const name = event.target.closest("[data-picture]")?.dataset.picture;
    if (!name) return;
    const files = [new File([await drawn(document.querySelector("svg.share"))], name, { type: "image/png" })];
    if (navigator.canShare?.({ files })) {
      await navigator.share({ files }).catch(() => {}); // whoever thinks better of it shares nothing
    } else {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(files[0]);
      link.download = name;
      link.click();
    }
  });
})();
