import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { mostKeyword, prepared } from './preparation.ts';
import type { Contract } from './typed.ts';

/** How values are read; `plain` only says whether a value fits, in half the time. */
export type Engine = 'plain' | 'exact' | 'input' | 'large' | 'query';

interface SchemaFile {
  readonly $defs?: Readonly<Record<string, object>>;
}

/** A schema of our files: where it stands, and what it says. */
interface NamedSchema {
  readonly id: string;
  readonly schema: object;
}

function fills(engine: Engine): boolean {
  return engine === 'input' || engine === 'large' || engine === 'query';
}

/**
 * A set of schema documents with what was compiled of it. It never changes: another document makes another catalogue, the same one
 * each time, so nodes of one process that have the same plugins share the work, which takes a second of a processor for each way of
 * reading. Schemas of our own files are compiled in the catalogue of these files alone.
 */
export class Catalogue {
  readonly documents: ReadonlyMap<string, object>;
  readonly #named: ReadonlyMap<string, NamedSchema>;
  /** The catalogue of our own files, for one that has more. */
  readonly #ours: Catalogue | undefined;
  readonly #larger = new WeakMap<object, Catalogue>();
  readonly #engines = new Map<Engine, Ajv2020>();
  readonly #checks: Readonly<Record<Engine, Map<string, ValidateFunction>>> = {
    plain: new Map(),
    exact: new Map(),
    input: new Map(),
    large: new Map(),
    query: new Map(),
  };
  readonly #typedChecks = new WeakMap<object, Partial<Record<Engine, ValidateFunction>>>();
  readonly #refersBeyond = new WeakMap<object, boolean>();
  readonly #prepared = { exact: new WeakMap<object, object>(), filled: new WeakMap<object, object>() };

  private constructor(
    documents: ReadonlyMap<string, object>,
    named: ReadonlyMap<string, NamedSchema>,
    ours: Catalogue | undefined,
  ) {
    this.documents = documents;
    this.#named = named;
    this.#ours = ours;
  }

  /** Every schema under `$defs` of a file of the folder has its name. */
  static read(folder: string): Catalogue {
    const documents = new Map<string, object>();
    const named = new Map<string, NamedSchema>();
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
      const { $schema: _, ...document } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { $schema?: string };
      documents.set(file, document);
      for (const [name, schema] of Object.entries((document as SchemaFile).$defs ?? {})) {
        named.set(name, { id: `${file}#/$defs/${name}`, schema });
      }
    }
    return new Catalogue(documents, named, undefined);
  }

  /** The catalogue with a document more, which others refer to by its `$id`. */
  with(document: object): Catalogue {
    const id = (document as { $id?: string }).$id;
    if (!id) throw new Error('a schema needs an $id');
    const known = this.documents.get(id);
    if (known === document) return this;
    if (known) throw new Error(`the schema ${id} is already there`);
    const larger =
      this.#larger.get(document) ??
      new Catalogue(new Map([...this.documents, [id, document]]), this.#named, this.#ours ?? this);
    this.#larger.set(document, larger);
    return larger;
  }

  has(name: string): boolean {
    return this.#named.has(name) || this.documents.has(name);
  }

  /** Whether the name is that of a schema of our own files. */
  isOurs(name: string): boolean {
    return this.#named.has(name);
  }

  schemaOf(contract: Contract): object {
    if (typeof contract !== 'string') return contract.schema;
    const entry = this.#named.get(contract);
    if (!entry) throw new Error(`there is no schema named ${contract}`);
    return entry.schema;
  }

  /** Throws unless what a plugin brings is a schema. */
  requireSchema(contract: Contract): void {
    if (typeof contract !== 'string') this.#engine('plain').validateSchema(contract.schema, true);
  }

  /** The compiled contract. */
  check(contract: Contract, engine: Engine): ValidateFunction {
    if (typeof contract === 'string') return this.#namedCheck(contract, engine);
    if (this.#ours && !this.#refersToMore(contract.schema)) return this.#ours.check(contract, engine);
    const kept = this.#typedChecks.get(contract) ?? {};
    this.#typedChecks.set(contract, kept);
    kept[engine] ??= this.#engine(engine).compile(this.#prepare(contract.schema, engine, ''));
    return kept[engine];
  }

  /** Whether a schema needs a document that is not ours. An engine with more documents costs an eighth of a second. */
  #refersToMore(schema: object): boolean {
    const known = this.#refersBeyond.get(schema);
    if (known !== undefined) return known;
    const refers = refsIn(schema).some((ref) => !this.#ours!.documents.has(ref.split('#')[0]!));
    this.#refersBeyond.set(schema, refers);
    return refers;
  }

  #namedCheck(name: string, engine: Engine): ValidateFunction {
    const kept = this.#checks[engine];
    const known = kept.get(name);
    if (known) return known;
    const check = this.#ours && this.isOurs(name) ? this.#ours.#namedCheck(name, engine) : this.#compiled(name, engine);
    kept.set(name, check);
    return check;
  }

  #compiled(name: string, engine: Engine): ValidateFunction {
    const id = this.#named.get(name)?.id ?? (this.documents.has(name) ? name : undefined);
    const check = id === undefined ? undefined : this.#engine(engine).getSchema(`/${id}`);
    if (!check) throw new Error(`there is no schema named ${name}`);
    return check;
  }

  #engine(reading: Engine): Ajv2020 {
    const known = this.#engines.get(reading);
    if (known) return known;
    const engine = new Ajv2020({
      allErrors: reading !== 'plain' && reading !== 'large',
      verbose: reading !== 'plain',
      strict: true,
      // A third of the time to compile; where values are only looked at, the looks count for more.
      code: { optimize: reading === 'plain' },
      // Compiling the schema of schemas takes a sixth of a second: only what plugins bring is held against it.
      validateSchema: false,
      strictTypes: false,
      strictTuples: false,
      useDefaults: fills(reading),
      coerceTypes: reading === 'query' ? 'array' : false,
    });
    addFormats.default(engine);
    engine.addFormat('date-time', { type: 'string', validate: isCountedTime });
    engine.addKeyword(mostKeyword(fills(reading)));
    const ours = this.#ours?.documents ?? this.documents;
    for (const [id, document] of this.documents) {
      engine.addSchema(this.#prepare(document, reading, id), `/${id}`, false, !ours.has(id));
    }
    this.#engines.set(reading, engine);
    return engine;
  }

  /** The schema as an engine gets it: always the same object, because Ajv keeps what it compiled by object. */
  #prepare(schema: object, reading: Engine, id: string): object {
    if (this.#ours?.documents.has(id)) return this.#ours.#prepare(schema, reading, id);
    const kept = fills(reading) ? this.#prepared.filled : this.#prepared.exact;
    const known = kept.get(schema);
    if (known) return known;
    const made = prepared(schema, {
      defaults: fills(reading),
      absolute: (ref) => (this.documents.has(ref.split('#')[0]!) ? `/${ref}` : ref),
      resolve: (ref) => {
        const [document = '', pointer = ''] = ref.split('#');
        const target = this.documents.get(document || id) as SchemaFile | undefined;
        return pointer.startsWith('/$defs/') ? target?.$defs?.[pointer.slice('/$defs/'.length)] : target;
      },
    });
    kept.set(schema, made);
    return made;
  }
}

/** The references of a schema that lead out of it. */
function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? (inner.startsWith('#') ? [] : [inner]) : refsIn(inner),
  );
}

const isDateTime = addFormats.default.get('date-time') as { readonly validate: (text: string) => boolean };

/** RFC 3339 has leap seconds and offsets by hours alone, which no clock of ours can count. */
function isCountedTime(text: string): boolean {
  return isDateTime.validate(text) && !Number.isNaN(Date.parse(text));
}
