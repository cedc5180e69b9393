import { DENSE_HEADER, denseProof, fromDense } from '../../protocol/envelopes/dense-proof.ts';
import type { SignedHeader } from '../../protocol/envelopes/envelope.ts';

/**
 * An envelope that is held under a number of an epoch, as text: the number in base 36, whether its payload has been seen
 * (`!`) or not (`.`), then the dense proof in base64, or `#` and its id on networks of version 1. Browsers count scores with
 * this, and their Buffer has no base64url.
 */
export type Held = string;

/** Characters of a proof that are those of its header: 102 bytes are 136 characters exactly. */
const OF_HEADER = (DENSE_HEADER / 3) * 4;

/** The text that an envelope is held as. */
export function heldAs({ seq, whole, proof }: { seq: number; whole: boolean; proof: string }): Held {
  return `${seq.toString(36)}${whole ? '!' : '.'}${proof}`;
}

export function proofOf(header: SignedHeader, id: string, encoded?: Uint8Array): string {
  return header.version === 2 ? denseProof(header, encoded).toString('base64') : `#${id}`;
}

export function seqOf(held: Held): number {
  return Number.parseInt(held.slice(0, markAt(held)), 36);
}

/** Of several, those that are held under this number. */
export function heldUnder(all: readonly Held[], seq: number): readonly Held[] {
  const digits = seq.toString(36);
  return all.filter((held) => held.startsWith(digits) && (held[digits.length] === '!' || held[digits.length] === '.'));
}

export function isWhole(held: Held): boolean {
  return held[markAt(held)] === '!';
}

export function isSameEnvelope(held: Held, proof: string): boolean {
  const at = markAt(held) + 1;
  return held.startsWith(proof.slice(0, OF_HEADER), at);
}

/** The proof, as `proofOf` gives it. */
export function proofIn(held: Held): string {
  return held.slice(markAt(held) + 1);
}

/** Header and signature; undefined on networks of version 1. */
export function headerOf(held: Held, signer: Pick<SignedHeader, 'sender' | 'nonce'>): SignedHeader | undefined {
  return fromDense(Buffer.from(proofIn(held), 'base64'), signer);
}

function markAt(held: Held): number {
  const at = held.indexOf('!');
  return at > 0 && at < MOST_DIGITS ? at : held.indexOf('.');
}

/** Numbers are below 2^22. */
const MOST_DIGITS = 6;
