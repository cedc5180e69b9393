import type { QueryValues, StreamOptions } from './http-caller.ts';

export interface FrameOptions extends StreamOptions {
  readonly query: QueryValues;
  /** The member that counts the frames: the next connection asks for those behind the last one with `since`. */
  readonly member?: 'cursor' | 'id' | undefined;
}

/**
 * Whether the frames of one connection are some: objects, and where they are counted each behind the one before, the first behind
 * the last one that was handed out.
 */
export function frameJudge(member: string | undefined, since: unknown): (frame: unknown) => boolean {
  let newest = since === undefined ? -1 : Number(since);
  return (frame) => {
    if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) return false;
    if (member === undefined) return true;
    const count = (frame as Record<string, unknown>)[member];
    if (!Number.isSafeInteger(count) || (count as number) <= newest) return false;
    newest = count as number;
    return true;
  };
}
