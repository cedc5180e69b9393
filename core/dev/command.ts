import { join } from 'node:path';
import { packageRoot } from '../package-root.ts';
import { pinoLog } from '../pino-log.ts';
import { systemClock } from '../system-clock.ts';
import type { Parts } from '../wiring/composition.ts';
import { openDataFolder } from './data-folder.ts';
import { type DevMesh, type StartLocalnet, startDevMesh } from './mesh.ts';
import { Narrator } from './narrator.ts';
import { type DevOptions, parseDevOptions } from './options.ts';
import { trade } from './run.ts';
import { untilStopped } from './until-stopped.ts';

export interface DevTools {
  readonly parts: Parts;
  readonly localnet: () => Promise<StartLocalnet>;
}

/** `mesh dev`: gives the exit code. */
export async function dev(args: readonly string[], tools: DevTools): Promise<number> {
  const options = parseDevOptions(args, join(packageRoot, 'README.md'));
  const narrator = new Narrator(
    options.json,
    (text) => void process.stdout.write(text),
    () => systemClock.now(),
  );
  const folder = await openDataFolder(options.data);
  const stop = untilStopped();
  let mesh: DevMesh | undefined;
  try {
    mesh = await startDevMesh({
      folder: folder.path,
      ports: options.ports,
      parts: tools.parts,
      startLocalnet: await tools.localnet(),
      log: pinoLog('error', (line) => void process.stderr.write(line)),
      progress: (text) => narrator.tell('progress', text, { text }),
    });
    introduce(mesh, options, narrator);
    const { file, deals } = options;
    const settled = await trade({ mesh, narrator, clock: systemClock, file, deals, signal: stop.signal });
    narrator.say(`\nStopping after ${settled} settled ${settled === 1 ? 'deal' : 'deals'} ...`);
    return 0;
  } finally {
    await mesh?.stop();
    await folder.release();
    stop.end();
    narrator.tell('stopped', 'Stopped.');
  }
}

function introduce(mesh: DevMesh, options: DevOptions, narrator: Narrator): void {
  const { aggregator, requester, worker } = mesh;
  narrator.tell(
    'ready',
    `
A mesh is running on this machine.

  aggregator     ${aggregator.url}      /agents  /leaderboard  /activity
  requester      ${requester.url}      agent ${requester.agentId}
  word-counter   ${worker.url}      agent ${worker.agentId}
                 every API explains itself at /docs, for machines at /openapi.json and /asyncapi.json
  ledger RPC     ${mesh.rpcUrl}      a Solana cluster in this process

  state          ${options.data ?? 'temporary (keep it with --data DIR)'}

Next, in another terminal:

  curl ${aggregator.url}/reputation/${worker.agentId}

The agents trade now; Ctrl-C stops everything.
`,
    {
      aggregator: aggregator.url,
      requester: { url: requester.url, agent_id: requester.agentId },
      worker: { url: worker.url, agent_id: worker.agentId },
      rpc: mesh.rpcUrl,
    },
  );
}
