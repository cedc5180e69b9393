// Makes the call of a route from this page, and shows what came.
import { secretForm } from '../console/secret.js';
import { hasSecret } from '../console/session.js';
import { call } from '../data.js';
import { fill, h } from '../dom.js';
import { clean, thousands } from '../format.js';
import { failure } from '../section.js';
import { guardsOf, pathFault, targetOf } from './command.js';

const LONGEST = 20_000;
let fields = 0;

/** A button that opens the form; a sentence where a browser cannot make the call. `changed` is told of new values. */
export function trial(placed, values, { isNode, changed }) {
  const why = whyNot(placed.operation, isNode, values);
  if (why) return h('p', { class: 'meta' }, why);
  const place = h('div', { class: 'stack tight' });
  const open = h(
    'button',
    { type: 'button', onclick: () => fill(place, form(placed, values, { isNode, changed })) },
    'Try it',
  );
  fill(place, h('p', {}, open));
  return place;
}

function whyNot(operation, isNode, { type }) {
  if (operation['x-frame'] || operation['x-socket'] || operation['x-event'])
    return 'A stream is read with the command, or with a client of your own.';
  const guards = guardsOf(operation);
  if (guards.length > 0 && !(isNode && guards.some((one) => one.startsWith('api'))))
    return 'An agent signs a token for each such call: mesh token prints it. A page has no key of an agent.';
  if (type && type !== 'application/json') return 'Its body is not JSON: use the command.';
  return undefined;
}

function form(placed, values, { isNode, changed }) {
  const { method, path, operation } = placed;
  const answer = h('div', { 'aria-live': 'polite' });
  const confirm = h('div', {});
  const line = `${method.toUpperCase()} ${path}`;
  const button = h('button', { class: 'primary' }, `Send ${method.toUpperCase()}`);
  // A confirmation is of the values that it showed.
  const edited = () => {
    fill(confirm);
    changed();
  };
  const inputs = operation.parameters
    .filter(({ in: where }) => where !== 'cookie')
    .map(({ name, in: where, required }) => field(name, values[where], required, edited));
  const own = h(
    'form',
    { class: 'stack tight', onsubmit: asked, 'aria-label': `Try ${line}` },
    inputs.length > 0 && h('div', { class: 'fields' }, inputs),
    values.body !== undefined && bodyField(values, edited),
    h('p', {}, button),
  );
  return [own, confirm, answer];

  function asked(event) {
    event.preventDefault();
    fill(confirm);
    const fault = pathFault(values);
    if (fault) return fill(answer, failure({ message: fault, code: 'page' }));
    if (guardsOf(operation).length > 0 && isNode && !hasSecret()) return askSecret();
    return method === 'get' ? send() : askConfirmation();
  }

  function askSecret() {
    fill(
      confirm,
      secretForm(() => fill(confirm), 'Take the secret'),
    );
    confirm.querySelector('input').focus();
  }

  /** What may change something is never one press away. */
  function askConfirmation() {
    const close = () => {
      fill(confirm);
      button.focus();
    };
    const confirmed = () => {
      fill(confirm);
      send();
    };
    // With the values, by which one sees the agent or the deal that it changes.
    const filled = `${method.toUpperCase()} ${targetOf(placed, values)}`;
    const title = h('p', { tabindex: -1 }, h('b', {}, `Send ${filled}?`));
    fill(
      confirm,
      h(
        'div',
        {
          class: 'card stack tight',
          role: 'group',
          'aria-label': 'Confirm',
          onkeydown: ({ key }) => key === 'Escape' && close(),
        },
        title,
        h(
          'p',
          {},
          operation['x-money']
            ? 'It moves money of this node. This cannot be taken back.'
            : 'It is a real call: it may change what this process has.',
        ),
        h(
          'p',
          { class: 'row' },
          h('button', { type: 'button', class: 'danger', onclick: confirmed }, `Send ${filled}`),
          h('button', { type: 'button', class: 'quiet', onclick: close }, 'Leave it'),
        ),
      ),
    );
    title.focus();
  }

  async function send() {
    button.disabled = true;
    const began = performance.now();
    try {
      const body = values.body === undefined ? undefined : JSON.parse(values.body);
      const headers = Object.fromEntries(Object.entries(values.header).filter(([, value]) => value !== ''));
      const { status, type, text } = await call(method.toUpperCase(), targetOf(placed, values), {
        body,
        headers,
        as: 'answer',
      });
      const took = `${Math.round(performance.now() - began)} ms`;
      fill(
        answer,
        h(
          'p',
          {},
          h('span', { class: `tag ${status < 400 ? 'ok' : 'bad'}` }, String(status)),
          ' ',
          h('span', { class: 'meta' }, `${took} \u00b7 ${clean(type, 60)}`),
        ),
        text && h('pre', { class: 'answer', tabindex: 0, role: 'region', 'aria-label': 'Answer' }, readable(text)),
        text.length > LONGEST &&
          h('p', { class: 'meta' }, `The first ${thousands(LONGEST)} of ${thousands(text.length)} characters.`),
      );
    } catch (error) {
      const code = error instanceof SyntaxError ? 'body' : error.code;
      fill(
        answer,
        failure({
          message: error instanceof SyntaxError ? `The body is no JSON: ${error.message}` : error.message,
          code: code ?? 'page',
        }),
      );
    } finally {
      button.disabled = false;
    }
  }
}

function field(name, values, required, changed) {
  const id = `try-${++fields}`;
  const input = h('input', {
    id,
    value: values[name] ?? '',
    required,
    autocomplete: 'off',
    spellcheck: 'false',
    oninput: () => {
      values[name] = input.value;
      changed();
    },
  });
  return h('div', { class: 'field' }, h('label', { for: id }, name), input);
}

function bodyField(values, changed) {
  const id = `try-${++fields}`;
  const input = h('textarea', {
    id,
    spellcheck: 'false',
    oninput: () => {
      values.body = input.value;
      changed();
    },
  });
  input.value = values.body;
  return h('div', { class: 'field' }, h('label', { for: id }, 'Body'), input);
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, LONGEST);
  } catch {
    return text.slice(0, LONGEST);
  }
}
