import { join, resolve } from 'node:path';
import { secretFileOf } from '../../host/config/api-secret.ts';
import type { Parts } from '../../host/wiring/composition.ts';
import { packageRoot } from '../../platform/package-root.ts';
import { pinoLog } from '../../platform/pino-log.ts';
import { messageOf } from '../../platform/problem.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { VERSION } from '../../platform/version.ts';
import { calledAs } from '../called-as.ts';
import { type Call, type Command, command, Failure, UsageError } from '../command.ts';
import { stopSignals } from '../stop-signals.ts';
import { openDataFolder } from './data-folder.ts';
import { type DevMesh, type StartedPart, type StartLocalnet, startDevMesh } from './mesh.ts';
import { Narrator } from './narrator.ts';
import { DEV_ABOUT, DEV_OPTIONS, type DevOptions, devOptions } from './options.ts';
import { watchParent } from './parent-watch.ts';
import { trade } from './run.ts';
import { describeTask } from './task.ts';
import { aboutPerson, NAMES_WIDTH, runTown, TOWN } from './town/run.ts';
import type { Upstreams } from './upstreams.ts';

export interface DevTools {
  readonly parts: Parts;
  readonly localnet: () => Promise<StartLocalnet>;
  /** The stand-ins of the repository; undefined in an installed package, which has none. */
  readonly upstreams?: (() => Promise<Upstreams>) | undefined;
  /** True once the processes that started this one have ended. */
  readonly isOrphan: () => boolean;
}

/**
 * Milliseconds from the request to stop until the process ends, whatever still hangs. Ending it then loses nothing: the
 * stores are whole at any moment.
 */
const STOP_DEADLINE = 4_000;

const NEEDS_CLONE =
  '--with-upstreams needs a clone of the repository: the stand-ins are test code, and no part of the package. Clone it, and run there: npm start -- --with-upstreams';

/** `mesh dev`: a whole mesh. */
export function devCommand(tools: DevTools): Command {
  return command({
    summary: 'Runs a whole mesh on this machine, with agents that trade.',
    about: DEV_ABOUT,
    options: DEV_OPTIONS,
    examples: ['dev', 'dev --town', 'dev --deals 3 --data ./data'],
    async run({ options }) {
      try {
        await dev(options, tools);
        return 0;
      } catch (error) {
        if (error instanceof UsageError) throw error;
        throw new Failure(messageOf(error), { event: 'failed' }, error);
      }
    },
  });
}

/**
 * Resolves when everything has stopped; rejects with a `UsageError` for what the person at the keyboard can mend, and with
 * a sentence when the deals that were asked for did not settle.
 */
async function dev(given: Call<typeof DEV_OPTIONS>['options'], tools: DevTools): Promise<void> {
  const options = devOptions(given, join(packageRoot, 'README.md'));
  await describeTask(options.file).catch((error: Error) => {
    throw new UsageError(`--file: ${error.message}.`);
  });
  if (options.withUpstreams && !tools.upstreams) throw new UsageError(NEEDS_CLONE);
  const folder = await openDataFolder(options.data);
  const write = (text: string) => void process.stdout.write(text);
  const width = options.town === undefined ? undefined : NAMES_WIDTH;
  const narrator = new Narrator(options.json, write, systemClock.now, width);
  const asked = stopSignals();
  const orphaned = new AbortController();
  const unwatch = watchParent(tools.isOrphan, () => orphaned.abort(new Error('npm is gone')));
  const signal = AbortSignal.any([asked.signal, orphaned.signal]);
  signal.addEventListener('abort', () => {
    narrator.say('\nStopping ...');
    setTimeout(() => process.exit(1), STOP_DEADLINE).unref();
  });
  try {
    await run(options, tools, folder.path, narrator, signal);
  } finally {
    folder.release();
    unwatch();
    asked.end();
    narrator.tell('stopped', 'Stopped.');
  }
}

async function run(
  options: DevOptions,
  tools: DevTools,
  folder: string,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<void> {
  const { file, deals, town } = options;
  let mesh: DevMesh | undefined;
  let count = 0;
  // A person reads the address to open first; programs get each part as it starts.
  const parts: StartedPart[] = [];
  try {
    narrator.say(`agent-mesh ${VERSION}: starting a whole mesh on this machine ...\n`);
    mesh = await startDevMesh({
      folder,
      ports: options.ports,
      storage: options.storage,
      parts: tools.parts,
      startLocalnet: await tools.localnet(),
      ...(town !== undefined && { agents: TOWN }),
      upstreams: options.withUpstreams ? await tools.upstreams?.() : undefined,
      log: pinoLog('error', { write: (line) => void process.stderr.write(line) }),
      signal,
      started: (part) => (options.json ? tellPart(part, narrator, town !== undefined) : parts.push(part)),
    });
    narrator.say(
      `Open ${mesh.aggregator.url}/ in a browser: deals show there as they happen.\nCtrl-C stops everything.\n`,
    );
    for (const part of parts) tellPart(part, narrator, town !== undefined);
    tellReady(mesh, folder, options, narrator);
    const settled = (number: number) => {
      if (number === 1 && deals !== 1 && town === undefined) suggest(mesh!, narrator);
    };
    const market = { mesh, narrator, clock: systemClock, deals, signal };
    count = await (town === undefined
      ? trade({ ...market, file, settled })
      : runTown({ ...market, seed: town, settled }));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await mesh?.stop();
  }
  if (deals === undefined) return;
  if (count < deals) throw new Error(`Stopped after ${count} of ${deals} deals.`);
  const byNpm = isByNpm();
  const keep = options.data === undefined ? '' : `${byNpm ? ' --' : ''} --data ${options.data}`;
  narrator.say(`\nDone. A mesh that goes on until Ctrl-C:\n\n  ${byNpm ? 'npm start' : `${meshHere()} dev`}${keep}\n`);
}

function isByNpm(): boolean {
  return process.env['npm_lifecycle_event'] === 'start';
}

/** How other commands are called by whoever started this one. */
function meshHere(): string {
  return isByNpm() ? 'npm run mesh --' : calledAs(process.env, resolve('.'));
}

const ABOUT: Readonly<Record<string, string>> = {
  ledger: 'a Solana cluster in this process, with the settlement program',
  redis: 'where aggregator and nodes keep their state',
  aggregator: 'who there is and what they are worth: /docs /agents /leaderboard /activity',
  requester: 'has words counted, and pays',
  'word-counter': 'counts words, for money',
};

function tellPart(part: StartedPart, narrator: Narrator, isTown: boolean): void {
  const { name, url, agentId, insteadOf } = part;
  const own = part.about ?? (isTown ? aboutPerson(name) : undefined) ?? ABOUT[name];
  const about = agentId === undefined ? own : `agent ${agentId}, ${own}`;
  narrator.line('started', name, `${url}  ${about}${insteadOf ? ` (port ${insteadOf} is busy)` : ''}`, {
    name,
    url,
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(insteadOf !== undefined && { instead_of_port: insteadOf }),
  });
}

function tellReady(mesh: DevMesh, folder: string, { data }: DevOptions, narrator: Narrator): void {
  const { program, config } = mesh.settlement;
  const { networkId: network_id } = mesh;
  narrator.line('settlement', 'settlement', `network id ${network_id}, program ${program}, config ${config}`, {
    network_id,
    program,
    config,
  });
  const state = `${folder}${data === undefined ? '  (removed at the end; keep it with --data DIR)' : ''}`;
  narrator.line(
    'ready',
    'state',
    `${state}\n\nThe console of the requester is ${mesh.requester.url}/ and asks for the secret in ${secretFileOf(join(folder, 'requester'))}`,
    {
      rpc: mesh.rpcUrl,
      explorer: `${mesh.aggregator.url}/`,
      console: { url: `${mesh.requester.url}/`, secret_file: secretFileOf(join(folder, 'requester')) },
      aggregator: mesh.aggregator.url,
      requester: { url: mesh.requester.url, agent_id: mesh.requester.agentId },
      worker: { url: mesh.worker.url, agent_id: mesh.worker.agentId },
      state: folder,
    },
  );
}

const WALK = 'Launch a token, trade, deposit, withdraw and register, line by line: docs/upstreams.md';

/** Where to look, when there is something to see. */
function suggest({ aggregator, requester, worker, rpcUrl, upstreams }: DevMesh, narrator: Narrator): void {
  narrator.say(`
Look around while they go on:

  explorer      ${aggregator.url}/
  console       ${requester.url}/
  aggregator    ${aggregator.url}/activity
  requester     ${requester.url}/deals
  word-counter  ${worker.url}/deals
  ledger        ${rpcUrl}
  its money     ${meshHere()} faucet ADDRESS --sol 1 --usdc 100 --rpc-url ${rpcUrl}

Next, in another terminal, ask what the word-counter's good name is made of:

  curl ${aggregator.url}/reputation/${worker.agentId}

${upstreams.length > 0 ? WALK : `Launch a token, trade, deposit, withdraw and register, with stand-ins for the services outside:\n\n  ${isByNpm() ? 'npm start --' : `${meshHere()} dev`} --with-upstreams --data ./data`}`);
}
