// A guide of docs/, drawn from its Markdown.
import { at, readText } from '../data.js';
import { fill, h } from '../dom.js';
import { hasFirst, later } from '../first.js';
import { clean } from '../format.js';
import { markdown } from './markdown.js';
import { fileOf } from './tasks.js';

/** Square pixels of a letter at least: what a screen holds is drawn first, and the rest behind its frame. */
const LETTER = 150;

export async function draw(main, { name }) {
  const file = fileOf(name);
  const text = /^[\w.-]+$/.test(name) ? await guide(file) : undefined;
  if (text === undefined) {
    document.title = 'No such guide \u00b7 agent-mesh';
    fill(
      main,
      h('h1', {}, 'There is no such guide'),
      h('p', {}, h('code', {}, clean(name, 80))),
      h('p', {}, h('a', { href: at('docs', { q: clean(name, 80) }) }, 'Search for it')),
    );
    return;
  }
  const body = h('article', { class: 'prose' });
  const blocks = markdown(text, (address) => linkTo(address, file));
  // A part that the address names may be anywhere in it.
  if (location.hash || hasFirst()) body.append(...blocks);
  else append(body, blocks, Math.ceil((innerWidth * innerHeight) / LETTER));
  document.title = `${body.querySelector('h1')?.textContent ?? name} \u00b7 agent-mesh`;
  fill(main, body);
  later(() => body.append(...blocks));
}

/** Blocks with so many letters at least. */
function append(body, blocks, letters) {
  for (let drawn = 0; drawn < letters; ) {
    const { value, done } = blocks.next();
    if (done) return;
    body.append(value);
    drawn += value.textContent.length;
  }
}

async function guide(file) {
  try {
    return await readText(`guides/${file}`);
  } catch (error) {
    if (error.status === 404) return undefined;
    throw error;
  }
}

/** Other guides are pages here; what else lies in the repository leads nowhere. */
function linkTo(address, file) {
  if (/^(?:https?:\/\/|#)/.test(address)) return address;
  const { pathname, hash } = new URL(address, `http://guides/docs/${file}`);
  const found = /^\/docs\/(?:(decisions)\/)?([\w-]+)\.md$/.exec(pathname);
  if (!found) return undefined;
  const name = found[1] ? `decision-${found[2]}` : found[2];
  return at(['docs', name]) + hash;
}
