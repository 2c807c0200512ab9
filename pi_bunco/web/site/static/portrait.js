// A guest's picture is made small on the phone, without what a camera writes into it, and sent.
(() => {
  "use strict";
  const SIDE = 320;

  async function small(file) {
    const picture = await createImageBitmap(file);
    const side = Math.min(picture.width, picture.height);
    const canvas = Object.assign(document.createElement("canvas"), { width: SIDE, height: SIDE });
    const left = (picture.width - side) / 2;
    const top = (picture.height - side) / 2;
    canvas.getContext("2d").drawImage(picture, left, top, side, side, 0, 0, SIDE, SIDE);
    return new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.8));
  }

  addEventListener("change", async (event) => {
    const [file] = event.target.matches?.("#portrait") ? event.target.files : [];
    if (!file) return;
    await fetch("/me/portrait", { method: "POST", headers: { "content-type": "image/jpeg" }, body: await small(file) });
    location.reload();
  });
})();
