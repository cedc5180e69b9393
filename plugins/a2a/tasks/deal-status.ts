import type { DealView } from '../../../core/services.ts';
import type { Metadata, TaskState } from '../protocol/objects.ts';

/** The status of a task by its deal. */
export interface DealStatus {
  readonly state: TaskState;
  readonly text: string;
  readonly data: Metadata | null;
  readonly final: boolean;
}

/** The side that answers for the money of the task: nobody, the client step by step, or this node by itself. */
export type Settling = 'nobody' | 'client' | 'node';

type Told = readonly [state: TaskState, text: string, needs?: true];

const MONEY = ['lock', 'pay', 'approve'];

/**
 * The table of docs/a2a.md. A state that A2A calls terminal is shown only once the deal is final: until then an envelope that was
 * signed in time may still change it. `fault` is why a step of this node failed.
 */
export function statusOf(deal: DealView, settling: Settling, fault: string | null): DealStatus {
  const isFinal = deal.next_timer === null;
  const [state, text, needs] = told(deal, settling, fault, isFinal);
  return {
    state,
    text: fault === null || isFinal ? text : `${text} A step of this node failed: ${fault}`,
    data: needs ? questionOf(deal) : null,
    final: isFinal && /COMPLETED|FAILED|CANCELED|REJECTED/.test(state),
  };
}

function told(deal: DealView, settling: Settling, fault: string | null, isFinal: boolean): Told {
  const { state, reason, allowed_actions: allowed, next_timer } = deal;
  const until = next_timer ? ` until ${next_timer.at}` : '';
  const amount = `${deal.amount_usdc} USDC`;
  switch (state) {
    case 'proposed':
      return ['TASK_STATE_SUBMITTED', `The offer waits for the agent${until}.`];
    case 'countered':
      if (!allowed.includes('accept'))
        return ['TASK_STATE_SUBMITTED', `Your offer of ${amount} waits for the agent${until}.`];
      return settling === 'nobody'
        ? [
            'TASK_STATE_INPUT_REQUIRED',
            `The agent asks for ${amount}. Paid work is a deal on the mesh; cancel this task.`,
            true,
          ]
        : ['TASK_STATE_INPUT_REQUIRED', `The agent asks for ${amount}: accept, counter or reject${until}.`, true];
    case 'accepted':
      if (!deal.escrow.agreed || !allowed.includes('lock')) return ['TASK_STATE_WORKING', 'The agent works on it.'];
      if (settling === 'nobody' || fault === null) return ['TASK_STATE_WORKING', `${amount} are being locked.`];
      return ['TASK_STATE_INPUT_REQUIRED', `Lock ${amount}${until}.`, true];
    case 'delivered':
      if (settling === 'node' && fault === null)
        return ['TASK_STATE_WORKING', `The work is there; ${amount} are being paid.`];
      if (MONEY.some((action) => allowed.includes(action)) || allowed.includes('dispute'))
        return ['TASK_STATE_INPUT_REQUIRED', `The work is there: pay, approve or dispute${until}.`, true];
      return ['TASK_STATE_WORKING', 'The work is there and is being settled.'];
    case 'settled':
      return ['TASK_STATE_COMPLETED', 'The work is done and settled.'];
    case 'split':
      return ['TASK_STATE_COMPLETED', 'The dispute ended; the amount was split.'];
    case 'refunded':
      return ['TASK_STATE_FAILED', 'The amount was given back.'];
    case 'rejected':
      if (reason === 'declined') return ['TASK_STATE_REJECTED', 'The agent declined.'];
      return isFinal
        ? ['TASK_STATE_CANCELED', 'The offer was withdrawn.']
        : ['TASK_STATE_SUBMITTED', `The offer is withdrawn; an acceptance signed before may arrive${until}.`];
    case 'expired':
    case 'abandoned':
      return lapsed(deal, isFinal, until);
    default:
      return ['TASK_STATE_WORKING', `The delivery is disputed${until}.`];
  }
}

function lapsed({ reason, allowed_actions: allowed }: DealView, isFinal: boolean, until: string): Told {
  switch (reason) {
    case 'offer_expired':
      return isFinal
        ? ['TASK_STATE_CANCELED', 'The offer expired.']
        : ['TASK_STATE_SUBMITTED', `The offer expired; an acceptance signed before may arrive${until}.`];
    case 'not_locked':
    case 'not_paid':
      if (isFinal) return ['TASK_STATE_FAILED', 'The amount was not paid.'];
      return allowed.includes('pay')
        ? ['TASK_STATE_INPUT_REQUIRED', `The amount was not paid in time; it still can be${until}.`, true]
        : ['TASK_STATE_WORKING', `The amount was not paid in time${until}.`];
    case 'not_delivered':
      return isFinal
        ? ['TASK_STATE_FAILED', 'The agent did not deliver.']
        : ['TASK_STATE_WORKING', `The agent did not deliver in time; a delivery signed before may arrive${until}.`];
    default:
      return isFinal
        ? ['TASK_STATE_FAILED', 'The deal ended without a result.']
        : ['TASK_STATE_WORKING', `The deal lapsed${until}.`];
  }
}

/** The terms that a client decides about, and the actions it may send. */
function questionOf(deal: DealView): Metadata {
  const { amount_usdc, deadline_secs, review_secs, allowed_actions } = deal;
  return { amount_usdc, deadline_secs, review_secs, escrow: deal.escrow.agreed, allowed_actions };
}
