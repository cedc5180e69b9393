import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';

/** Words of which a description that tells a form has one. */
const FORM =
  /base58|base64|hex|digit|letter|character|ASCII|https|UUID|seconds|USDC|decimal|whole number|lamports|units|epoch|nonce|message type|commas/i;

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly pattern?: string;
  readonly [member: string]: unknown;
}

for (const profile of ['node', 'aggregator']) {
  describe(`the requests that ${profile === 'node' ? 'a node' : 'an aggregator'} reads`, () => {
    const text = readFileSync(join(packageRoot, `docs/openapi-${profile}.json`), 'utf8');
    const { paths, components } = JSON.parse(text);
    const unsaid = new Set<string>();

    /** Collects patterns whose description, which a refusal repeats, does not tell the form. */
    function look(schema: Schema, where: string, seen: readonly string[] = []): void {
      const ref = schema.$ref?.split('/').at(-1);
      if (ref !== undefined && !seen.includes(ref)) look(components.schemas[ref], where, [...seen, ref]);
      const { pattern, description } = schema;
      // Those that begin so leave out control characters alone.
      const isForm = pattern !== undefined && !pattern.startsWith('^[^\\u0000');
      if (isForm && description !== undefined && !FORM.test(description)) unsaid.add(`${where}: ${description}`);
      for (const [name, one] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>))
        look(one, `${where}/${name}`, seen);
      for (const key of ['oneOf', 'anyOf', 'allOf'])
        for (const one of (schema[key] ?? []) as Schema[]) look(one, where, seen);
      if (schema['items']) look(schema['items'] as Schema, `${where}/items`, seen);
    }

    it('describe the form of each text that has one, since a refusal says nothing else of it', () => {
      for (const [path, methods] of Object.entries<Record<string, any>>(paths)) {
        for (const [method, { parameters = [], requestBody }] of Object.entries(methods)) {
          const where = `${method.toUpperCase()} ${path}`;
          for (const { name, in: place, schema, description } of parameters)
            if (place !== 'header')
              look({ ...(description !== undefined && { description }), ...schema }, `${where} ${name}`);
          for (const { schema } of Object.values<any>(requestBody?.content ?? {})) if (schema) look(schema, where);
        }
      }
      assert.deepEqual([...unsaid], []);
    });
  });
}
