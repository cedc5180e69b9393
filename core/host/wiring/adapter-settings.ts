import type { Contracts } from '../../contracts/contracts.ts';
import type { TypedSchema } from '../../contracts/typed.ts';
import type { Settings } from '../../internal-services.ts';
import { messageOf, type Problem } from '../../platform/problem.ts';
import { typed } from '../../plugin.ts';
import { loadStorage } from '../loader/load-storage.ts';
import type { Adapters } from './adapters.ts';

/**
 * The settings an adapter takes beside those that every one of its kind has: JSON Schemas by member. Stands on the function
 * that makes the adapter; one without it takes none.
 */
export interface Declared {
  readonly settings?: Readonly<Record<string, object>>;
  /** Asks a store that is somewhere else how it is, and writes nothing; rejects with what is wrong and what helps. */
  readonly dial?: (settings: Readonly<Record<string, unknown>>) => Promise<StoreLook>;
}

export interface StoreLook {
  /** A sentence about where it is and what it promises. */
  readonly text: string;
  /** The change that the operator should make there. */
  readonly warnings: readonly string[];
}

/** An adapter's maker together with what it declares. */
export function declaring<M extends (options: never) => unknown>(declared: Declared, make: M): M & Declared {
  const { settings, dial } = declared;
  return Object.assign(make, { ...(settings && { settings }), ...(dial && { dial }) });
}

/** The members of `storage` that are core's, whatever the adapter. */
export const CORE_STORAGE_SETTINGS: readonly string[] = ['use', 'blobs', 'blobsPerPluginMiB'];
const LEDGER = ['use', 'rpcUrl', 'rpcUrls', 'program', 'config', 'maxSolPerTransaction', 'maxSolPerDay'];

const schemas = new WeakMap<object, TypedSchema<object>>();

/** Finds the faults in the settings of the chosen adapters. Nothing is opened. */
export async function adapterProblems(
  settings: Settings,
  folder: string,
  adapters: Adapters,
  contracts: Contracts,
): Promise<Problem[]> {
  const { storage, ledger } = settings;
  // A value that is no object, or names no adapter, has been refused with plugins.json already.
  if (!isChoice(storage) || !isChoice(ledger)) return [];
  const { use = 'solana' } = ledger;
  const problems: Problem[] = [];
  try {
    const make = await loadStorage(storage.use ?? 'lowdb', folder, adapters.storage);
    problems.push(...problemsOf('storage', make, CORE_STORAGE_SETTINGS, storage, contracts));
  } catch (error) {
    problems.push({ where: 'storage.use', what: messageOf(error) });
  }
  const isUsed = ledger.rpcUrl !== undefined || ledger.rpcUrls !== undefined;
  if (!Object.hasOwn(adapters.ledger, use)) {
    if (!isUsed) return problems;
    const names = Object.keys(adapters.ledger).join(', ');
    return [...problems, { where: 'ledger.use', what: `there is no ledger adapter "${use}"`, hint: `use ${names}` }];
  }
  return [...problems, ...problemsOf('ledger', adapters.ledger[use]!, LEDGER, ledger, contracts)];
}

function isChoice(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return ['string', 'undefined'].includes(typeof (value as { use?: unknown }).use);
}

function problemsOf(
  kind: 'storage' | 'ledger',
  make: Declared & object,
  common: readonly string[],
  settings: object,
  contracts: Contracts,
): Problem[] {
  return contracts.problems(schemaOf(make, common), settings).map(({ pointer, message }) => ({
    where: kind + pointer.replaceAll('/', '.'),
    what: message,
  }));
}

function schemaOf(make: Declared & object, common: readonly string[]): TypedSchema<object> {
  const known = schemas.get(make);
  if (known) return known;
  const properties = { ...Object.fromEntries(common.map((name) => [name, {}])), ...make.settings };
  const schema = typed<object>({ type: 'object', additionalProperties: false, properties });
  schemas.set(make, schema);
  return schema;
}
