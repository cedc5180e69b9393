import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { silentLog } from '../../platform/log.ts';
import { messageOf } from '../../platform/problem.ts';
import { VERSION } from '../../platform/version.ts';
import type { StartLocalnet } from '../dev/mesh.ts';
import { type Finding, ok, warn } from './finding.ts';

/** The versions that run here; always `ok`, since `bin/mesh.js` refuses a Node.js that is too old before this. */
export function programFinding(): Finding {
  return ok('node', `agent-mesh ${VERSION} on Node.js ${process.versions.node}, ${process.platform}-${process.arch}`);
}

/** Starts the embedded ledger for a moment: nothing else tells whether its engine works on this machine. */
export async function engineFinding(localnet: () => Promise<StartLocalnet>): Promise<Finding> {
  const dir = await mkdtemp(join(tmpdir(), 'agent-mesh-'));
  try {
    const start = await localnet();
    const ledger = await start({ port: 0, dir, log: silentLog });
    await ledger.stop();
    return ok('ledger', 'the embedded ledger of mesh dev starts');
  } catch (error) {
    // An operator leaves the engine out: docs/operate.md.
    return warn('ledger', `${messageOf(error)} Only mesh dev and mesh localnet need it.`);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Only `mesh dev --storage redis` starts one itself. */
export function redisServerFinding(path: string): Finding {
  const found = path
    .split(delimiter)
    .flatMap((folder) => ['redis-server', 'valkey-server'].map((name) => join(folder, name)))
    .find((file) => existsSync(file));
  return found
    ? ok('redis', found)
    : warn('redis', 'no redis-server here; only mesh dev with storage on Redis, and the tests, need one');
}
