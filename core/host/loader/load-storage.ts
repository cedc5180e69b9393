import type { StorageAdapter } from '../../storage/adapter.ts';
import { CORE_STORAGE_SETTINGS, type Declared, declaring } from '../wiring/adapter-settings.ts';
import type { AdapterOptions, Adapters } from '../wiring/adapters.ts';
import { importDefault } from './import-default.ts';
import { locate } from './locate.ts';

/**
 * Makes a storage adapter; the default export of a file or package that `storage.use` names. Its property `settings` names
 * the members of `storage` that it takes, each with its JSON Schema; without it, it takes none.
 */
export type MakeStorage = ((options: AdapterOptions) => StorageAdapter | Promise<StorageAdapter>) & Declared;

/**
 * The storage adapter that `storage.use` names, found like a plugin: a bare word that is built in, a path beside
 * plugins.json, otherwise an npm package whose package.json says `"mesh": { "storage": "./index.js", "api": "1.0" }`.
 */
export async function loadStorage(name: string, folder: string, builtIn: Adapters['storage']): Promise<MakeStorage> {
  const location = storageLocation(name, folder, builtIn);
  if (location.from === 'built-in') return withItsSettings(builtIn[name]!);
  const make = await importDefault(location.url);
  if (typeof make !== 'function') {
    throw new Error(`the storage adapter ${name} has no default export that makes one`);
  }
  return withItsSettings(
    declaring(make as MakeStorage, async (options: AdapterOptions) =>
      complete(name, await (make as MakeStorage)(options)),
    ),
  );
}

/** An adapter gets the members of `storage` that are its own; core's stand beside them. */
function withItsSettings(make: MakeStorage): MakeStorage {
  return declaring(make, (options: AdapterOptions) => {
    const own = Object.entries(options.settings).filter(([name]) => !CORE_STORAGE_SETTINGS.includes(name));
    return make({ ...options, settings: Object.fromEntries(own) });
  });
}

function storageLocation(name: string, folder: string, builtIn: Adapters['storage']) {
  try {
    return locate(name, folder, Object.keys(builtIn), 'storage');
  } catch (error) {
    const names = Object.keys(builtIn).join(', ');
    throw new Error(`the storage adapter ${name}: ${(error as Error).message} (built in are ${names})`);
  }
}

const CALLS = ['open', 'read', 'range', 'rank', 'count', 'page', 'counters', 'commit', 'changed', 'close'] as const;

/** A stranger's adapter is looked at before it is trusted with data. */
function complete(name: string, adapter: StorageAdapter): StorageAdapter {
  const missing = CALLS.filter((call) => typeof adapter?.[call] !== 'function');
  if (missing.length > 0) throw new Error(`the storage adapter ${name} lacks ${missing.join(', ')}`);
  if (typeof adapter.guarantees?.durability !== 'string') {
    throw new Error(`the storage adapter ${name} does not say what it guarantees`);
  }
  return adapter;
}
