import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration } from '../host/config/configuration.ts';
import { loadStorage } from '../host/loader/load-storage.ts';
import type { Adapters } from '../host/wiring/adapters.ts';
import { silentLog } from '../platform/log.ts';
import { messageOf } from '../platform/problem.ts';
import { systemClock } from '../platform/system-clock.ts';
import { type StorageAdapter, StorageError } from '../storage/adapter.ts';
import { type Moved, type Progress, readDump } from '../storage/dump-file.ts';
import { writeDump } from '../storage/dump-writer.ts';
import {
  type Call,
  type Command,
  type Composition,
  command,
  type ExitCode,
  Failure,
  type Terminal,
} from './command.ts';
import { wholeConfigurationOfAll } from './configured.ts';
import { stopSignals } from './stop-signals.ts';

/** Milliseconds between two lines about what is done. */
const PAUSE = 1_000;

/** `mesh export`: the store of a stopped node as one file. */
export function exportCommand(storage: Adapters['storage']): Command {
  return command({
    summary: 'Writes everything in the store of the stopped node or aggregator into one file.',
    words: [{ name: 'FILE', summary: 'the file to be made' }],
    options: {},
    flags: 'all',
    examples: ['export store.jsonl'],
    run: (call, composition, terminal) =>
      move(call, storage, composition, terminal, 'exported', async (adapter, path, progress) => {
        if (!adapter.dump) throw new Error('this storage adapter cannot be exported from');
        await adapter.open();
        try {
          return await writeDump(path, adapter.dump(), progress);
        } finally {
          await adapter.close();
        }
      }),
  });
}

/** `mesh import`: such a file into an empty store. */
export function importCommand(storage: Adapters['storage']): Command {
  return command({
    summary: 'Fills an empty store with such a file, all or nothing.',
    words: [{ name: 'FILE', summary: 'a file that mesh export wrote' }],
    options: {},
    flags: 'all',
    examples: ['import store.jsonl --config redis.json'],
    run: (call, composition, terminal) =>
      move(call, storage, composition, terminal, 'imported', async (adapter, path, progress) => {
        if (!adapter.load) throw new Error('this storage adapter cannot be imported into');
        let moved: Moved | undefined;
        const rows = readDump(path, (done) => {
          moved = done;
          progress(done);
        });
        await adapter.load(rows);
        return moved!;
      }),
  });
}

type Work = (adapter: StorageAdapter, path: string, progress: (done: Progress) => void) => Promise<Moved>;

async function move(
  { words: [path = ''], options: { json }, flags }: Call,
  storage: Adapters['storage'],
  composition: Composition,
  terminal: Terminal,
  done: string,
  work: Work,
): Promise<ExitCode> {
  const configuration = await wholeConfigurationOfAll(flags, composition, terminal);
  const name = configuration.settings.storage.use ?? 'lowdb';
  const { signal, end } = stopSignals();
  const tell = reporter(terminal, json, done, done === 'imported' ? sizeOf(path) : undefined);
  try {
    const adapter = await adapterOf(name, configuration, storage);
    const result = await work(adapter, path, (progress) => {
      if (signal.aborted) throw new Error(`stopped; nothing was ${done}`);
      tell(progress);
    });
    terminal.progress?.('');
    if (json) terminal.out(JSON.stringify({ ok: true, storage: name, file: path, ...result }));
    else terminal.out(`${done} ${describe(result)}, storage ${name}, SHA-256 ${result.sha256}`);
    // A folder or a prefix that was mistyped is an empty store, too.
    if (result.rows === 1 && !json)
      terminal.error(`this store is empty; another one is named by --config or --data-dir`);
    return 0;
  } catch (error) {
    const fault = error instanceof StorageError ? { fault: error.fault } : {};
    throw new Failure(messageOf(error), { storage: name, file: path, ...fault }, error);
  } finally {
    end();
  }
}

async function adapterOf(name: string, { settings, folder }: Configuration, storage: Adapters['storage']) {
  const make = await loadStorage(name, folder, storage);
  return make({
    settings: settings.storage,
    folder: join(settings.dataDir, 'store'),
    clock: systemClock,
    log: silentLog,
  });
}

/** The bytes of a file; undefined for one that cannot be read, since its reader names the reason. */
function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    return undefined;
  }
}

/** Says now and then how far it is: in place where somebody looks, else a line each time. */
function reporter(terminal: Terminal, json: boolean, done: string, total?: number): (progress: Progress) => void {
  let said = performance.now();
  const all = total === undefined ? '' : ` of ${megabytes(total)}`;
  return ({ rows, bytes }) => {
    if (performance.now() - said < PAUSE) return;
    said = performance.now();
    const text = `${done} ${describe({ rows, bytes })}${all} so far`;
    if (terminal.progress && !json) terminal.progress(text);
    else terminal.error(json ? JSON.stringify({ rows, bytes, total }) : text);
  };
}

function describe({ rows, bytes }: Progress): string {
  return `${rows.toLocaleString('en')} rows, ${megabytes(bytes)}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
