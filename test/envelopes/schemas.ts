import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

const folder = new URL('../../schemas/', import.meta.url);
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
formats.default(ajv);

const examples = new Map<string, unknown[]>();
const files = new Map<string, string>();
for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const document = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  ajv.addSchema(document, file);
  for (const [name, schema] of Object.entries<{ examples?: unknown[] }>(document.$defs)) {
    files.set(name, file);
    examples.set(name, schema.examples ?? []);
  }
}

/** What is wrong with a value by a named schema; empty when it fits. */
export function schemaProblems(name: string, value: unknown): string {
  const validate = ajv.getSchema(`${files.get(name)}#/$defs/${name}`)!;
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

export function schemaExamples(name: string): unknown[] {
  return examples.get(name)!;
}

/** The members of an enumeration. */
export function schemaEnum(name: string): unknown[] {
  const schema = ajv.getSchema(`${files.get(name)}#/$defs/${name}`)!.schema as { enum: unknown[] };
  return schema.enum;
}
