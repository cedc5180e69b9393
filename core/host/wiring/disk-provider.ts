import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { internalToken } from '../../platform/token.ts';
import type { Health } from '../../plugin.ts';
import { provider } from '../../provider.ts';
import { Clock, Metrics } from '../../services.ts';

const MIB = 1024 * 1024;
/** Less than this is low; on a small disk, less than a twentieth of it. */
const LOW = 256 * MIB;
const LOW_SHARE = 20;

export interface Room {
  /** Bytes this process may still write there. */
  readonly free: number;
  readonly all: number;
}

/** How much room the disk of the data folder has. */
export interface DiskSpace {
  room(): Promise<Room>;
}
export const DiskSpace = internalToken<DiskSpace>('disk');

export const diskProvider = provider(DiskSpace, {
  uses: { clock: Clock, metrics: Metrics },
  open({ clock, metrics }, { settings, log, health }) {
    const { dataDir } = settings;
    let found: Room | { readonly why: string } | undefined;
    let said: 'ok' | 'degraded' = 'ok';
    async function look(): Promise<void> {
      found = await roomOf(dataDir).catch((error: NodeJS.ErrnoException) => ({ why: error.code ?? error.message }));
      const { state, detail } = told();
      if (state !== said) log[state === 'ok' ? 'info' : 'warn']({ detail }, SAID[state]);
      said = state;
    }
    const told = (): Health => healthOf(found, dataDir);
    let looked = Number.NEGATIVE_INFINITY;
    metrics.gauge('mesh_disk_free_bytes', 'Bytes free on the disk of the data folder.', () => {
      if (clock.now() - looked >= 1_000) {
        looked = clock.now();
        void look();
      }
      return found && 'free' in found ? found.free : 0;
    });
    health(told, look);
    return { room: () => roomOf(dataDir) };
  },
});

const SAID = { ok: 'there is room on the disk again', degraded: 'the disk of the data folder is nearly full' };

function healthOf(found: Room | { readonly why: string } | undefined, dataDir: string): Health {
  if (!found) return { state: 'ok' };
  if ('why' in found) {
    const remedy = 'See that the folder is there and that its disk is mounted.';
    return { state: 'degraded', detail: `The disk of ${dataDir} cannot be looked at (${found.why}).`, remedy };
  }
  if (!isLow(found)) return { state: 'ok' };
  const remedy = 'Make room on that disk: without any, the node takes no calls that write.';
  return { state: 'degraded', detail: `Only ${mebibytes(found.free)} MiB are free on the disk of ${dataDir}.`, remedy };
}

export function isLow({ free, all }: Room): boolean {
  return free < Math.min(LOW, all / LOW_SHARE);
}

export function mebibytes(bytes: number): string {
  return (bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0);
}

/** Of the nearest folder that exists: the data folder may yet have to be made. */
export async function roomOf(folder: string): Promise<Room> {
  try {
    const { bsize, bavail, bfree, blocks } = await statfs(folder);
    return { free: bsize * (process.getuid?.() === 0 ? bfree : bavail), all: bsize * blocks };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    return roomOf(dirname(folder));
  }
}
