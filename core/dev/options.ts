import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

export interface DevOptions {
  /** Stop after this many settled deals; go on for ever when undefined. */
  readonly deals: number | undefined;
  /** Where the state lives; a temporary folder that goes with the process when undefined. */
  readonly data: string | undefined;
  readonly ports: DevPorts;
  readonly storage: DevStorage;
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

/** A mistake of the person at the keyboard; the message says what to do. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export const DEV_USAGE = `Runs a whole mesh on this machine: a ledger, an aggregator, two nodes and two agents that trade.

  npm start -- [options]          or: mesh dev [options]

  --deals N             stop after N settled deals
  --data DIR            keep the state in DIR and go on from there next time
  --storage files|redis where the state is kept (default files; redis starts a redis-server of its own)
  --file FILE           the file whose words are counted (default: this README)
  --port N              first node's port (default 9090; the second node takes the next)
  --aggregator-port N   aggregator's port (default 9080)
  --rpc-port N          ledger's RPC port (default 8899; its WebSocket takes the next)
  --json                one JSON object a line instead of sentences

A default port that is busy moves up. Ctrl-C stops everything within five seconds; a second Ctrl-C at once.
Exit codes: 0 stopped as asked, 1 it did not work or fewer than N deals settled, 2 the command line is wrong.`;

export function parseDevOptions(args: readonly string[], readme: string): DevOptions {
  const values = parse(args);
  return {
    deals: positive('--deals', values.deals),
    data: values.data === undefined ? undefined : resolve(values.data),
    ports: {
      node: portOf('--port', values.port),
      aggregator: portOf('--aggregator-port', values['aggregator-port']),
      rpc: portOf('--rpc-port', values['rpc-port']),
    },
    storage: storageOf(values.storage),
    file: pathToFileURL(values.file === undefined ? readme : resolve(values.file)).href,
    json: values.json ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      options: {
        deals: { type: 'string' },
        data: { type: 'string' },
        storage: { type: 'string' },
        file: { type: 'string' },
        port: { type: 'string' },
        'aggregator-port': { type: 'string' },
        'rpc-port': { type: 'string' },
        json: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${DEV_USAGE}`);
  }
}

function positive(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`${flag} takes a whole number from 1 to 999999, not "${text}".`);
}

function storageOf(text = 'files'): DevStorage {
  if (text === 'files' || text === 'redis') return text;
  throw new UsageError(`--storage takes files or redis, not "${text}".`);
}

export function portOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_534) return port;
  throw new UsageError(`${flag} takes a port from 1 to 65534, not "${text}".`);
}
