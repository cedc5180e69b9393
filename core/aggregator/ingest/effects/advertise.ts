import { capabilitiesOf } from '../../../protocol/envelopes/payloads/capabilities.ts';
import type { AdvertisePayload } from '../../../protocol/envelopes/payloads/payloads.ts';
import { cleanName } from '../../agents/name-terms.ts';
import { countCapabilities } from '../../capabilities/counting.ts';
import type { StoredAgent } from '../../store/agents.ts';
import { changeAgent } from '../agent-rows.ts';
import type { Signed } from '../signed.ts';
import { type Effect, NOTHING_DROPPED } from './effect.ts';

const COUNTRY = /^[A-Z]{2}$/;

/**
 * ADVERTISE: capabilities and place. A field that a newer ADVERTISE names replaces the former one, empty lists and
 * texts included; a field that it leaves out stays. Words that are not capabilities, and countries that are not two
 * letters, are dropped.
 */
export function advertiseEffect({ sender, at }: Signed, { capabilities, geo }: AdvertisePayload): Effect {
  return {
    reads: () => [],
    apply(tx) {
      changeAgent(tx, sender, (agent) => {
        if (at < agent.advertise) return agent;
        const able = capabilities && capabilitiesOf(capabilities);
        if (able) countCapabilities(tx, sender, able);
        return { ...(geo ? withPlace(agent, geo) : agent), ...(able && { capabilities: able }), advertise: at };
      });
      return NOTHING_DROPPED;
    },
  };
}

function withPlace(agent: StoredAgent, geo: NonNullable<AdvertisePayload['geo']>): StoredAgent {
  const { country: _country, city: _city, ...rest } = agent;
  const country = (geo.country ?? '').trim().toUpperCase();
  if (!COUNTRY.test(country)) return rest;
  const city = cleanName(geo.city ?? '');
  return { ...rest, country, ...(city !== '' && { city }) };
}
