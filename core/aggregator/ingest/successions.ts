import { RateLimiter } from '../../http/limits.ts';
import { genuineSuccessions, SUCCESSIONS_OF_A_HOST, type Succession, untimely } from '../../messaging/successions.ts';
import type { Verifier } from '../../messaging/verification/verifier.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Count } from '../../platform/metrics.ts';
import type { BeaconPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { Space } from '../../storage/space.ts';
import { agents } from '../store/agents.ts';
import { hosts } from '../store/hosts.ts';
import { activity, activityPosting } from '../store/logs.ts';
import { factsOf, refusalOf, type SuccessionRefusal } from './effects/succession.ts';

/** A key that has done one of these has a history of its own. */
const DEEDS = ['ACCEPT', 'REJECT', 'DELIVER', 'VERDICT', 'DISPUTE', 'FEEDBACK'] as const;

/** Pairs of keys that are remembered because nothing will ever allow them. */
const REMEMBERED = 10_000;

export interface SuccessionParts {
  readonly space: Space;
  readonly network: Network;
  readonly verifier: Verifier;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts those that are refused, by reason. */
  readonly refused?: Count | undefined;
}

/** Gives the successions of a BEACON that are signed by both keys, say something new and may be. Anybody may show them. */
export type Successions = (shownBy: string, beacon: BeaconPayload) => Promise<readonly Succession[]>;

export function successionsIn(parts: SuccessionParts): Successions {
  const { space, network, clock, log, refused } = parts;
  const perHost = new RateLimiter(SUCCESSIONS_OF_A_HOST, clock);
  // A host shows its successions by turns for ever: those that are refused for good take no part of what it may show, but once.
  const never = new BoundedMap<string, SuccessionRefusal>(REMEMBERED);

  return async (shownBy, { successions = [] }) => {
    const found: { readonly one: Succession; readonly recoveryKey: string }[] = [];
    for (const one of successions) {
      if (await isKnown(one)) continue;
      const ruling = await rulingOf(one, shownBy);
      if ('refusal' in ruling) refuse(one, ruling.refusal);
      else found.push({ one, recoveryKey: ruling.recoveryKey });
    }
    if (found.length === 0) return [];
    const listed = found.map(({ one }) => one);
    const keys = found.map(({ recoveryKey }) => recoveryKey);
    const genuine = await genuineSuccessions(listed, keys, parts);
    const acted = await Promise.all(listed.map(({ successor }, place) => genuine[place] && hasActed(successor)));
    for (const [place, one] of listed.entries()) {
      if (!genuine[place]) refuse(one, 'forged');
      else if (acted[place]) refuse(one, refusedForGood(one, 'history'));
    }
    return listed.filter((_, place) => genuine[place] && !acted[place]);
  };

  async function isKnown({ agent_id, successor }: Succession): Promise<boolean> {
    return (await space.get(agents.ref(agent_id)))?.successor?.agent_id === successor;
  }

  async function rulingOf(one: Succession, shownBy: string) {
    const known = never.get(pairOf(one));
    if (known) return { refusal: known } as const;
    const late = untimely(one, network, clock.now());
    if (late) return { refusal: late } as const;
    const claim = await space.get(hosts.ref(one.agent_id));
    // Clients of a host can make up keys as they like; what nothing was read for takes no part of what the host may show.
    if (!claim) return { refusal: 'unknown' } as const;
    if (!perHost.tryTake(shownBy)) return { refusal: 'rate' } as const;
    const refusal = refusalOf(one, await factsOf(space, one));
    return refusal ? { refusal: refusedForGood(one, refusal) } : { recoveryKey: claim.recovery_key };
  }

  /** Nothing undoes the deeds of a key. */
  function refusedForGood(one: Succession, refusal: SuccessionRefusal): SuccessionRefusal {
    never.set(pairOf(one), refusal);
    return refusal;
  }

  async function hasActed(agent: string): Promise<boolean> {
    const pages = DEEDS.map((type) => space.page(activity, { posting: activityPosting({ agent, type }), limit: 1 }));
    return (await Promise.all(pages)).some((rows) => rows.length > 0);
  }

  function refuse({ agent_id, successor }: Succession, reason: SuccessionRefusal): void {
    refused?.({ reason });
    log.debug({ agent: agent_id, successor, reason }, 'a succession is refused');
  }
}

function pairOf({ agent_id, successor }: Succession): string {
  return `${agent_id} ${successor}`;
}
