/**
 * JSON Schemas by name. Every schema under `$defs` of a file in schemas/ is compiled once, when it is first needed,
 * and checks bodies, queries, replies, frames, stored values and configuration.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { packageRoot } from '../platform/package-root.ts';
import { type FieldProblem, MeshError } from './errors.ts';
import { mostKeyword, prepared } from './preparation.ts';
import { explain } from './problems.ts';
import type { Contract, TypeOf } from './typed.ts';

/**
 * exact: the value is only looked at (replies, frames, stored values). input: defaults are filled in (bodies,
 * configuration). large: as input, but only the first problem is looked for, because each takes a hundred times the room
 * of the two bytes that can be one. query: defaults, and text becomes the schema's types (query strings and path
 * parameters).
 */
export type Reading = 'exact' | 'input' | 'large' | 'query';

export interface Contracts {
  /** The value, when it fits; otherwise throws `invalid_request` with a JSON pointer for each problem. */
  validate<K extends Contract>(contract: K, value: unknown, reading?: Reading): TypeOf<K>;
  /** The problems of a value, at most 20; empty when it fits. */
  problems(contract: Contract, value: unknown, reading?: Reading): FieldProblem[];
  /** Adds a plugin's schema; others refer to it by its `$id`. Adding the same object again does nothing. */
  add(schema: object): void;
  /** Why a contract cannot be used (an unknown name, a schema that does not compile); undefined when it can. */
  fault(contract: Contract): string | undefined;
  /** The schema behind a contract. */
  schemaOf(contract: Contract): object;
  /** Schema files by file name, and plugins' schemas by `$id`. */
  readonly documents: ReadonlyMap<string, object>;
}

interface SchemaFile {
  readonly $defs?: Readonly<Record<string, object>>;
}

const MAX_PROBLEMS = 20;

/** `plain` only says whether a value fits, in half the time; `exact` then finds the problems of one that does not. */
type Engine = Reading | 'plain';

function fills(engine: Engine): boolean {
  return engine === 'input' || engine === 'large' || engine === 'query';
}

export function loadContracts(folder: string = join(packageRoot, 'schemas')): Contracts {
  const documents = new Map<string, object>();
  const named = new Map<string, { id: string; schema: object }>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const { $schema: _, ...document } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { $schema?: string };
    documents.set(file, document);
    for (const [name, schema] of Object.entries((document as SchemaFile).$defs ?? {})) {
      named.set(name, { id: `${file}#/$defs/${name}`, schema });
    }
  }
  return new AjvContracts(documents, named);
}

class AjvContracts implements Contracts {
  readonly documents: Map<string, object>;
  readonly #named: ReadonlyMap<string, { id: string; schema: object }>;
  readonly #ours: ReadonlySet<string>;
  readonly #engines = new Map<Engine, Ajv2020>();
  readonly #checks: Readonly<Record<Engine, Map<Contract, ValidateFunction>>> = {
    plain: new Map(),
    exact: new Map(),
    input: new Map(),
    large: new Map(),
    query: new Map(),
  };
  readonly #prepared = { exact: new WeakMap<object, object>(), filled: new WeakMap<object, object>() };

  constructor(documents: Map<string, object>, named: ReadonlyMap<string, { id: string; schema: object }>) {
    this.documents = documents;
    this.#ours = new Set(documents.keys());
    this.#named = named;
  }

  validate<K extends Contract>(contract: K, value: unknown, reading: Reading = 'exact'): TypeOf<K> {
    const fields = this.problems(contract, value, reading);
    const first = fields[0];
    if (first) {
      throw new MeshError('invalid_request', { detail: `${first.pointer || 'The value'} ${first.message}`, fields });
    }
    return value as TypeOf<K>;
  }

  problems(contract: Contract, value: unknown, reading: Reading = 'exact'): FieldProblem[] {
    if (reading === 'exact' && this.#check(contract, 'plain')(value)) return [];
    const check = this.#check(contract, reading);
    if (check(value)) return [];
    return (check.errors ?? []).slice(0, MAX_PROBLEMS).map((error: ErrorObject) => explain(error));
  }

  add(schema: object): void {
    const id = (schema as { $id?: string }).$id;
    if (!id) throw new Error('a schema needs an $id');
    const known = this.documents.get(id);
    if (known === schema) return;
    if (known) throw new Error(`the schema ${id} is already there`);
    this.documents.set(id, schema);
    for (const [reading, engine] of this.#engines)
      engine.addSchema(this.#prepare(schema, reading, id), `/${id}`, false, true);
  }

  fault(contract: Contract): string | undefined {
    if (typeof contract === 'string' && !this.#named.has(contract) && !this.documents.has(contract)) {
      return `there is no schema named ${contract}`;
    }
    // Our own files are compiled when they are first needed; a test compiles all of them.
    if (typeof contract === 'string' && this.#named.has(contract)) return undefined;
    try {
      if (typeof contract !== 'string') this.#engine('plain').validateSchema(contract.schema, true);
      this.#check(contract, 'plain');
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  schemaOf(contract: Contract): object {
    if (typeof contract !== 'string') return contract.schema;
    const entry = this.#named.get(contract);
    if (!entry) throw new Error(`there is no schema named ${contract}`);
    return entry.schema;
  }

  #check(contract: Contract, engine: Engine): ValidateFunction {
    const kept = this.#checks[engine];
    const known = kept.get(contract);
    if (known) return known;
    const made = this.#validator(contract, engine);
    kept.set(contract, made);
    return made;
  }

  #validator(contract: Contract, reading: Engine): ValidateFunction {
    const engine = this.#engine(reading);
    if (typeof contract !== 'string') return engine.compile(this.#prepare(contract.schema, reading, ''));
    const id = this.#named.get(contract)?.id ?? (this.documents.has(contract) ? contract : undefined);
    const check = id === undefined ? undefined : engine.getSchema(`/${id}`);
    if (!check) throw new Error(`there is no schema named ${contract}`);
    return check;
  }

  #engine(reading: Engine): Ajv2020 {
    const known = this.#engines.get(reading);
    if (known) return known;
    const engine = new Ajv2020({
      allErrors: reading !== 'plain' && reading !== 'large',
      verbose: reading !== 'plain',
      strict: true,
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
    for (const [id, document] of this.documents) {
      engine.addSchema(this.#prepare(document, reading, id), `/${id}`, false, !this.#ours.has(id));
    }
    this.#engines.set(reading, engine);
    return engine;
  }

  /** The schema as an engine gets it: always the same object, because Ajv keeps what it compiled by object. */
  #prepare(schema: object, reading: Engine, id: string): object {
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

const isDateTime = addFormats.default.get('date-time') as { readonly validate: (text: string) => boolean };

/** RFC 3339 has leap seconds and offsets by hours alone, which no clock of ours can count. */
function isCountedTime(text: string): boolean {
  return isDateTime.validate(text) && !Number.isNaN(Date.parse(text));
}
