// A photograph is made as small as a TV needs before it is sent, which also leaves out where and when it was taken.
(() => {
  "use strict";
  const MOST = 1920; // pixels of a side
  const form = document.getElementById("own-form");

  async function smaller(file) {
    const picture = await createImageBitmap(file);
    const scale = Math.min(MOST / Math.max(picture.width, picture.height), 1);
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(picture.width * scale);
    canvas.height = Math.round(picture.height * scale);
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    const logo = form.elements.use.value === "logos"; // which may have no ground
    return new Promise((done) => canvas.toBlob(done, logo ? "image/png" : "image/jpeg", 0.85));
  }

  form.addEventListener("submit", async (event) => {
    const file = form.elements.file.files[0];
    if (!file?.type.startsWith("image/")) return;
    event.preventDefault();
    const fields = new FormData(form);
    const less = await smaller(file).catch(() => null);
    if (less) fields.set("file", less, file.name);
    await fetch(form.action, { method: "POST", body: fields });
    location.reload();
  });
})();
