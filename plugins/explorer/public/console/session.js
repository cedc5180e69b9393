// The secret of the operator: asked once, kept in this tab alone, shown to the node in a header.
import { ReadError, reach, read, root } from '../data.js';

/** Nodes behind one host under different prefixes have secrets of their own. */
const PLACE = `mesh-secret ${root.pathname}`;

let secret = kept();
let asking;

export function hasSecret() {
  return secret !== undefined;
}

/** The protocols of a socket that shows the secret; browsers set no headers there. */
export function protocols() {
  return secret === undefined ? [] : ['mesh.bearer', secret];
}

export function leave() {
  secret = undefined;
  try {
    sessionStorage.removeItem(PLACE);
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}

/** Has every call show the secret, and asks for it anew, over the page, when the node does not take it any more. */
export function openSession() {
  reach({ server: 'node', headers, refused, nameFor });
}

function headers() {
  return secret === undefined ? {} : { authorization: `Bearer ${secret}` };
}

async function refused(shown) {
  if (shown.authorization !== headers().authorization) return;
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  await asking;
}

async function ask() {
  const offline = () => new ReadError('The node cannot be reached.', { code: 'offline' });
  const { askAgain } = await import('./secret.js').catch(() => Promise.reject(offline()));
  await askAgain();
}

let names;

/** Peers tell their names; they are read once for a page. */
async function nameFor(id) {
  names ??= Promise.all([read('peers', { limit: 200 }), read('agent')]).then(([peers, own]) => {
    return new Map([...peers, own].map(({ agent_id, name }) => [agent_id, name]));
  });
  return (await names).get(id);
}

/** From now on calls show this secret. */
export function enterWith(text) {
  secret = text;
  names = undefined;
  try {
    sessionStorage.setItem(PLACE, text);
  } catch {
    // Then it is asked for on each page.
  }
}

function kept() {
  try {
    return sessionStorage.getItem(PLACE) ?? undefined;
  } catch {
    return undefined;
  }
}
