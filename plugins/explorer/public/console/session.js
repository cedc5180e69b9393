// The secret of the operator: asked once, kept in this tab alone, shown to the node in a header.
import { at, ReadError, reach, read, root } from '../data.js';
import { h } from '../dom.js';

/** Nodes behind one host under different prefixes have secrets of their own. */
const PLACE = `mesh-secret ${root.pathname}`;
const PRINTABLE = /^[\x21-\x7e]+$/;

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
  asking ??= askAgain().finally(() => {
    asking = undefined;
  });
  await asking;
}

let names;

/** Peers tell their names; they are read once for a page. */
async function nameFor(id) {
  names ??= Promise.all([read('peers', { limit: 200 }), read('agent')]).then(([peers, own]) => {
    return new Map([...peers, own].map(({ agent_id, name }) => [agent_id, name]));
  });
  return (await names).get(id);
}

/** A field for the secret, and a button of that label. `entered` is called once the node has taken it. */
export function secretForm(entered, label = 'Open the console') {
  const field = h('input', {
    id: 'secret',
    type: 'password',
    autocomplete: 'current-password',
    spellcheck: 'false',
    maxlength: 1024,
    required: true,
    'aria-describedby': 'secret-note',
  });
  const note = h('p', { class: 'small bad', role: 'alert' });
  const button = h('button', { class: 'primary' }, label);
  const where = 'It stands in the file api-secret in the data folder of the node, unless api.secret sets another one. ';
  return h(
    'form',
    { class: 'stack tight', onsubmit: enter },
    h('div', { class: 'field' }, h('label', { for: 'secret' }, 'API secret'), field, note),
    h('p', {}, button),
    h('p', { class: 'meta', id: 'secret-note' }, where, 'It is kept in this tab alone, and ends with it.'),
  );

  async function enter(event) {
    event.preventDefault();
    button.disabled = true;
    note.textContent = '';
    field.removeAttribute('aria-invalid');
    try {
      const text = field.value.trim();
      if (!(await fits(text))) throw new ReadError('The node does not take this secret.', { code: 'unauthorized' });
      keep(text);
      field.value = '';
      entered();
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      note.textContent = error.message;
      field.setAttribute('aria-invalid', 'true');
      field.select();
    } finally {
      button.disabled = false;
    }
  }
}

/** A wrong secret is refused also where reading needs none. */
async function fits(text) {
  if (!PRINTABLE.test(text)) return false;
  let response;
  try {
    const sent = { accept: 'application/json', authorization: `Bearer ${text}` };
    response = await fetch(at('identity'), { headers: sent, cache: 'no-store', signal: AbortSignal.timeout(15_000) });
  } catch {
    throw new ReadError('The node cannot be reached.', { code: 'offline' });
  }
  if (response.ok || response.status === 401) return response.ok;
  throw new ReadError(`The node answered ${response.status}.`, { code: `http_${response.status}` });
}

function askAgain() {
  return new Promise((resolve, reject) => {
    const dialog = h('dialog', { 'aria-labelledby': 'again' });
    const refusal = { code: 'unauthorized', status: 401 };
    dialog.append(
      h('h2', { id: 'again' }, 'The node does not take this secret any more'),
      h('p', { class: 'meta' }, 'It was changed, or another node answers here. Your work on this page is kept.'),
      secretForm(() => {
        resolve();
        dialog.close();
      }),
      h('form', { method: 'dialog' }, h('button', { class: 'quiet' }, 'Not now')),
    );
    dialog.addEventListener('close', () => {
      dialog.remove();
      reject(new ReadError('The node asks for its secret.', refusal));
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

function keep(text) {
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
