import { MeshError, type SendPart } from '../../core/plugin.ts';
import { cases } from './case-records.ts';

const NOTARY = 1;

/** A notary's rating of one side: after its verdict, without which aggregators drop it, and once for each side. */
export const ratingPart: SendPart<'FEEDBACK'> = {
  reads: ({ payload: { conversation_id } }) => [cases.ref(conversation_id)],
  apply(tx, { payload: { conversation_id, target_agent, role } }) {
    const ref = cases.ref(conversation_id);
    const before = tx.get(ref);
    // Anybody can open a case of a deal in which this agent is a party.
    if (!before || role !== NOTARY) return;
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
