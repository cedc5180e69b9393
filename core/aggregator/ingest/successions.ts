import { RateLimiter } from '../../http/limits.ts';
import { genuineSuccessions, type Succession, untimely } from '../../messaging/successions.ts';
import type { Verifier } from '../../messaging/verification/verifier.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Count } from '../../platform/metrics.ts';
import type { BeaconPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { Space } from '../../storage/space.ts';
import { hosts } from '../store/hosts.ts';
import { activity, activityPosting } from '../store/logs.ts';
import { factsOf, refusalOf, type SuccessionRefusal } from './effects/succession.ts';

/** Successions of one host that are verified in an hour: twice as many as four of its BEACONs can hold. */
const PER_HOUR = 128;
/** A key that has done one of these has a history of its own. */
const DEEDS = ['ACCEPT', 'REJECT', 'DELIVER', 'VERDICT', 'DISPUTE', 'FEEDBACK'] as const;

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
  const perHost = new RateLimiter({ rate: PER_HOUR, window: 3_600 }, clock);

  return async (shownBy, { successions = [] }) => {
    const found: { readonly one: Succession; readonly recoveryKey: string }[] = [];
    for (const one of successions) {
      const ruling = await rulingOf(one);
      if (ruling === 'known') continue;
      if ('refusal' in ruling) refuse(one, ruling.refusal);
      else if (perHost.tryTake(shownBy)) found.push({ one, recoveryKey: ruling.recoveryKey });
      else refuse(one, 'rate');
    }
    if (found.length === 0) return [];
    const listed = found.map(({ one }) => one);
    const keys = found.map(({ recoveryKey }) => recoveryKey);
    const genuine = await genuineSuccessions(listed, keys, parts);
    for (const [place, one] of listed.entries()) if (!genuine[place]) refuse(one, 'forged');
    return listed.filter((_, place) => genuine[place]);
  };

  async function rulingOf(one: Succession) {
    const { agent_id, successor } = one;
    const facts = await factsOf(space, one);
    if (facts.old?.successor?.agent_id === successor) return 'known';
    const claim = await space.get(hosts.ref(agent_id));
    if (!claim) return { refusal: 'unknown' } as const;
    const refusal = untimely(one, network, clock.now()) ?? refusalOf(one, facts);
    if (refusal) return { refusal };
    return (await hasActed(successor)) ? ({ refusal: 'history' } as const) : { recoveryKey: claim.recovery_key };
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
