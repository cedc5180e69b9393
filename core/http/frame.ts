import { isMarked, SHARED_FRAME } from './marks.ts';
import { textMessage } from './text-message.ts';

/**
 * Frames serialised once and written as they are to every socket that gets them. Each is a message of its own to the
 * client. Made by `sharedFrame`, and of several by `joinFrames`.
 */
export interface SharedFrame<F> {
  readonly [SHARED_FRAME]: true;
  readonly values: readonly F[];
  /** The WebSocket messages, one behind the other. */
  readonly bytes: Buffer;
}

export function sharedFrame<F>(value: F): SharedFrame<F> {
  return { [SHARED_FRAME]: true, values: [value], bytes: textMessage(JSON.stringify(value)) };
}

/** Several frames that leave in one write. */
export function joinFrames<F>(frames: readonly SharedFrame<F>[]): SharedFrame<F> {
  const [only] = frames;
  if (only && frames.length === 1) return only;
  return {
    [SHARED_FRAME]: true,
    values: frames.flatMap(({ values }) => values),
    bytes: Buffer.concat(frames.map(({ bytes }) => bytes)),
  };
}

export function isSharedFrame(value: unknown): value is SharedFrame<unknown> {
  return isMarked(value, SHARED_FRAME);
}

/** Thrown inside a stream's generator to end it with a close code of its own (1000, 1008, or 4000 to 4999). */
export class StreamEnd extends Error {
  override name = 'StreamEnd';
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** The client did not keep up with a bounded tail; it may connect again with `?since=`. */
export const CONSUMER_TOO_SLOW = 4008;
