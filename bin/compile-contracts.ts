// `bin/compile-contracts.ts <folder>`: compiles every contract of schemas/*.json, and those that core and the plugins of this package
// declare, into code that `core/contracts/compiled.ts` loads. `bin/contracts.js` calls it when they have changed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { transformSync } from 'esbuild';
import { aggregatorProfile } from '../core/aggregator/index.ts';
import { Catalogue } from '../core/contracts/catalogue.ts';
import { contentOf, fileOf, TYPED } from '../core/contracts/compiled.ts';
import { type Engine, fills } from '../core/contracts/engine.ts';
import type { Contract } from '../core/contracts/typed.ts';
import { operations } from '../core/host/boot/operations.ts';
import { closedConfig } from '../core/host/boot/plan.ts';
import { contractsOf, faceOf } from '../core/host/loader/declarations.ts';
import type { Loaded } from '../core/host/loader/load.ts';
import { nodeProfile } from '../core/node/index.ts';
import { packageRoot } from '../core/platform/package-root.ts';
import type { Endpoint, Plugin } from '../core/plugin.ts';
import { plugins } from '../plugins/index.ts';

/** A contract as the compiler leaves it, with the code that it made. */
interface Compiled {
  readonly schema: object;
  readonly source?: {
    readonly validateName: object;
    readonly validateCode: string;
    readonly scopeValues: Readonly<Record<string, Iterable<Value> | undefined>>;
    readonly evaluated?: object;
  };
}

/** A name in the code, with the value behind it. */
interface Value {
  readonly prefix: string;
  readonly value?: { readonly ref: unknown; readonly key?: unknown; readonly code?: object };
}

/** A schema that a plugin or a face of core brings, and how values are held against it. */
interface Declared {
  readonly schema: object;
  readonly readings: ReadonlySet<Engine>;
}

interface Declarations {
  readonly declared: readonly Declared[];
  /** Names of the schemas that are read in a way in which few are; all are read in the others. */
  readonly named: Readonly<Partial<Record<Engine, ReadonlySet<string>>>>;
}

interface Place {
  readonly document: string;
  readonly pointer: string;
}

/** Code that two ways of reading share is written once. */
function compiledFiles(catalogue: Catalogue, { declared, named }: Declarations): Record<string, string> {
  const makers = new Map<Engine, Makers>();
  for (const engine of ['plain', 'exact', 'input', 'large', 'query'] as const) {
    const compiler = catalogue.compiler(engine, { source: true });
    const emission = new Emission(compiler, catalogue);
    for (const [document, { $defs = {} }] of catalogue.documents as ReadonlyMap<string, { $defs?: object }>) {
      for (const [name, schema] of Object.entries($defs)) {
        // A default of a whole value fills nothing in, which the compiler refuses: such a schema is a member of others.
        if (fills(engine) && 'default' in schema) continue;
        if (named[engine]?.has(name) === false) continue;
        emission.add(compiler.getSchema(`/${document}#/$defs/${name}`)!);
      }
    }
    for (const { schema, readings } of declared) {
      // A reference within it would need a place of its own.
      if (!readings.has(engine) || !catalogue.refersToOurs(schema) || refersToItself(schema)) continue;
      emission.addTyped(contentOf(schema), compiler.compile(catalogue.prepared(schema, engine)));
    }
    makers.set(engine, emission.makers);
  }
  return Object.fromEntries(
    [...makers].flatMap(([engine, documents]) =>
      [...documents].map(([document, one]) => {
        const shared = engine === 'input' ? makers.get('exact')!.get(document) : undefined;
        const text = [...one].map(([pointer, maker]) => {
          return `${JSON.stringify(pointer)}: ${shared?.get(pointer) === maker ? "'exact'" : maker}`;
        });
        return [
          fileOf(engine, document),
          transformSync(`module.exports = {${text.join(',\n')}};`, { minify: true, target: 'node20' }).code,
        ];
      }),
    ),
  );
}

/** Finds the contracts that a start of either profile meets: it only looks at replies, and fills in bodies and configuration. */
async function declarations(): Promise<Declarations> {
  const all: Plugin[] = [operations, ...nodeProfile, ...aggregatorProfile];
  for (const load of Object.values(plugins)) all.push(await load());
  const declared = new Map<string, Declared>();
  const named: Partial<Record<Engine, Set<string>>> = { large: new Set(), query: new Set() };
  const add = (contract: Contract, ...readings: Engine[]) => {
    if (typeof contract === 'string') {
      for (const reading of readings) named[reading]?.add(contract);
      return;
    }
    const content = contentOf(contract.schema);
    const known = declared.get(content)?.readings ?? [];
    declared.set(content, { schema: contract.schema, readings: new Set(['plain', ...known, ...readings]) });
  };
  for (const plugin of all) {
    if (plugin.config) add(closedConfig(plugin.config), 'input');
    for (const profile of ['node', 'aggregator'] as const) {
      if (!plugin[profile]) continue;
      const { routes = {} } = faceOf({ plugin } as Loaded, profile);
      for (const [part, contract] of (Object.values(routes) as Endpoint[]).flatMap(contractsOf)) {
        if (part === 'body' || part === 'receive') add(contract, 'input', 'large');
        else if (part === 'query' || part.startsWith('parameter')) add(contract, 'query');
        else add(contract);
      }
    }
  }
  return { declared: [...declared.values()], named };
}

function refersToItself(schema: object): boolean {
  return JSON.stringify(schema).includes('"$ref":"#');
}

type Makers = Map<string, Map<string, string>>;

/** The code of the contracts of one way of reading. */
class Emission {
  /** By document, the code that makes each contract, by its pointer. */
  readonly makers: Makers = new Map();
  readonly #places = new Map<object, Place>();
  readonly #added = new Set<object>();

  constructor(compiler: Ajv2020, catalogue: Catalogue) {
    for (const document of catalogue.documents.keys()) {
      this.#find(document, '', compiler.schemas[`/${document}`]!.schema);
    }
  }

  #find(document: string, pointer: string, part: unknown): void {
    if (typeof part !== 'object' || part === null || this.#places.has(part)) return;
    this.#places.set(part, { document, pointer });
    for (const [name, inner] of Object.entries(part)) {
      this.#find(document, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, inner);
    }
  }

  #placeOf(schema: unknown): Place {
    const place = this.#places.get(schema as object);
    if (!place) throw new Error(`a contract refers to a schema outside the documents: ${JSON.stringify(schema)}`);
    return place;
  }

  /** Adds a contract and those it refers to. */
  add(check: unknown): void {
    const { schema } = check as Compiled;
    if (this.#added.has(schema)) return;
    this.#added.add(schema);
    const { document, pointer } = this.#placeOf(schema);
    this.#write(document, pointer, check as Compiled);
  }

  /** Adds a contract that stands in no document, under its content. */
  addTyped(content: string, check: unknown): void {
    const { schema } = check as Compiled;
    this.#find(TYPED, '', schema);
    this.#write(TYPED, content, check as Compiled);
  }

  #write(document: string, pointer: string, { source }: Compiled): void {
    if (!source) throw new Error('the compiler kept no code of a contract');
    const { validateName: name, validateCode, scopeValues, evaluated } = source;
    const values = Object.values(scopeValues).flatMap((some = []) => [...some]);
    const lines = values.map((value) => `const ${value} = ${this.#behind(value)};`);
    // Nobody is told the place in the schema, which is a fifth of the code.
    lines.push(
      validateCode.replace(/schemaPath:"(?:[^"\\]|\\.)*",/g, ''),
      ...(evaluated ? [`${name}.evaluated = ${evaluated};`] : []),
      `return ${name};`,
    );
    const makers = this.makers.get(document) ?? new Map<string, string>();
    this.makers.set(document, makers);
    makers.set(pointer, `(link) => {${renamed(lines.join('\n'), [name, ...values])}}`);
  }

  #behind({ prefix, value }: Value): string {
    const { ref, key, code } = value ?? {};
    switch (prefix) {
      case 'schema':
        return typeof ref === 'object' ? `link.schema(${called(this.#placeOf(ref))})` : JSON.stringify(ref);
      case 'validate':
        this.add(ref);
        return `link.check(${called(this.#placeOf((ref as Compiled).schema))})`;
      case 'root':
      case 'wrapper': {
        const { schema, validate } = ref as { readonly schema: object; readonly validate: unknown };
        this.add(validate);
        return `{ get validate() { return link.check(${called(this.#placeOf(schema))}); } }`;
      }
      case 'formats':
        return code && ref instanceof RegExp ? `${code}` : `link.format(${JSON.stringify(key)})`;
      case 'pattern':
        return `${code}`;
      case 'func': {
        const known = FUNCTIONS[`${code}`];
        if (known) return known;
      }
    }
    throw new Error(`the code of a contract refers to ${prefix} ${code ?? ref}, which nothing provides`);
  }
}

/** With names of its own: the compiler counts over all contracts. */
function renamed(code: string, names: readonly object[]): string {
  const short = new Map(names.map((name, at) => [`${name}`, `$${at}`]));
  return code.replace(/\b[a-z]+\d+\b/g, (name) => short.get(name) ?? name);
}

const FUNCTIONS: Readonly<Record<string, string>> = {
  'require("ajv/dist/runtime/equal").default': 'link.equal',
  'require("ajv/dist/runtime/ucs2length").default': 'link.length',
  'Object.prototype.hasOwnProperty': 'Object.prototype.hasOwnProperty',
};

function called({ document, pointer }: Place): string {
  return `${JSON.stringify(document)}, ${JSON.stringify(pointer)}`;
}

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('bin/compile-contracts.ts <folder>');
const catalogue = Catalogue.read(join(packageRoot, 'schemas'));
for (const [name, text] of Object.entries(compiledFiles(catalogue, await declarations()))) {
  const path = join(folder, catalogue.digest, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
