/**
 * JSON Schemas by name. Every schema under `$defs` of a file in schemas/ is loaded or compiled once, when it is first needed,
 * and checks bodies, queries, replies, frames, stored values and configuration.
 */
import { join } from 'node:path';
import type { ErrorObject } from 'ajv';
import { packageRoot } from '../platform/package-root.ts';
import { Catalogue } from './catalogue.ts';
import type { Engine } from './engine.ts';
import { type FieldProblem, MeshError } from './errors.ts';
import { explain, withoutNull } from './problems.ts';
import type { Contract, TypeOf } from './typed.ts';

/**
 * exact: the value is only looked at (replies, frames, stored values). input: defaults are filled in (bodies,
 * configuration). large: as input, but only the first problem is looked for, because each takes a hundred times the room
 * of the two bytes that can be one. query: defaults, and text becomes the schema's types (query strings and path
 * parameters).
 */
export type Reading = Exclude<Engine, 'plain'>;

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

const MAX_PROBLEMS = 20;

/** The contracts of a schema folder. What one node of a process has compiled, the others have too. */
export function loadContracts(folder: string = join(packageRoot, 'schemas')): Contracts {
  const catalogue = catalogues.get(folder) ?? Catalogue.read(folder);
  catalogues.set(folder, catalogue);
  return new CataloguedContracts(catalogue);
}
const catalogues = new Map<string, Catalogue>();

class CataloguedContracts implements Contracts {
  #catalogue: Catalogue;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  get documents(): ReadonlyMap<string, object> {
    return this.#catalogue.documents;
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
    if (reading === 'exact' && this.#catalogue.check(contract, 'plain')(value)) return [];
    const check = this.#catalogue.check(contract, reading);
    if (check(value)) return [];
    const errors = withoutNull(check.errors ?? []);
    return errors.slice(0, MAX_PROBLEMS).map((error: ErrorObject) => explain(error));
  }

  add(schema: object): void {
    this.#catalogue = this.#catalogue.with(schema);
  }

  fault(contract: Contract): string | undefined {
    const catalogue = this.#catalogue;
    if (typeof contract === 'string' && !catalogue.has(contract)) return `there is no schema named ${contract}`;
    // Our own files are loaded when they are first needed; a test compiles all of them.
    if (typeof contract === 'string' ? catalogue.isOurs(contract) : catalogue.isCompiled(contract)) return undefined;
    try {
      catalogue.requireSchema(contract);
      catalogue.check(contract, 'plain');
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  schemaOf(contract: Contract): object {
    return this.#catalogue.schemaOf(contract);
  }
}
