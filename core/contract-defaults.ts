type Node = { readonly [keyword: string]: unknown };

/**
 * A copy of a schema in which a member that is a `$ref` to a schema with a default has that default itself. Ajv fills
 * in only defaults that stand beside the member, so a shared `limit` would otherwise have none.
 */
export function withDefaults(schema: object, resolve: (ref: string) => object | undefined): object {
  return copy(schema, resolve) as object;
}

function copy(value: unknown, resolve: (ref: string) => object | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => copy(item, resolve));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key === 'default' || key === 'examples' || key === 'const' || key === 'enum') return [key, inner];
      const copied = copy(inner, resolve);
      return [key, key === 'properties' ? membersWithDefaults(copied as Node, resolve) : copied];
    }),
  );
}

function membersWithDefaults(members: Node, resolve: (ref: string) => object | undefined): Node {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const { $ref, default: own } = (member ?? {}) as Node;
      if (typeof $ref !== 'string' || own !== undefined) return [name, member];
      const target = resolve($ref) as Node | undefined;
      return [name, target?.['default'] === undefined ? member : { ...(member as Node), default: target['default'] }];
    }),
  );
}
