/** The document's title. A question mark says that what the page shows may not be of now, in hidden tabs too. */

let words = 'Muster';
let isDoubtful = false;

/** @param {string} next the title */
export function title(next) {
  words = next;
  write();
}

/** @param {boolean} is whether what the page shows may not be of now */
export function doubt(is) {
  isDoubtful = is;
  write();
}

function write() {
  const shown = isDoubtful ? `? ${words}` : words;
  if (document.title !== shown) {
    document.title = shown;
  }
}
