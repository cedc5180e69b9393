import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import type { ErrorObject } from 'ajv';
import * as equal from 'ajv/dist/runtime/equal.js';
import * as length from 'ajv/dist/runtime/ucs2length.js';
import { packageRoot } from '../platform/package-root.ts';
import { type Engine, formatNamed } from './engine.ts';

/** Whether a value fits; after one that does not, its errors. */
export interface Check {
  (value: unknown): unknown;
  errors?: readonly ErrorObject[] | null;
}

/** Makes one contract; `bin/compile-contracts.ts` writes it. */
type Maker = (link: Link) => Check;

/** The makers of a document's contracts by their pointers, or the way of reading that has the same. */
type Makers = Readonly<Record<string, Maker | Engine>>;

/** All that the code of a contract refers to. */
export interface Link {
  readonly equal: (one: unknown, other: unknown) => boolean;
  readonly length: (text: string) => number;
  format(name: string): unknown;
  /** The part of a document behind a JSON pointer. */
  schema(document: string, pointer: string): unknown;
  check(document: string, pointer: string): Check;
}

/** Where the build puts the code of contracts, each set in a folder with the name of its digest. */
const COMPILED: string = join(packageRoot, 'dist', 'contracts');

/** The document of contracts that stand in none. Their pointers are their contents. */
export const TYPED = 'typed';

/** A name for all schemas that say the same. */
export function contentOf(schema: object): string {
  return createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 24);
}

/** The file of a document's contracts, below the folder of a set. */
export function fileOf(engine: Engine, document: string): string {
  return join(engine, `${document}.cjs`);
}

/**
 * The contracts of our own documents as the build compiled them. A file is read when one of its contracts is first needed, and the
 * others in it are only skimmed by the parser. See docs/decisions/041.
 */
export class CompiledContracts {
  readonly #folder: string;
  readonly #documents: ReadonlyMap<string, object>;
  readonly #makers = new Map<string, Makers>();
  readonly #checks = new Map<string, Check>();

  private constructor(folder: string, documents: ReadonlyMap<string, object>) {
    this.#folder = folder;
    this.#documents = documents;
  }

  /** Undefined when nobody has compiled exactly these documents. */
  static of(digest: string, documents: ReadonlyMap<string, object>): CompiledContracts | undefined {
    const folder = join(COMPILED, digest);
    return existsSync(folder) ? new CompiledContracts(folder, documents) : undefined;
  }

  /** The contract that a plugin or a face declares; undefined when it is not among those that were compiled. */
  typed(engine: Engine, schema: object): Check | undefined {
    return this.check(engine, TYPED, contentOf(schema), schema);
  }

  /** Undefined when the contract is not among those that were compiled. */
  check(engine: Engine, document: string, pointer: string, own?: object): Check | undefined {
    const key = `${engine} ${document}${pointer}`;
    const known = this.#checks.get(key);
    if (known) return known;
    const found = this.#makersOf(engine, document)[pointer];
    const maker = typeof found === 'string' ? this.#makersOf(found, document)[pointer] : found;
    if (typeof maker !== 'function') return undefined;
    const check = maker({
      equal: functionOf(equal),
      length: functionOf(length),
      format: formatNamed,
      schema: (name, path) => partOf(name === TYPED ? own : this.#documents.get(name), path),
      check: (name, path) => {
        const other = this.check(engine, name, path);
        if (!other) throw new Error(`${this.#folder} lacks ${name}${path}; run \`npm run build\``);
        return other;
      },
    });
    this.#checks.set(key, check);
    return check;
  }

  #makersOf(engine: Engine, document: string): Makers {
    const file = fileOf(engine, document);
    const known = this.#makers.get(file);
    if (known) return known;
    const makers = read(join(this.#folder, file));
    this.#makers.set(file, makers);
    return makers;
  }
}

/** Loaders differ in whether the default of a CommonJS module is the module or what it exports under this name. */
function functionOf<F>(module: { readonly default: unknown }): F {
  const given = module.default as F | { readonly default: F };
  return typeof given === 'function' ? (given as F) : (given as { readonly default: F }).default;
}

/** Without `require`, which a loader of the process may have hooked. */
function read(path: string): Makers {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    // A build that replaces the folder of a checkout meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  const module = { exports: {} };
  const run = new Script(`(function (module) {${text}\n})`, { filename: path }).runInThisContext();
  run(module);
  return module.exports;
}

function partOf(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce((part: any, step) => part[step.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}
