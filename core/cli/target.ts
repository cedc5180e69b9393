import { readFileSync } from 'node:fs';
import { NodeClient } from '../client/node-client.ts';
import { parseSecret, secretFileOf } from '../host/config/api-secret.ts';
import type { Configuration } from '../host/config/configuration.ts';
import type { Settings } from '../internal-services.ts';
import { urlOf } from '../platform/listen.ts';
import { type Call, type NodeFlags, type Options, type Terminal, UsageError } from './command.ts';
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
