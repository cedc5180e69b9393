import type { AggregatorClient } from '../../client/aggregator-client.ts';
import { isMeshError } from '../../contracts/errors.ts';
import type { Settings } from '../../internal-services.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { TokenBucket } from '../../platform/token-bucket.ts';
import { type TypedSchema, typed } from '../../plugin.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import type { Gate } from './lease-gate.ts';

/** `core.stake` of plugins.json. */
export interface StakeConfig {
  readonly gate: boolean;
}

export const stakeConfig: TypedSchema<StakeConfig> = typed<StakeConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    gate: {
      description:
        'Take offers only from agents that have at stake what the aggregators require of them, which rises with every deal they abandoned after the first.',
      type: 'boolean',
      default: false,
    },
  },
});

const FRESH = 600_000;
/** Milliseconds for which an agent's last good answer holds while no aggregator answers. */
const LONGEST = 24 * 3_600_000;
const REMEMBERED = 10_000;
/** Questions a second, and at once: anybody can write under any number of keys. */
const QUESTIONS = 20;
const AT_ONCE = 200;

interface Known {
  readonly enough: boolean;
  readonly at: number;
}

/**
 * Accepts PROPOSE from agents with enough at stake. While no aggregator answers, an agent that had enough at its last
 * look-up stays accepted for a day; every other is answered `restricted` and may try again.
 */
export function stakeGate(aggregators: readonly Pick<AggregatorClient, 'requiredStake'>[], clock: Clock): Gate {
  const known = new BoundedMap<string, Known>(REMEMBERED);
  const questions = new TokenBucket(clock, QUESTIONS, AT_ONCE);

  async function ask(key: string): Promise<boolean | undefined> {
    if (!questions.take()) return undefined;
    let enough: false | undefined;
    for (const aggregator of aggregators) {
      try {
        return (await aggregator.requiredStake(key)).deficit_usdc === 0;
      } catch (error) {
        // An answer, which is remembered: another aggregator may have heard of the agent.
        if (isMeshError(error) && error.code === 'not_found') enough = false;
      }
    }
    return enough;
  }

  return async (sender, msgType) => {
    if (msgType !== 'PROPOSE') return 'accepted';
    const key = formatAgentId(sender);
    const before = known.get(key);
    const age = clock.now() - (before?.at ?? Number.NEGATIVE_INFINITY);
    if (before && age < FRESH) return before.enough ? 'accepted' : 'restricted';
    const enough = await ask(key);
    if (enough !== undefined) known.set(key, { enough, at: clock.now() });
    return (enough ?? (before && age < LONGEST && before.enough)) ? 'accepted' : 'restricted';
  };
}

/** Whether `core.stake.gate` is on. */
export function isStakeGated({ core }: Settings): boolean {
  const config: Partial<StakeConfig> | undefined = core['stake'];
  return config?.gate === true;
}
