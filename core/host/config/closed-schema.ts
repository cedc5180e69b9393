import { isRecord } from '../../platform/kind-of.ts';

const kept = new WeakMap<object, object>();

/**
 * A schema of settings that takes no member it does not name, in every object of it that names some and does not say
 * otherwise: a misspelt setting must never pass for one that was left out. The same object for the same schema.
 */
export function closedSchema(schema: object): object {
  const known = kept.get(schema);
  if (known) return known;
  const made = closed(schema) as object;
  kept.set(schema, made);
  return made;
}

const COMBINED = ['$ref', 'allOf', 'anyOf', 'oneOf', 'additionalProperties', 'unevaluatedProperties'];

function closed(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const schema = value;
  const { properties, items } = schema;
  const isOpen = isRecord(properties) && COMBINED.every((keyword) => !Object.hasOwn(schema, keyword));
  return {
    ...schema,
    ...(isRecord(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, closed(one)])),
    }),
    ...(isRecord(items) && { items: closed(items) }),
    ...(isOpen && { additionalProperties: false }),
  };
}
