import type { Schema } from '../example.ts';
import { type Html, html, prose } from './html.ts';

const DEPTH = 4;

/** Shows the shape of a value: a table of its members when it is an object, else its type in words. */
export function shape(schema: Schema): Html {
  const rows = membersOf(schema, '', 0);
  if (rows.length === 0) return html`<p>${typeOf(schema)} ${prose(schema['$ref'] ? '' : schema['description'])}</p>`;
  return html`<table><tbody>${rows}</tbody></table>`;
}

/** A type in words, with links to the schemas it names. */
export function typeOf(schema: Schema): Html {
  const { $ref, enum: values, anyOf, oneOf, items, type } = schema;
  if ($ref) {
    const name = String($ref).split('/').at(-1)!;
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema['const'] !== undefined) return html`<code>${JSON.stringify(schema['const'])}</code>`;
  if (values) return joined((values as unknown[]).map((value) => html`<code>${JSON.stringify(value)}</code>`));
  if (anyOf ?? oneOf) return joined(((anyOf ?? oneOf) as Schema[]).map(typeOf));
  if (type === 'array') return html`array of ${items ? typeOf(items) : 'anything'}${limits(schema)}`;
  return html`${[type ?? 'anything'].flat().join(' or ')}${limits(schema)}`;
}

function membersOf(schema: Schema, prefix: string, depth: number): Html[] {
  const required: string[] = schema['required'] ?? [];
  const own = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).flatMap(([name, member]) => {
    const path = prefix + name;
    const inner = member['type'] === 'array' ? member['items'] : member;
    const suffix = member['type'] === 'array' ? '[].' : '.';
    const nested = inner && depth < DEPTH ? membersOf(inner, path + suffix, depth + 1) : [];
    return [memberRow(path, member, required.includes(name)), ...nested];
  });
  const parts = (schema['allOf'] ?? []) as Schema[];
  return [...own, ...parts.flatMap((part) => membersOf(part, prefix, depth + 1))];
}

function memberRow(path: string, schema: Schema, required: boolean): Html {
  const fallback = schema['default'] !== undefined && html` Default <code>${JSON.stringify(schema['default'])}</code>.`;
  return html`<tr><th><code>${path}</code>${required && html` <b title="required">*</b>`}</th><td>${typeOf(schema)}</td>
    <td>${prose(schema['description'])}${fallback}</td></tr>`;
}

function limits(schema: Schema): string {
  const found = [
    between(schema['minimum'], schema['maximum'], ''),
    between(schema['minLength'], schema['maxLength'], ' characters'),
    between(schema['minItems'], schema['maxItems'], ' elements'),
    schema['format'],
  ].filter(Boolean);
  return found.length > 0 ? ` (${found.join(', ')})` : '';
}

function between(low: number | undefined, high: number | undefined, unit: string): string | undefined {
  if (low === undefined && high === undefined) return undefined;
  if (high === undefined) return `at least ${low}${unit}`;
  return low === undefined ? `at most ${high}${unit}` : `${low} to ${high}${unit}`;
}

function joined(parts: readonly Html[]): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html` or ${part}`))}`;
}
