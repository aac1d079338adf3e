// A printed page has the whole branch: everything is filled in and opened, and closed again afterwards.

const printing = { opened: [] };

window.addEventListener("beforeprint", () => {
  for (const article of transcript.list.children) fill(article);
  for (const more of transcript.list.querySelectorAll("button.cut")) more.click();
  for (const details of transcript.list.querySelectorAll("details:not([open])")) {
    details.open = true;
    printing.opened.push(details);
  }
});
window.addEventListener("afterprint", () => {
  for (const details of printing.opened) details.open = false;
  printing.opened = [];
});
