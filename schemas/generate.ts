// Writes schemas/types.ts from schemas/*.json: one type for every named schema. CI runs it and compares.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { compile, type JSONSchema } from 'json-schema-to-typescript';

const folder = new URL('./', import.meta.url);
const definitions: Record<string, JSONSchema> = {};

for (const file of readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort()) {
  const document = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { $defs?: Record<string, JSONSchema> };
  for (const [name, schema] of Object.entries(document.$defs ?? {})) {
    if (name in definitions) throw new Error(`${file}: the schema name ${name} is taken; names are unique in schemas/`);
    definitions[name] = localised(schema) as JSONSchema;
  }
}

const source = await compile({ title: 'AllSchemas', type: 'object', $defs: definitions } as JSONSchema, 'AllSchemas', {
  unreachableDefinitions: true,
  additionalProperties: false,
  bannerComment: '',
  format: false,
  ignoreMinAndMaxItems: true,
  enableConstEnums: false,
});
const types = source
  .replace(/export interface AllSchemas \{[\s\S]*?\n?\}\n/, '')
  .replace(/ \* ?\n \* This (interface|type) was referenced by[^\n]*\n \* via the `definition`[^\n]*\n/g, '')
  .replace(/\/\*\*\n \* This (interface|type) was referenced by[\s\S]*?\*\/\n/g, '');
const names = Object.keys(definitions).map((name) => `  '${name}': ${typeName(name)};`);
const text = `// Generated from schemas/*.json by \`npm run schemas\`. Do not edit.\n${types.trim()}\n\nexport interface SchemaTypes {\n${names.join('\n')}\n}\n`;
const target = new URL('types.ts', folder);

if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) throw new Error('schemas/types.ts is stale: run `npm run schemas`');
} else {
  writeFileSync(target, text);
}

/** References become local, titles go (they would rename types). */
function localised(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(localised);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key, inner]) =>
          !(key === 'title' && typeof inner === 'string') && !(key === 'examples' && Array.isArray(inner)),
      )
      .map(([key, inner]) => [key, key === '$ref' ? String(inner).replace(/^.*#/, '#') : localised(inner)]),
  );
}

function typeName(name: string): string {
  return name.replace(/(^|[-_])([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());
}
