import { conflicts, markId, marks } from '../../messaging/records.ts';
import { fromBase64 } from '../../platform/bytes.ts';
import type { SignedHeader } from '../../protocol/envelopes/envelope.ts';
import { epochOfNonce, MAX_SEQ, nonceOf } from '../../protocol/envelopes/epochs.ts';
import type { Found } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { readSigned } from '../behavior/comparison.ts';

const PAGE = 200;

/** The headers that a key has signed in an epoch and this node holds, with their signatures, verified on receipt. */
export async function* heldHeaders(space: Space, key: string, epoch: number): AsyncGenerator<SignedHeader, void> {
  const twice = await space.get(conflicts.ref(key));
  for (const receipt of twice?.receipts ?? []) yield* ofEpoch(receipt, epoch);
  const idPrefix = markId(key, 0).slice(0, -1) + sharedDigits(nonceOf(epoch, 1), nonceOf(epoch, MAX_SEQ));
  for (let after: Found<{ receipt: string }> | undefined; ; ) {
    const rows = await space.page(marks, { idPrefix, limit: PAGE, after });
    for (const { value } of rows) yield* ofEpoch(value.receipt, epoch);
    if (rows.length < PAGE) return;
    after = rows.at(-1);
  }
}

function* ofEpoch(receipt: string, epoch: number): Generator<SignedHeader, void> {
  const bytes = fromBase64(receipt);
  const header = bytes && readSigned(bytes);
  if (header && epochOfNonce(header.nonce) === epoch) yield header;
}

/** The digits with which all numbers from one to the other begin. */
function sharedDigits(from: number, to: number): string {
  const [low, high] = [String(from), String(to)];
  if (low.length !== high.length) return '';
  let shared = 0;
  while (shared < low.length && low[shared] === high[shared]) shared += 1;
  return low.slice(0, shared);
}
