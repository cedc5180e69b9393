import type { TypedPayload } from '../../../protocol/envelopes/payloads/payloads.ts';
import type { Epochs } from '../../epochs.ts';
import type { Signed } from '../signed.ts';
import { advertiseEffect } from './advertise.ts';
import { beaconEffect, NOTHING_SHOWN, type Shown } from './beacon.ts';
import { bountyEffect } from './bounty.ts';
import { assignEffect, dealEffect, verdictEffect } from './deal.ts';
import { type Effect, NOTHING_DROPPED } from './effect.ts';
import { feedbackEffect } from './feedback.ts';

const NO_EFFECT: Effect = { reads: () => [], apply: () => NOTHING_DROPPED };

/** The effect of an envelope or its receipt on the public record; `shown` is what a BEACON shows of others. */
export function effectOf(
  item: Signed,
  payload: TypedPayload | undefined,
  parts: { readonly epochs: Epochs },
  shown: Shown = NOTHING_SHOWN,
): Effect {
  switch (payload?.msgType) {
    case 'BEACON':
      return beaconEffect(item, payload.value, shown, parts);
    case 'ADVERTISE':
      return advertiseEffect(item, payload.value);
    case 'BOUNTY':
      return bountyEffect(item, payload.value);
    case 'FEEDBACK':
      return feedbackEffect(item, payload.value, parts);
  }
  const { msgType, conversation, recipient, sender } = item;
  if (conversation === undefined || recipient === undefined || recipient === sender) return NO_EFFECT;
  switch (msgType) {
    case 'PROPOSE':
    case 'COUNTER':
    case 'ACCEPT':
    case 'REJECT':
    case 'DELIVER':
    case 'DISPUTE':
      return dealEffect(item, { type: msgType, conversation, recipient, payload }, parts);
    case 'VERDICT':
      return verdictEffect(item, { conversation, recipient }, parts);
    case 'NOTARIZE_ASSIGN':
      if (payload?.msgType !== msgType) return NO_EFFECT;
      return assignEffect(item, { conversation, notary: payload.value.verifier }, parts);
    default:
      return NO_EFFECT;
  }
}
