// The first facts of a page go before all else: a slow processor lays them out once, and shows them before it draws the rest.

/** Milliseconds after which a page shows what it has so far. */
const PATIENCE = 300;

/** The part of a document that has its first facts, where they are known. */
const SENT = ':scope > [data-facts]:not([data-facts=""], [data-facts="[]"])';

let content;
let standing;
let reading = 0;
let leading = 0;
let isTaken = false;
let isShown = false;
let isPainted = false;
let resolveFrame;

/** Resolves when the first facts stand on the screen, or did not come in time. What else a page draws or asks for waits for it. */
export const firstFrame = new Promise((resolve) => {
  resolveFrame = () => {
    isPainted = true;
    resolve();
  };
});

/** Whether the page has shown its first facts: then a person may be at a place in it. */
export function hasFirst() {
  return isPainted || document.hidden;
}

/** Draws what does not lead a page: behind its first facts, or at once where these stand. */
export function later(draw) {
  if (hasFirst()) draw();
  else firstFrame.then(draw);
}

/**
 * Holds the content of the page back while `work(main)` draws it, until its first facts are among it. What a document has of them stands
 * until then; that of the overview and of the first calls is drawn on.
 */
export async function showTogether(main, work) {
  const sent = main.querySelector(SENT);
  standing = sent?.classList.contains('sent') ? main : undefined;
  content = standing ? main.cloneNode(false) : main;
  if (!standing) {
    content.hidden = !isShown && !document.hidden && !main.querySelector(':scope > :not(noscript, .sent)');
    setTimeout(show, PATIENCE);
  }
  try {
    if (sent && performance.getEntriesByName('first-contentful-paint').length === 0) await new Promise(onPaint);
    await work(content);
    // Whatever else leads is waited for no longer than elsewhere.
    if (standing) setTimeout(show, PATIENCE);
  } catch (error) {
    show();
    throw error;
  }
  if (reading === 0) show();
}

/**
 * A part of the page begins to read its facts. Those that lead are drawn together, and all others after them; where none leads, whichever
 * has its facts first. `turn()` resolves when the part may draw, and `drawn()` says that it has.
 */
export function firstRead(isLead) {
  let isOver = false;
  reading += 1;
  if (isLead) leading += 1;
  return { turn, drawn };

  function turn() {
    if (isOver || isLead) return undefined;
    if (isTaken || leading > 0) return firstFrame;
    isTaken = true;
    return undefined;
  }

  function drawn() {
    if (isOver) return;
    isOver = true;
    reading -= 1;
    if (isLead) leading -= 1;
    if (leading === 0) show();
  }
}

function show() {
  if (isShown) return;
  isShown = true;
  if (content) content.hidden = false;
  if (standing) takeOver();
  onPaint(resolveFrame);
}

function onPaint(then) {
  if (document.hidden) return then();
  // The second frame begins when the first is painted.
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(then)));
  // One that is hidden meanwhile has no frames.
  setTimeout(then, PATIENCE);
}

function takeOver() {
  const isReached = document.activeElement === standing;
  standing.replaceWith(content);
  if (isReached) content.focus();
  standing = undefined;
}
