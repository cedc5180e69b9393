import type { SchemaTypes } from '../../../schemas/types.ts';

type Network = SchemaTypes['network'];

/** The names of the parts in the settings and in words. */
const PARTS = [
  ['network_id', 'the network'],
  ['genesis_hash', 'the ledger of genesis hash'],
  ['program', 'the settlement program'],
  ['config', 'the settlement config'],
  ['epoch_secs', 'epochs of seconds'],
  ['envelope_version', 'envelopes of version'],
] as const;

export interface Difference {
  /** The middle of a sentence: `is of the network "b", this node of "a"`. */
  readonly said: string;
  readonly remedy: string;
}

/** The first part in which an aggregator's network is another one than this node's; undefined when none is. */
export function differenceOf(own: Network, theirs: Network): Difference | undefined {
  for (const [part, name] of PARTS) {
    if (own[part] === theirs[part]) continue;
    const said = `is of ${name} ${told(theirs[part])}, this node of ${told(own[part])}`;
    return { said, remedy: part === 'network_id' ? renamed(own, theirs) : resettled(part) };
  }
  return undefined;
}

/** The other side may say anything. */
function told(value: unknown): string {
  if (value === undefined) return 'none';
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 64)) : 'something that is no name';
}

function renamed(own: Network, theirs: Network): string {
  const other = told(theirs.network_id);
  return `Start this node with network.id (--network-id) ${other}, or give it an aggregator of ${told(own.network_id)}, and restart.`;
}

function resettled(part: string): string {
  const settings =
    'ledger.program, ledger.config and the RPC of the ledger, or network.genesisHash, program, config and epochSecs';
  return `Compare ${part} at /network of the aggregator with this node's settings (${settings}), set them alike, and restart.`;
}
