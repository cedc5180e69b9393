import type { Ack } from '../ack.ts';
import type { RelayFrame } from './relay-frames.ts';

/**
 * The frames of the mesh. A frame is
 *
 *     length u32 ‖ code u8 ‖ body
 *
 * where length counts code and body. All integers are big-endian, all texts UTF-8. Whole frames are concatenated,
 * cut into Noise messages, and each Noise message is preceded by its u16 length; all of that is one message of the
 * transport. A frame may span Noise messages, never transport messages. A transport message without any frame says that
 * its sender's next one is under the next key.
 *
 *     ENVELOPE      1   envelope. Numbered 1, 2, 3 … per session and direction by counting
 *     ACK           2   up_to u64 ‖ { back u16 ‖ reason u8 ‖ evidence_length u8 ‖ evidence }*
 *                       Every envelope up to number up_to is settled: those at up_to − back as said, all others that
 *                       were not settled before as accepted
 *     BROADCAST     3   topic_length u8 ‖ topic ‖ envelope. Not acknowledged
 *     SUBSCRIBE     4   { topic_length u8 ‖ topic }+
 *     UNSUBSCRIBE   5   as SUBSCRIBE
 *     WELCOME       6   version u8 ‖ flags u8 (bit 0: a hub) ‖ name_length u8 ‖ name ‖ url_length u16 ‖ url
 *                       ‖ newest_length u8 ‖ newest ‖ time u64 ‖ anything later versions add. The first frame of each side
 *     PING          7   token[8]
 *     PONG          8   token[8] of the ping ‖ time u64
 *     GOODBYE       9   reason. The last frame of a side
 *     REFUSED      10   code u8 of a frame that this side does not know or does not serve
 *
 *     RELAY        16   kind u8 ‖ circuit u32 ‖ rest. A circuit is a pipe between two peers of a hub. Its rest is, by kind:
 *                         0 open     from[32] ‖ to[32]; a hub passes on only what names its peer as `from`
 *                         1 data     one message of the session end to end
 *                         2 credit   bytes u32 that were read, each message counted with 256 bytes on top; 256 KiB may
 *                                    be unread
 *                         3 close    reason
 *     RESERVE      17   answer u8 (0: asks, 1: answers) ‖ seconds u32. The hub shall pass circuits on to this side for so
 *                       long; answered with what it grants, 0 for nothing
 *     LOOKUP       18   { key[32] }+, at most 16
 *     LOCATED      19   { key[32] ‖ flags u8 (bit 0: has a session here, bit 1: has a slot here) }+
 *
 *     CONNECT_BACK 20   kind u8 ‖ rest, by kind:
 *                         0 test     url. Asks a hub to dial it, and to say whether this side proved its key there
 *                         1 tested   reached u8. The hub's answer
 *                         2 invite   url. Over a relayed session: the other side shall dial it; the direct session that
 *                                    comes of it takes the place of this one
 *                         3 moved    this side has another session with the other now, and nothing under way in this one;
 *                                    when both have said so, it ends
 *
 *     BLOB         21   kind u8 ‖ request u32 ‖ rest. Bytes that one side keeps for the other. Its rest is, by kind:
 *                         0 ask      cid[32] ‖ offset u64
 *                         1 part     total u64 ‖ at most 61,440 bytes of the blob, from the offset on
 *                         2 none     nothing of that name is kept for this side
 *
 * A time is in milliseconds since the Unix epoch, by the clock of its sender. A welcome may end before it.
 *
 * A frame with another code is skipped and answered with REFUSED; a body that does not fit its code ends the session.
 */
export const CODES = {
  envelope: 1,
  ack: 2,
  broadcast: 3,
  subscribe: 4,
  unsubscribe: 5,
  welcome: 6,
  ping: 7,
  pong: 8,
  goodbye: 9,
  refused: 10,
  relay: 16,
  reserve: 17,
  lookup: 18,
  located: 19,
  connectBack: 20,
  blob: 21,
} as const;

export const WIRE_VERSION = 1;
export const FRAME_HEAD = 5;
/** Two frames of the largest size fit into one transport message. */
export const MAX_FRAME = 67_072;
/** Somewhat more than the largest envelope, so that one that is too large is refused by its recipient, with a reason. */
export const MAX_CARRIED = 66_048;
export const MAX_TOPIC = 64;
export const MAX_NAME = 64;
export const MAX_URL = 512;
export const MAX_REASON = 100;
export const MAX_NEWEST = 255;
export const MAX_KEYS = 16;
/** Bytes of a blob in one frame. */
export const MAX_PART = 61_440;
/** The largest message of a relayed session: two Noise messages around the largest frame it sends. */
export const MAX_RELAYED = 66_176;

export interface AckException extends Ack {
  /** Distance from `upTo` downwards. */
  readonly back: number;
}

/** A side introduces itself once the channel is secure. */
export interface Welcome {
  readonly name: string;
  readonly hub: boolean;
  /** Where this side can be dialled, if anywhere. */
  readonly url?: string | undefined;
  /** The newest header and signature this side holds of the other side's key. */
  readonly newest?: Uint8Array | undefined;
  /** This side's clock, milliseconds since the epoch. */
  readonly time?: number | undefined;
}

export type Frame =
  | RelayFrame
  | { readonly type: 'envelope'; readonly envelope: Uint8Array }
  | { readonly type: 'ack'; readonly upTo: number; readonly exceptions: readonly AckException[] }
  | { readonly type: 'broadcast'; readonly topic: string; readonly envelope: Uint8Array }
  | { readonly type: 'subscribe'; readonly topics: readonly string[] }
  | { readonly type: 'unsubscribe'; readonly topics: readonly string[] }
  | ({ readonly type: 'welcome' } & Welcome)
  | { readonly type: 'ping'; readonly token: Uint8Array }
  | { readonly type: 'pong'; readonly token: Uint8Array; readonly time: number }
  | { readonly type: 'goodbye'; readonly reason: string }
  | { readonly type: 'refused'; readonly code: number };

/** A frame of a code that this version does not serve. */
export interface UnknownFrame {
  readonly type: 'unknown';
  readonly code: number;
}

/** The other side broke the frame format; the sentence says how, without quoting what it sent. */
export class FrameError extends Error {
  override name = 'FrameError';
}

/** Whether a topic may be sent: 1 to 64 bytes without control characters. */
export function isTopic(topic: string): boolean {
  const length = Buffer.byteLength(topic);
  return length > 0 && length <= MAX_TOPIC && !hasControl(topic);
}

export function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
