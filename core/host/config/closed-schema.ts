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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const schema = value as Record<string, unknown>;
  const { properties, items } = schema;
  const isOpen = isObject(properties) && COMBINED.every((keyword) => !Object.hasOwn(schema, keyword));
  return {
    ...schema,
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, closed(one)])),
    }),
    ...(isObject(items) && { items: closed(items) }),
    ...(isOpen && { additionalProperties: false }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
