/**
 * Frames that many clients wait for at once. While a call of `next` waits, who iterates may be handed a frame in the very
 * call in which it exists, which spares each client the promise of `next` and what awaits it.
 */
export interface LiveFrames<F> extends AsyncIterableIterator<F, void> {
  /**
   * From now on each frame is first offered to `take`, unless it came before `next` was called. A frame that it answers
   * with false is what `next` resolves with; of one that it took, `next` tells nothing.
   */
  offer(take: (frame: F) => boolean): void;
}

export function areLive<F>(frames: AsyncIterable<F>): frames is LiveFrames<F> {
  return typeof (frames as Partial<LiveFrames<F>>).offer === 'function';
}
