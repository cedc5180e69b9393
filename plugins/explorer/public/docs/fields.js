// The words of a route beyond its line: parameters, members of bodies and answers, their values and meanings.

/** Gives `(operation) => [{ name, words }]`; what several routes share is walked once. */
export function fieldsIn(schemas) {
  const kept = new Map();

  function named(ref) {
    const name = ref.split('/').at(-1);
    if (!kept.has(name)) {
      // A schema that contains itself adds nothing the second time.
      kept.set(name, []);
      kept.set(name, membersOf(schemas[name] ?? {}));
    }
    return kept.get(name);
  }

  function membersOf(schema) {
    if (typeof schema !== 'object' || schema === null) return [];
    if (schema.$ref) return named(schema.$ref);
    const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
      { name, words: wordsOf(member) },
      ...membersOf(member),
    ]);
    const parts = [schema.items, schema.additionalProperties, schema.allOf, schema.anyOf, schema.oneOf].flat();
    return [...own, ...parts.flatMap((part) => membersOf(part))];
  }

  const inMedia = (content = {}) => Object.values(content).flatMap(({ schema }) => membersOf(schema));

  return (operation) => [
    ...operation.parameters.map(({ name, description, schema = {} }) => ({
      name,
      words: `${description ?? ''} ${wordsOf(schema)}`,
    })),
    ...inMedia(operation.requestBody?.content),
    ...membersOf(operation['x-frame']),
    ...membersOf(operation['x-event']),
    ...Object.values(operation.responses).flatMap(({ content }) => inMedia(content)),
  ];
}

function wordsOf({ description = '', enum: values = [], const: value }) {
  return [description, ...values, value ?? ''].join(' ');
}
