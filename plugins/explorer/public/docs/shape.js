// The members of a body or an answer, from its schema.
import { h } from '../dom.js';
import { table } from '../parts.js';

const DEPTH = 3;
const MOST = 60;

/** A table of the members, or the type in words where there are none. `schemas` are those that a `$ref` names. */
export function shape(name, schema, schemas) {
  const rows = membersOf(schema, schemas, '', 0).slice(0, MOST);
  if (rows.length === 0) return h('p', { class: 'meta' }, typeOf(schema, schemas));
  return table({
    name,
    rows,
    columns: [
      { head: 'Member', is: 'name', cell: ({ path, required }) => [h('code', {}, path), required && ' required'] },
      { head: 'Type', cell: ({ schema: own }) => typeOf(own, schemas) },
      { head: 'Meaning', cell: ({ schema: own }) => h('div', {}, prose(meaning(own, schemas))) },
    ],
  });
}

/** A sentence in which `code` is set as code. */
export function prose(text = '') {
  return text.split('`').map((piece, index) => (index % 2 === 1 ? h('code', {}, piece) : piece));
}

export function typeOf(schema, schemas) {
  const own = resolved(schema, schemas);
  if (own.const !== undefined) return JSON.stringify(own.const);
  if (own.enum) return own.enum.map((value) => JSON.stringify(value)).join(' or ');
  const choices = own.anyOf ?? own.oneOf;
  if (choices) return [...new Set(choices.map((one) => typeOf(one, schemas)))].join(' or ');
  if (own.type === 'array') return `array of ${own.items ? typeOf(own.items, schemas) : 'anything'}`;
  const limits =
    [own.minimum, own.maximum].some((one) => one !== undefined) && ` (${own.minimum ?? ''} to ${own.maximum ?? ''})`;
  return `${[own.type ?? 'anything'].flat().join(' or ')}${limits || ''}`;
}

function meaning(schema, schemas) {
  const own = resolved(schema, schemas);
  const words = schema.description ?? own.description ?? '';
  return own.default === undefined ? words : `${words} Default \`${JSON.stringify(own.default)}\`.`;
}

function membersOf(schema, schemas, prefix, depth) {
  const own = resolved(schema, schemas);
  if (own.type === 'array' && own.items && depth < DEPTH)
    return membersOf(own.items, schemas, `${prefix}[].`, depth + 1);
  const required = own.required ?? [];
  const rows = Object.entries(own.properties ?? {}).flatMap(([name, member]) => {
    const inner = resolved(member, schemas);
    const path = `${prefix}${name}`;
    const nested = depth < DEPTH && prefix.split('.').length < DEPTH;
    const below =
      inner.type === 'array'
        ? membersIn(inner.items, schemas, `${path}[].`, depth)
        : membersIn(inner, schemas, `${path}.`, depth);
    return [{ path, schema: member, required: required.includes(name) }, ...(nested ? below : [])];
  });
  return [...rows, ...(own.allOf ?? []).flatMap((part) => membersOf(part, schemas, prefix, depth + 1))];
}

function membersIn(schema, schemas, prefix, depth) {
  return schema && depth < DEPTH ? membersOf(schema, schemas, prefix, depth + 1) : [];
}

function resolved(schema, schemas) {
  for (let own = schema, hops = 0; ; own = schemas[own.$ref.split('/').at(-1)] ?? {}, hops += 1)
    if (!own.$ref || hops > 9) return own.$ref ? {} : own;
}
