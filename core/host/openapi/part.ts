const SCHEMA = '#/components/schemas/';

interface Operation {
  readonly tags: readonly string[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: object; readonly schemas: Readonly<Record<string, object>> };
}

/** The document with the operations of one tag alone, and the schemas that these refer to. The list of tags stays whole. */
export function partOf(whole: object, tag: string): object {
  const { paths, components, ...rest } = whole as Document;
  const own = Object.entries(paths).flatMap(([path, methods]) => {
    const found = Object.entries(methods).filter(([, { tags }]) => tags.includes(tag));
    return found.length > 0 ? [[path, Object.fromEntries(found)] as const] : [];
  });
  const used = new Set<string>();
  follow([own, components.responses], components.schemas, used);
  const schemas = Object.entries(components.schemas).filter(([name]) => used.has(name));
  return {
    ...rest,
    paths: Object.fromEntries(own),
    components: { ...components, schemas: Object.fromEntries(schemas) },
  };
}

function follow(value: unknown, schemas: Document['components']['schemas'], used: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key !== '$ref' || typeof inner !== 'string' || !inner.startsWith(SCHEMA)) {
      follow(inner, schemas, used);
      continue;
    }
    const name = inner.slice(SCHEMA.length);
    if (used.has(name)) continue;
    used.add(name);
    follow(schemas[name], schemas, used);
  }
}
