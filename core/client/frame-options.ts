import type { QueryValues, StreamOptions } from './http-caller.ts';

export interface FrameOptions extends StreamOptions {
  readonly query: QueryValues;
  /** The member that counts the frames: the next connection asks for those behind the last one with `since`. */
  readonly member?: 'cursor' | 'id' | undefined;
}

/** Whether a stranger's frame is one: an object, counted where frames are counted. */
export function isFrame(value: unknown, member: string | undefined): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return member === undefined || Number.isSafeInteger((value as Record<string, unknown>)[member]);
}
