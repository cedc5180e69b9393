import { readFileSync } from 'node:fs';
import { AggregatorClient } from '../client/aggregator-client.ts';
import { ClientError } from '../client/client-error.ts';
import { NodeClient } from '../client/node-client.ts';
import { parseSecret, secretFileOf } from '../host/config/api-secret.ts';
import type { Configuration } from '../host/config/configuration.ts';
import type { Settings } from '../internal-services.ts';
import { urlOf } from '../platform/listen.ts';
import { type Call, Failure, type NodeFlags, type Options, type Terminal, UsageError } from './command.ts';
import { wholeConfiguration } from './configured.ts';

/** That of `mesh dev`. */
const NEAREST_AGGREGATOR = 'http://127.0.0.1:9080';

/** The options of a command that asks a running node. */
export const NODE_OPTIONS = {
  url: { takes: 'URL', summary: 'where the node listens', default: 'as configured' },
  secret: { takes: 'SECRET', summary: "the node's API secret", default: 'the one in its data folder' },
} as const satisfies Options;
export const NODE_FLAGS = ['api-addr', 'data-dir'];

/** A running process, how it is asked, and what is configured about it. */
export interface Target {
  readonly url: string;
  readonly secret?: string;
  readonly configuration: Configuration;
}

/**
 * The running process that a command asks: `--url` and `--secret`, otherwise the one that plugins.json and the flags
 * describe, with the secret it has written into its data folder.
 */
export function targetOf({ options, flags }: Call<typeof NODE_OPTIONS>, terminal: Terminal): Target {
  const { url, secret } = options;
  checkUrl(url);
  const configuration = wholeConfiguration(flags, terminal);
  const { settings, listen } = configuration;
  const own = secret ?? settings.api.secret ?? secretIn(settings.dataDir);
  return { url: url ?? urlOf(listen.host, listen.port), ...(own !== undefined && { secret: own }), configuration };
}

/** A client of that process; `timeout` in milliseconds where an answer takes longer than usual. */
export function nodeOf(call: Call<typeof NODE_OPTIONS>, terminal: Terminal, timeout?: number): NodeClient {
  const { url, secret } = targetOf(call, terminal);
  return new NodeClient({ url, ...(secret !== undefined && { secret }), ...(timeout !== undefined && { timeout }) });
}

/** The first aggregator of the configuration, otherwise the one of `mesh dev`. */
export function aggregatorUrlOf({ mesh }: Settings): string {
  return mesh.aggregators?.[0] ?? NEAREST_AGGREGATOR;
}

export function settingsOf(flags: NodeFlags, terminal: Terminal): Settings {
  return wholeConfiguration(flags, terminal).settings;
}

function checkUrl(url: string | undefined): void {
  if (url !== undefined && !/^https?:\/\//.test(url)) throw new UsageError(`--url takes an http address, not ${url}`);
}

function secretIn(dataDir: string): string | undefined {
  const file = secretFileOf(dataDir);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  return parseSecret(text, file);
}

/** The options of a command that asks an aggregator: those of the others, where a node or an aggregator may listen. */
export const AGGREGATOR_OPTIONS = {
  ...NODE_OPTIONS,
  url: { ...NODE_OPTIONS.url, summary: 'where the node listens, or the aggregator' },
} as const;
export const AGGREGATOR_FLAGS = [...NODE_FLAGS, 'aggregator-url'];

/**
 * The aggregator that a command asks: `--aggregator-url`; otherwise the process at `--url`, when it is one, or the first
 * that the running node reaches; where no node runs, the first one configured, otherwise that of `mesh dev`.
 */
export async function aggregatorOf(
  call: Call<typeof AGGREGATOR_OPTIONS>,
  terminal: Terminal,
): Promise<AggregatorClient> {
  return new AggregatorClient({ url: await aggregatorUrl(call, terminal) });
}

async function aggregatorUrl(call: Call<typeof AGGREGATOR_OPTIONS>, terminal: Terminal): Promise<string> {
  const { url, secret, configuration } = targetOf(call, terminal);
  const { overrides, settings } = configuration;
  if (overrides.some(({ flag, explicit }) => explicit && flag.name === 'aggregator-url'))
    return aggregatorUrlOf(settings);
  const node = new NodeClient({ url, ...(secret !== undefined && { secret }) });
  try {
    const { profile } = await node.ready();
    if (profile === 'aggregator') return url;
  } catch (error) {
    const isNobody = error instanceof ClientError && error.code === 'unreachable';
    const isNamed = call.options.url !== undefined || overrides.some(({ flag }) => flag.key === 'listen');
    if (isNobody && !isNamed) return aggregatorUrlOf(settings);
    throw error;
  }
  const used = await node.aggregators();
  const found = used.find(({ state }) => state === 'ok') ?? used[0];
  if (found) return found.url;
  throw new Failure(`The node at ${url} uses no aggregator. Start it with --aggregator-url, or name one here.`);
}
