// One route: who may call it, its line for a shell, a try, and what it takes and answers.
import { fill, h } from '../dom.js';
import { table } from '../parts.js';
import { commandLine, examplesOf, guardsOf } from './command.js';
import { copied } from './markdown.js';
import { prose, shape, typeOf } from './shape.js';
import { trial } from './trial.js';

/** Its details are drawn when they are opened. */
export function operation(placed, { api, isNode, level, isOpen = false }) {
  const { operationId, summary } = placed.operation;
  const body = h('div', { class: 'stack tight' });
  const details = h(
    'details',
    { class: 'operation', id: operationId },
    h('summary', {}, lineOf(placed), ' ', h('span', { class: 'meta' }, prose(summary))),
    body,
  );
  details.addEventListener('toggle', () => details.open && !body.hasChildNodes() && drawDetails());
  details.open = isOpen;
  return details;

  function drawDetails() {
    const { operation: own } = placed;
    const values = examplesOf(own);
    const line = h('div', {}, copied(commandLine(placed, values), 'command'));
    const changed = () => fill(line, copied(commandLine(placed, values), 'command'));
    const schemas = api.components.schemas;
    const part = (title, media, example) =>
      media && sectionOf(title, level, shape(`${title} of ${operationId}`, media, schemas), example);
    const { schema, example } = Object.values(own.requestBody?.content ?? {})[0] ?? {};
    fill(
      body,
      h('p', { class: 'meta' }, accessOf(own)),
      own['x-socket'] ? h('p', {}, 'A WebSocket of binary messages.') : line,
      trial(placed, values, { isNode, changed }),
      parametersOf(own, level, schemas),
      part('Body', schema, example),
      part('Frame', own['x-frame'], own['x-frame-example']),
      part('Event', own['x-event'], own['x-event-example']),
      answersOf(own, part),
      problemsOf(own, level),
    );
  }
}

/** The line by which people know it; a WebSocket is no GET to them. */
export function lineOf({ method, path, operation: own }) {
  const verb = own['x-frame'] || own['x-socket'] ? 'WS' : method.toUpperCase();
  return h('span', {}, h('span', { class: 'tag' }, verb), ' ', h('code', {}, path));
}

function accessOf(own) {
  const names = guardsOf(own);
  const limit = own['x-rate-limit'];
  return [
    names.length === 0 ? 'Open to everybody' : `Needs ${names.map(guardWords).join(' or ')}`,
    limit && ` \u00b7 at most ${limit.rate} calls in ${limit.window} s`,
    own['x-money'] && ' \u00b7 moves money',
    own['x-feature'] && ` \u00b7 feature ${own['x-feature']}`,
  ];
}

function guardWords(name) {
  return (
    {
      api: 'the API secret',
      'api-read': 'the API secret, where reading asks for it',
      agent: 'a token that an agent signs',
    }[name] ?? name
  );
}

function parametersOf(own, level, schemas) {
  if (own.parameters.length === 0) return undefined;
  return sectionOf(
    'Parameters',
    level,
    table({
      name: `Parameters of ${own.operationId}`,
      rows: own.parameters,
      columns: [
        { head: 'Name', is: 'name', cell: ({ name, required }) => [h('code', {}, name), required && ' required'] },
        { head: 'In', cell: ({ in: where }) => where },
        { head: 'Type', cell: ({ schema }) => typeOf(schema, schemas) },
        { head: 'Meaning', cell: ({ description, schema }) => h('div', {}, prose(description ?? schema.description)) },
      ],
    }),
  );
}

function answersOf(own, part) {
  return Object.entries(own.responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, { content }]) => {
      const [type, media] = Object.entries(content ?? {})[0] ?? [];
      if (!type) return undefined;
      if (type === 'application/json') return part(`Answer ${status}`, media.schema, media.example);
      return h('p', { class: 'meta' }, `Answer ${status}: `, h('code', {}, type));
    });
}

function problemsOf(own, level) {
  const rows = Object.entries(own.responses).filter(([status]) => Number(status) >= 400);
  if (rows.length === 0) return undefined;
  const columns = [
    { head: 'Status', is: 'name', cell: ([status]) => status },
    { head: 'Code', cell: ([, { description }]) => h('div', {}, prose(description)) },
  ];
  return sectionOf('Problems', level, table({ name: `Problems of ${own.operationId}`, rows, columns }));
}

function sectionOf(title, level, content, example) {
  const shown =
    example !== undefined &&
    copied(typeof example === 'string' ? example : JSON.stringify(example, null, 2), 'example');
  return h('div', { class: 'stack tight' }, h(`h${level}`, { class: 'small' }, title), content, shown);
}
