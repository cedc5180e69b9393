import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AggregatorClient } from '../client/aggregator-client.ts';
import { NodeClient } from '../client/node-client.ts';
import { type Configuration, readConfiguration } from '../config/configuration.ts';
import { urlOf } from '../config/listen.ts';
import { loadContracts } from '../contracts.ts';
import type { Settings } from '../ports.ts';
import { describeProblem } from '../problem.ts';
import { type Terminal, takeOption, UsageError } from './command.ts';
import { sourceOf } from './configured.ts';

const NEAREST_AGGREGATOR = 'http://127.0.0.1:9080';

/**
 * The running node that a command asks: `--url` and `--secret`, otherwise the one that plugins.json and the flags
 * describe, with the secret it has written into its data folder.
 */
export function nodeOf(args: readonly string[], terminal: Terminal): NodeClient {
  const { url, secret, configured } = read(args, terminal);
  const { settings, listen } = configured();
  const own = secret ?? settings.api.secret ?? secretIn(settings.dataDir);
  return new NodeClient({ url: url ?? urlOf(listen.host, listen.port), ...(own !== undefined && { secret: own }) });
}

/** The aggregator that a command asks: `--url`, otherwise as `aggregatorUrlOf`. */
export function aggregatorOf(args: readonly string[], terminal: Terminal): AggregatorClient {
  const { url, configured } = read(args, terminal);
  return new AggregatorClient({ url: url ?? aggregatorUrlOf(configured().settings) });
}

/** The first aggregator of the configuration, otherwise the one of `mesh dev`. */
export function aggregatorUrlOf({ mesh }: Settings): string {
  return mesh.aggregators?.[0] ?? NEAREST_AGGREGATOR;
}

export function settingsOf(flags: readonly string[], terminal: Terminal): Settings {
  return configuration(flags, terminal).settings;
}

function read(args: readonly string[], terminal: Terminal) {
  const { value: url, rest } = takeOption(args, 'url', 'text');
  const { value: secret, rest: flags } = takeOption(rest, 'secret', 'text');
  if (url !== undefined && !/^https?:\/\//.test(url)) throw new UsageError(`--url takes an http address, not ${url}`);
  return { url, secret, configured: () => configuration(flags, terminal) };
}

function configuration(flags: readonly string[], terminal: Terminal): Configuration {
  const found = readConfiguration(sourceOf(flags, terminal), loadContracts());
  if (found.problems.length > 0) throw new UsageError(found.problems.map(describeProblem).join('\n'));
  return found;
}

function secretIn(dataDir: string): string | undefined {
  try {
    return readFileSync(join(dataDir, 'api-secret'), 'utf8').trim();
  } catch {
    return undefined;
  }
}
