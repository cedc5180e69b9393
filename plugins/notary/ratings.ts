import { MeshError, type SendPart } from '../../core/plugin.ts';
import { cases, judgedRef } from './case-records.ts';

const NOTARY = 1;

/** A notary's rating of one side: after its verdict, without which aggregators drop it, and once for each side. */
export const ratingPart: SendPart<'FEEDBACK'> = {
  reads: ({ payload: { conversation_id, target_agent } }) => [
    judgedRef(conversation_id, target_agent),
    cases.ref(conversation_id),
  ],
  apply(tx, { payload: { conversation_id, target_agent, role } }) {
    if (role !== NOTARY) return;
    const judgedIn = tx.get(judgedRef(conversation_id, target_agent));
    const ref = cases.ref(judgedIn?.case_id ?? conversation_id);
    const [before] = tx.pull([ref]);
    const { rated = [] } = before ?? {};
    if (!before?.verdict)
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
