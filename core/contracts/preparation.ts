import { _, type CodeKeywordDefinition } from 'ajv';

type Node = { readonly [keyword: string]: unknown };

export interface Preparation {
  /** The schema a reference leads to. */
  resolve(ref: string): object | undefined;
  /** The same reference, independent of where it stands. */
  absolute(ref: string): string;
  /**
   * Give a member that is a `$ref` to a schema with a default that default itself. Ajv fills in only defaults that
   * stand beside the member, so a shared `limit` would otherwise have none.
   */
  readonly defaults: boolean;
}

/** A copy of a schema as Ajv gets it: without `$id`, because it is added under its name. */
export function prepared(schema: object, how: Preparation): object {
  const { $id: _, ...rest } = schema as Node;
  return copy(rest, how) as object;
}

function copy(value: unknown, how: Preparation): unknown {
  if (Array.isArray(value)) return value.map((item) => copy(item, how));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key === 'default' || key === 'examples' || key === 'const' || key === 'enum') return [key, inner];
      if (key === '$ref' && typeof inner === 'string') return [key, how.absolute(inner)];
      const members = key === 'properties' && how.defaults ? withDefaults(inner as Node, how) : inner;
      return [key, copy(members, how)];
    }),
  );
}

function withDefaults(members: Node, how: Preparation): Node {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const { $ref, default: own } = (member ?? {}) as Node;
      if (typeof $ref !== 'string' || own !== undefined) return [name, member];
      const target = how.resolve($ref) as Node | undefined;
      return [name, target?.['default'] === undefined ? member : { ...(member as Node), default: target['default'] }];
    }),
  );
}

/**
 * `x-most`: a larger number is read as this one, where values are read and not only looked at. For limits of pages: a
 * client that asks for more than there is gets all there is.
 */
export function mostKeyword(reads: boolean): CodeKeywordDefinition {
  return {
    keyword: 'x-most',
    type: 'number',
    schemaType: 'number',
    code({ gen, data, schema: most, it: { parentData, parentDataProperty } }) {
      if (!reads) return;
      gen.if(_`${data} > ${most} && ${parentData}`, () => {
        gen.assign(_`${parentData}[${parentDataProperty}]`, most);
        gen.assign(data, most);
      });
    },
  };
}
