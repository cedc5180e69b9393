import { readFileSync } from 'node:fs';
import { AggregatorClient } from '../client/aggregator-client.ts';
import { NodeClient } from '../client/node-client.ts';
import { parseSecret, secretFileOf } from '../host/config/api-secret.ts';
import type { Configuration } from '../host/config/configuration.ts';
import { urlOf } from '../host/config/listen.ts';
import type { Settings } from '../services.ts';
import { type Call, type NodeFlags, type Options, type Terminal, UsageError } from './command.ts';
import { wholeConfiguration } from './configured.ts';

const NEAREST_AGGREGATOR = 'http://127.0.0.1:9080';

/** The options of a command that asks a running node. */
export const NODE_OPTIONS = {
  url: { takes: 'URL', summary: 'where the node listens', default: 'as configured' },
  secret: { takes: 'SECRET', summary: "the node's API secret", default: 'the one in its data folder' },
} as const satisfies Options;
export const NODE_FLAGS = ['api-addr', 'data-dir'];

/** The options of a command that asks an aggregator. */
export const AGGREGATOR_OPTIONS = {
  url: { takes: 'URL', summary: 'where it listens', default: `the first one configured, else ${NEAREST_AGGREGATOR}` },
} as const satisfies Options;
export const AGGREGATOR_FLAGS = ['aggregator-url'];

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

export function nodeOf(call: Call<typeof NODE_OPTIONS>, terminal: Terminal): NodeClient {
  const { url, secret } = targetOf(call, terminal);
  return new NodeClient({ url, ...(secret !== undefined && { secret }) });
}

/** The aggregator that a command asks: `--url`, otherwise as `aggregatorUrlOf`. */
export function aggregatorOf(
  { options: { url }, flags }: Call<typeof AGGREGATOR_OPTIONS>,
  terminal: Terminal,
): AggregatorClient {
  checkUrl(url);
  return new AggregatorClient({ url: url ?? aggregatorUrlOf(settingsOf(flags, terminal)) });
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
