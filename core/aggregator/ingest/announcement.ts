import type { Epochs } from '../epochs.ts';
import type { StoredHeard } from '../store/heard.ts';
import { proofOf } from '../store/held.ts';
import type { Signed } from './signed.ts';

/** As often as a node reports BEACONs that say nothing new (core/messaging/reporter.ts). */
const WINDOW_MS = 6 * 3_600_000;
/** Windows that are remembered: those of the four epochs in which an envelope is taken, and the present one. */
const WINDOWS = 20;
/** Payloads that are old news: agents change to and fro. */
const SAID = 3;
const HASH_BYTES = 16;

/** The BEACONs that numbers of their key tell apart. On networks of version 1 each envelope is for itself. */
export function isAnnouncement({ msgType, header }: Signed): boolean {
  return msgType === 'BEACON' && header.version === 2;
}

/**
 * Whether a BEACON of which nothing is held under its nonce changes nothing. A receipt says nothing that the BEACON itself does
 * not. One that is older than the newest may have counted before, unless none of its six hours has: the first of them always does.
 */
export function isOld(item: Signed, heard: StoredHeard | undefined, epochs: Epochs): boolean {
  if (!item.envelope) return true;
  return heard !== undefined && item.nonce <= heard.nonce && isKept(heard, windowOf(item, epochs));
}

/** Whether a BEACON that is not old says something new or is the first of its six hours, apart from claims of hosts. */
export function isNews(item: Signed, heard: StoredHeard | undefined, epochs: Epochs): boolean {
  return !heard?.said.includes(saidIn(item)) || !isKept(heard, windowOf(item, epochs));
}

/** The key's BEACONs as they are known when this one has been taken. */
export function heardWith(item: Signed, heard: StoredHeard | undefined, epochs: Epochs): StoredHeard {
  const kept = withKept(heard, windowOf(item, epochs));
  if (heard && item.nonce <= heard.nonce) return { ...heard, ...kept };
  const said = saidIn(item);
  const before = heard?.said.filter((one) => one !== said) ?? [];
  const proof = proofOf(item.header, item.id, item.encoded);
  return { nonce: item.nonce, proof, said: [said, ...before].slice(0, SAID), ...kept };
}

/** The hash of the payload, as far as nobody can make two that are equal. */
function saidIn({ header }: Signed): string {
  return Buffer.from(header.payloadHash.subarray(0, HASH_BYTES)).toString('base64');
}

/** The number of the six hours in which it was signed; an epoch has four of them at least. */
function windowOf({ at }: Signed, epochs: Epochs): number {
  return Math.floor(at / Math.min(WINDOW_MS, epochs.ms / 4));
}

/** Whether one of these six hours has counted; of those before the remembered ones nobody knows, so that none counts again. */
function isKept({ window, windows }: StoredHeard, asked: number): boolean {
  const back = window - asked;
  return back >= WINDOWS || (back >= 0 && (windows & (1 << back)) !== 0);
}

function withKept(heard: StoredHeard | undefined, asked: number): Pick<StoredHeard, 'window' | 'windows'> {
  if (!heard) return { window: asked, windows: 1 };
  const { window, windows } = heard;
  const forth = asked - window;
  if (forth <= 0) return { window, windows: -forth < WINDOWS ? windows | (1 << -forth) : windows };
  const moved = forth < WINDOWS ? (windows << forth) & (2 ** WINDOWS - 1) : 0;
  return { window: asked, windows: moved | 1 };
}
