// Asks the operator for the secret: on the page of a guest, and over a page whose secret the node does not take any more.
import { at, ReadError } from '../data.js';
import { h } from '../dom.js';
import { enterWith } from './session.js';

const PRINTABLE = /^[\x21-\x7e]+$/;

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
      enterWith(text);
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

/** Over the page, once the node refuses the secret; rejects where none is entered. */
export function askAgain() {
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
