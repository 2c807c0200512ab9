// A photograph is made as small as a TV needs before it is sent, which also leaves out where and when it was taken.
(() => {
  "use strict";
  const form = document.getElementById("own-form");

  async function smaller(file) {
    const picture = await createImageBitmap(file);
    const logo = form.elements.use.value === "logos"; // which may have no ground, and stands small
    const most = logo ? 640 : 1920; // pixels of a side
    const scale = Math.min(most / Math.max(picture.width, picture.height), 1);
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(picture.width * scale);
    canvas.height = Math.round(picture.height * scale);
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, logo ? "image/png" : "image/jpeg", 0.85));
  }

  form.addEventListener("submit", async (event) => {
    const file = form.elements.file.files[0];
    if (!file?.type.startsWith("image/")) return;
    event.preventDefault();
    const less = await smaller(file).catch(() => null); // what the browser cannot read the hall's machine refuses
    const files = new DataTransfer();
    files.items.add(less ? new File([less], file.name) : file);
    form.elements.file.files = files.files;
    form.submit(); // its answer says what was not taken
  });
})();
