import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Call, type Options, UsageError } from '../command.ts';

export interface DevOptions {
  /** Stop after this many settled deals; go on for ever when undefined. */
  readonly deals: number | undefined;
  /** Where the state lives; a temporary folder that goes with the process when undefined. */
  readonly data: string | undefined;
  readonly ports: DevPorts;
  readonly storage: DevStorage;
  /** Whether stand-ins for the services outside of the mesh run beside it. */
  readonly withUpstreams: boolean;
  /** The seed of a town of nine agents; two agents alone when undefined. */
  readonly town: string | undefined;
  /** The file whose words are counted, as a file URL. */
  readonly file: string;
  readonly json: boolean;
}

/** Where aggregator and nodes keep their state: in files of the data folder, or in one Redis. */
export type DevStorage = 'files' | 'redis';

/** `undefined` means the default, which moves up when it is busy. */
export interface DevPorts {
  readonly node: number | undefined;
  readonly aggregator: number | undefined;
  readonly rpc: number | undefined;
}

export const DEV_OPTIONS = {
  deals: { takes: 'N', summary: 'stop after N settled deals', default: 'never' },
  data: { takes: 'DIR', summary: 'keep the state in DIR and go on from there next time', default: 'gone at the end' },
  storage: {
    takes: 'KIND',
    summary: 'files or redis; redis starts a redis-server of its own',
    choices: ['files', 'redis'],
    default: 'files',
  },
  file: { takes: 'FILE', summary: 'the file whose words are counted', default: 'the README' },
  town: { summary: 'nine agents of different trades in place of two' },
  seed: { takes: 'WORD', summary: 'what the town does follows from it', default: '1' },
  'with-upstreams': {
    summary: 'stand-ins for launchpad, market, gateway, attestation and registry beside it (docs/upstreams.md)',
  },
  port: { takes: 'N', summary: "first node's port; the second node takes the next", default: '9090' },
  'aggregator-port': { takes: 'N', summary: "aggregator's port", default: '9080' },
  'rpc-port': { takes: 'N', summary: "ledger's RPC port; its WebSocket takes the next", default: '8899' },
} as const satisfies Options;

export const DEV_ABOUT = `A ledger, an aggregator, two nodes and two agents that trade, in one process; with --town nine of each. Under npm, options follow two dashes:
npm start -- --deals 3. A default port that is busy moves up. Ctrl-C stops everything within five seconds; a second one at
once. With --json it prints one JSON document a line.`;

export function devOptions(given: Call<typeof DEV_OPTIONS>['options'], readme: string): DevOptions {
  return {
    deals: positive('--deals', given.deals),
    data: given.data === undefined ? undefined : resolve(given.data),
    ports: {
      node: portOf('--port', given.port),
      aggregator: portOf('--aggregator-port', given['aggregator-port']),
      rpc: portOf('--rpc-port', given['rpc-port']),
    },
    storage: given.storage === 'redis' ? 'redis' : 'files',
    withUpstreams: given['with-upstreams'],
    town: townOf(given),
    file: pathToFileURL(given.file === undefined ? readme : resolve(given.file)).href,
    json: given.json,
  };
}

function townOf({ town, seed, file }: Call<typeof DEV_OPTIONS>['options']): string | undefined {
  if (!town && seed !== undefined) throw new UsageError('--seed is for a town: give --town, too.');
  if (town && file !== undefined) throw new UsageError('--file is for two agents: leave out --file or --town.');
  return town ? (seed ?? '1') : undefined;
}

function positive(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`${flag} takes a whole number from 1 to 999999, not "${text}".`);
}

export function portOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_534) return port;
  throw new UsageError(`${flag} takes a port from 1 to 65534, not "${text}".`);
}
