import { networkOf } from '../../platform/addresses.ts';
import type { MeshLimits } from '../limits.ts';
import type { Session } from './session.ts';

/** The part of all peers that may have come by themselves: the rest is for those that this node wants to reach. */
const COMERS = 0.75;

/**
 * Whether a peer finds a place, and whose: keys cost nothing, so whoever has one address and many keys must not be able
 * to keep everybody else out. When all places are taken, the network with the most of them gives one to a network with
 * at least two fewer.
 */
export function placeFor(
  link: { readonly remote: string; readonly dialled: boolean },
  sessions: Iterable<Session>,
  { peers }: Pick<MeshLimits, 'peers'>,
): 'free' | 'none' | Session {
  const open = [...sessions].filter((session) => session.open);
  const came = open.filter(({ dialled }) => !dialled);
  if (open.length < peers && (link.dialled || came.length < Math.ceil(peers * COMERS))) return 'free';
  const networks = new Map<string, Session[]>();
  for (const session of came) {
    const network = networkOf(session.remote);
    const others = networks.get(network);
    if (others) others.push(session);
    else networks.set(network, [session]);
  }
  const own = link.dialled ? 0 : (networks.get(networkOf(link.remote))?.length ?? 0);
  const [largest] = [...networks.values()].sort((one, other) => other.length - one.length);
  if (!largest || largest.length < own + 2) return 'none';
  return largest.reduce((idle, session) => (session.lastEnvelope < idle.lastEnvelope ? session : idle));
}
