import { replaces } from '../../../messaging/host-claims.ts';
import type { Succession } from '../../../messaging/successions.ts';
import type { BeaconPayload } from '../../../protocol/envelopes/payloads/payloads.ts';
import type { Tx } from '../../../storage/transaction.ts';
import { cleanName } from '../../agents/name-terms.ts';
import type { Epochs } from '../../epochs.ts';
import { agents, ONLINE_MS, online } from '../../store/agents.ts';
import { hosts, type StoredHost } from '../../store/hosts.ts';
import { activity, beaconCount, keptId, type StoredActivity } from '../../store/logs.ts';
import { scoreChanges } from '../../store/scores.ts';
import { changeAgent } from '../agent-rows.ts';
import type { Signed } from '../signed.ts';
import { type Effect, NOTHING_DROPPED } from './effect.ts';
import { succeed, successionRefs } from './succession.ts';

/** The verified claims and successions of a BEACON. */
export interface Shown {
  readonly hosted: readonly StoredHost[];
  readonly successions: readonly Succession[];
}

export const NOTHING_SHOWN: Shown = { hosted: [], successions: [] };

/**
 * BEACON: the agent's name, address and hubs, with the first one a JOIN, and the agents that it is the host of. The newest
 * signed one is shown. What it shows of other agents was verified.
 */
export function beaconEffect(
  { id, sender, slot, at, header, nonce }: Signed,
  { name, url, hubs }: BeaconPayload,
  { hosted, successions }: Shown,
  { epochs }: { readonly epochs: Epochs },
): Effect {
  const show = (tx: Tx): void => {
    for (const claim of hosted) {
      // A key that was replaced stays where it was: its former neighbours are known by that.
      const [agent] = tx.pull([agents.ref(claim.agent_id)]);
      if (agent?.successor || !replaces(tx.get(hosts.ref(claim.agent_id)), claim, tx.now)) continue;
      tx.put(hosts.ref(claim.agent_id), claim);
      tx.append(scoreChanges, { from: claim.agent_id });
    }
    for (const one of successions) succeed(tx, one, slot, epochs);
  };
  return {
    overtaken: show,
    reads: () => [...hosted.map(({ agent_id }) => hosts.ref(agent_id)), ...successions.flatMap(successionRefs)],
    apply(tx) {
      show(tx);
      const signedAt = Math.min(at, tx.now);
      tx.add(beaconCount, 1);
      const fresh = signedAt + ONLINE_MS - tx.now;
      if (fresh > 0) tx.put(online.ref(sender), {}, { ttl: fresh });
      changeAgent(tx, sender, (agent) => {
        const { beacon } = agent;
        const newest = header.version === 2 ? { nonce: Math.max(beacon?.nonce ?? 0, nonce) } : {};
        if (!beacon) tx.append(activity, joined({ id, sender, slot }, cleanName(name), tx.now));
        if (beacon && signedAt < beacon.last) {
          return { ...agent, beacon: { ...beacon, ...newest, first: Math.min(beacon.first, signedAt) } };
        }
        const { url: _, ...others } = agent;
        const said = { ...others, name: cleanName(name), hubs: [...hubs], ...(url !== undefined && { url }) };
        return { ...said, beacon: { ...newest, first: beacon?.first ?? signedAt, last: signedAt } };
      });
      return NOTHING_DROPPED;
    },
  };
}

function joined(
  { id, sender, slot }: Pick<Signed, 'id' | 'sender' | 'slot'>,
  name: string,
  at: number,
): StoredActivity {
  return { event_type: 'JOIN', agent_id: sender, ...(name !== '' && { name }), ...keptId(id), slot, at };
}
