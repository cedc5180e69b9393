import { MeshError } from '../../contracts/errors.ts';
import type { SendHook } from '../../messaging/outgoing.ts';
import type { FeedbackPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { cases } from './case-records.ts';

/** A notary's rating of one side: after its verdict, without which aggregators drop it, and once for each side. */
export function notaryRatingSendHook({ conversation_id, target_agent }: FeedbackPayload): SendHook {
  const ref = cases.ref(conversation_id);
  return {
    reads: [ref],
    apply(tx) {
      const before = tx.get(ref)!;
      const { verdict, rated = [] } = before;
      if (!verdict)
        throw new MeshError('invalid_transition', {
          detail: 'A notary rates the sides of a deal once it has given its verdict: POST /verdict.',
          extra: { allowed_actions: ['verdict'] },
        });
      if (rated.includes(target_agent))
        throw new MeshError('invalid_transition', {
          detail: 'You have rated this side of the deal; a rating counts once.',
          extra: { allowed_actions: [] },
        });
      tx.put(ref, { ...before, rated: [...rated, target_agent] });
    },
  };
}
