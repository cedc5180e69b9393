/** A frame serialised once and written as it is to every socket that gets it. Made by `sharedFrame`. */
export interface SharedFrame<F> {
  readonly sharedFrame: true;
  readonly value: F;
  /** The UTF-8 text message. */
  readonly bytes: Buffer;
}

export function sharedFrame<F>(value: F): SharedFrame<F> {
  return { sharedFrame: true, value, bytes: Buffer.from(JSON.stringify(value)) };
}

export function isSharedFrame(value: unknown): value is SharedFrame<unknown> {
  return typeof value === 'object' && value !== null && (value as SharedFrame<unknown>).sharedFrame === true;
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
