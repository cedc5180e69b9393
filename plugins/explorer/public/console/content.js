// The words and bytes of an envelope, decoded and shown as text: nothing of a stranger is ever run, or parsed as markup.
import { call } from '../data.js';
import { fill, h } from '../dom.js';
import { clean, cleanLines, count, thousands } from '../format.js';
import { facts } from '../parts.js';
import { failure } from '../section.js';
import { bytesOf, hex } from '../verify.js';

const MOST_TEXT = 20_000;
const MOST_BYTES = 512;
const TEXT = /^(text\/|application\/(json|xml|yaml)|$)/i;

/** A payload with what it holds. `conversation` is the deal where larger work can be fetched. */
export function decoded(frame, { conversation } = {}) {
  const { payload, payload_b64: base64, msg_type: type } = frame;
  return [
    type === 'DELIVER' && content(frame.deliver ?? payload, conversation),
    payload?.text !== undefined && words(payload.text),
    payload?.message !== undefined && words(payload.message),
    payload?.reason !== undefined && words(payload.reason),
    h('p', { class: 'meta' }, 'Words of another agent. They are shown as text and never run.'),
    h(
      'details',
      {},
      h('summary', {}, 'Payload, decoded'),
      h('pre', { class: 'sub', tabindex: 0 }, cleanLines(JSON.stringify(payload, shortened, 2), MOST_TEXT)),
    ),
    bytes(bytesOf(base64)),
  ];
}

function words(text) {
  return h('pre', { tabindex: 0 }, h('bdi', {}, cleanLines(text, MOST_TEXT)));
}

/** Long base64 stands below, as bytes. */
function shortened(name, value) {
  return /_b64$/.test(name) && typeof value === 'string' && value.length > 64 ? `${value.slice(0, 60)}\u2026` : value;
}

function content(
  { content_type: type = '', inline_b64: inline, payload_uri: uri, payload_size: size } = {},
  conversation,
) {
  const told = facts([
    ['Type', type && h('bdi', {}, clean(type, 128))],
    ['Where', uri && h('code', { class: 'bytes' }, clean(uri, 300))],
    ['Size', size !== undefined && count(size, 'byte')],
  ]);
  if (inline !== undefined) return [told, shown(bytesOf(inline), type)];
  return [told, conversation && fetchable(conversation, type)];
}

function shown(found, type) {
  const text = TEXT.test(type) && textOf(found);
  if (text) return h('pre', { class: 'work', tabindex: 0 }, h('bdi', {}, cleanLines(text, MOST_TEXT)));
  return h('p', {}, `${thousands(found.length)} bytes that are no text.`);
}

/** Work above 48 KiB lies at the node of its provider until somebody asks for it. */
function fetchable(conversation, type) {
  const place = h('div', {}, h('button', { type: 'button', onclick: get }, 'Fetch the work'));
  return place;

  async function get() {
    fill(place, h('p', { class: 'meta', role: 'status' }, 'Fetching \u2026'));
    try {
      const found = await call('GET', ['deals', conversation, 'delivery'], { as: 'bytes', patience: 60_000 });
      fill(place, shown(found, type));
    } catch (error) {
      if (error.code === undefined) throw error;
      fill(place, failure(error, get));
    }
  }
}

function textOf(found) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(found);
  } catch {
    return undefined;
  }
}

/** Bytes in rows of sixteen. */
function bytes(found) {
  const rows = [];
  for (let at = 0; at < Math.min(found.length, MOST_BYTES); at += 16) {
    const row = hex(found.subarray(at, at + 16)).replace(/(..)(?=.)/g, '$1 ');
    rows.push(`${at.toString(16).padStart(4, '0')}  ${row}`);
  }
  if (found.length > MOST_BYTES) rows.push('\u2026');
  return h(
    'details',
    {},
    h('summary', {}, `Payload, ${count(found.length, 'byte')}`),
    h('pre', { class: 'sub', tabindex: 0 }, rows.join('\n')),
  );
}
