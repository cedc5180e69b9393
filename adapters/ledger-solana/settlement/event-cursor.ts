import { MeshError } from '../../../core/contracts/errors.ts';

/** Everything up to this slot is known, up to and including this transaction where there is one. */
export interface EventCursor {
  readonly slot: number;
  readonly signature: string | undefined;
}

export function formatEventCursor({ slot, signature = '' }: EventCursor): string {
  return `${slot}:${signature}`;
}

export function parseEventCursor(text: string): EventCursor {
  const found = /^(\d{1,15}):([1-9A-HJ-NP-Za-km-z]{64,88})?$/.exec(text.slice(0, 200));
  if (!found) throw new MeshError('invalid_request', 'The cursor must be one that a page of events gave.');
  return { slot: Number(found[1]), signature: found[2] };
}
