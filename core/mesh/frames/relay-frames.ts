import { CODES, type Frame, type UnknownFrame } from './frames.ts';

/** The kinds of RELAY frames; the position is the code on the wire. */
export const CIRCUIT_FRAMES = ['circuit-open', 'circuit-data', 'circuit-credit', 'circuit-close'] as const;

/** A hub's answer about a key: whether it has a session with that key, and a slot for it. */
export interface Located {
  readonly key: Uint8Array;
  readonly session: boolean;
  readonly slot: boolean;
}

export type CircuitFrame =
  | { readonly type: 'circuit-open'; readonly circuit: number; readonly from: Uint8Array; readonly to: Uint8Array }
  | { readonly type: 'circuit-data'; readonly circuit: number; readonly message: Uint8Array }
  | { readonly type: 'circuit-credit'; readonly circuit: number; readonly bytes: number }
  | { readonly type: 'circuit-close'; readonly circuit: number; readonly reason: string };

/** Two peers, or a peer and its hub, find out whether they can dial each other. A kind's position is its wire code. */
export type ConnectBackFrame =
  | { readonly type: 'connect-test'; readonly url: string }
  | { readonly type: 'connect-tested'; readonly reached: boolean }
  | { readonly type: 'connect-invite'; readonly url: string }
  | { readonly type: 'connect-moved' };

/** Bytes that one side keeps for the other. The position of a kind is its code on the wire. */
export type BlobFrame =
  | { readonly type: 'blob-ask'; readonly request: number; readonly cid: Uint8Array; readonly offset: number }
  | { readonly type: 'blob-part'; readonly request: number; readonly total: number; readonly bytes: Uint8Array }
  | { readonly type: 'blob-none'; readonly request: number };

export type RelayFrame =
  | CircuitFrame
  | ConnectBackFrame
  | BlobFrame
  | { readonly type: 'reserve'; readonly seconds: number }
  | { readonly type: 'reserved'; readonly seconds: number }
  | { readonly type: 'lookup'; readonly keys: readonly Uint8Array[] }
  | { readonly type: 'located'; readonly found: readonly Located[] };

const RELAY_CODES: Readonly<Record<RelayFrame['type'], number>> = {
  'circuit-open': CODES.relay,
  'circuit-data': CODES.relay,
  'circuit-credit': CODES.relay,
  'circuit-close': CODES.relay,
  reserve: CODES.reserve,
  reserved: CODES.reserve,
  lookup: CODES.lookup,
  located: CODES.located,
  'connect-test': CODES.connectBack,
  'connect-tested': CODES.connectBack,
  'connect-invite': CODES.connectBack,
  'connect-moved': CODES.connectBack,
  'blob-ask': CODES.blob,
  'blob-part': CODES.blob,
  'blob-none': CODES.blob,
};

/** Credit below this is counted like any frame, so that nobody gives it byte by byte. */
const SMALL_CREDIT = 16 * 1024;

export function isRelayFrame(frame: Frame | UnknownFrame): frame is RelayFrame {
  return Object.hasOwn(RELAY_CODES, frame.type);
}

export function relayCode(frame: RelayFrame): number {
  return RELAY_CODES[frame.type];
}

export function isConnectBack(frame: RelayFrame): frame is ConnectBackFrame {
  return relayCode(frame) === CODES.connectBack;
}

export function isBlobFrame(frame: RelayFrame): frame is BlobFrame {
  return relayCode(frame) === CODES.blob;
}

/** Whether it concerns only the two ends of a session, so that it may come over a relayed one. */
export function isBetweenEnds(frame: RelayFrame): boolean {
  return isConnectBack(frame) || isBlobFrame(frame);
}

/** Whether the window of a circuit, or what was asked for, bounds how many such frames can come. */
export function isMetered(frame: RelayFrame): boolean {
  if (frame.type === 'blob-part') return true;
  return frame.type === 'circuit-data' || (frame.type === 'circuit-credit' && frame.bytes >= SMALL_CREDIT);
}
