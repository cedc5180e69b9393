import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../adapters/index.ts';
import { silentLog } from '../core/log.ts';
import type { Profile } from '../core/plugin.ts';
import { startNode } from '../core/wiring/composition.ts';
import { plugins } from '../plugins/index.ts';

export const PROFILES: readonly Profile[] = ['node', 'aggregator'];

export interface Subject {
  readonly profile: Profile;
  readonly url: string;
  readonly secret: string;
}

/** Runs something against each profile as anybody would start it, on files, with every built-in plugin. */
export async function withEach<T>(visit: (subject: Subject) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (const profile of PROFILES) found.push(await withOne(profile, visit));
  return found;
}

async function withOne<T>(profile: Profile, visit: (subject: Subject) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), `mesh-conformance-${profile}-`));
  const node = await startNode({
    parts: { adapters, plugins },
    log: silentLog,
    grace: 500,
    config: {
      value: {
        profile,
        listen: '127.0.0.1:0',
        dataDir,
        network: { id: 'local' },
        agent: { name: 'under-judgement' },
        api: { limit: { rate: 1_000_000, window: 60 } },
        plugins: {},
      },
    },
  });
  try {
    return await visit({ profile, url: node.url, secret: readFileSync(join(dataDir, 'api-secret'), 'utf8').trim() });
  } finally {
    await node.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
