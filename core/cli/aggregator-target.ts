import { AggregatorClient } from '../client/aggregator-client.ts';
import { ClientError } from '../client/client-error.ts';
import { NodeClient } from '../client/node-client.ts';
import { type Call, Failure, type Terminal } from './command.ts';
import { aggregatorUrlOf, NODE_FLAGS, NODE_OPTIONS, targetOf } from './target.ts';

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
  return new AggregatorClient({ url: await urlOf(call, terminal) });
}

async function urlOf(call: Call<typeof AGGREGATOR_OPTIONS>, terminal: Terminal): Promise<string> {
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
