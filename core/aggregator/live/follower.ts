import type { SharedFrame } from '../../http/frame.ts';
import type { LiveFrames } from '../../http/live-frames.ts';

/** Frames of successive events, and the id of the last. */
export interface Run<E> {
  readonly frame: SharedFrame<E>;
  readonly upTo: number;
  /** Nothing has been read behind it. */
  readonly newest: boolean;
}

export interface Followed<E> {
  /** The run behind an event: at once, or once it has been read; undefined when there is nothing yet. */
  behind(cursor: number): Run<E> | undefined | Promise<Run<E> | undefined>;
}

type Result<E> = IteratorResult<SharedFrame<E>, void>;

const END = { done: true, value: undefined } as const;

/**
 * One client of a feed, which tells it when there may be something new. Made by hand and not a generator, because a
 * generator would pass each frame on through several more promises: with a thousand clients they cost a seventh of
 * the whole. For the same reason a client that is up to date is offered a run before its `next` is resolved.
 */
export class Follower<E> implements LiveFrames<SharedFrame<E>> {
  readonly #feed: Followed<E>;
  readonly #left: (follower: Follower<E>) => void;
  #cursor: number;
  #over = false;
  /** Whether there may be something new since a reading began. */
  #rung = false;
  /** Set while a call of `next` waits for something new. */
  #resolve: ((result: Result<E> | Promise<Result<E>>) => void) | undefined;
  #offered: ((frame: SharedFrame<E>) => boolean) | undefined;

  /** `left` is called once, when the signal is aborted or the iteration stops. */
  constructor(feed: Followed<E>, cursor: number, signal: AbortSignal, left: (follower: Follower<E>) => void) {
    this.#feed = feed;
    this.#cursor = cursor;
    this.#left = left;
    if (signal.aborted) this.#end();
    else signal.addEventListener('abort', () => this.#end(), { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result<E>> {
    if (this.#over) return Promise.resolve(END);
    const run = this.#feed.behind(this.#cursor);
    if (run === undefined) return this.#wait();
    return run instanceof Promise ? this.#when(run) : Promise.resolve(this.#take(run));
  }

  offer(take: (frame: SharedFrame<E>) => boolean): void {
    this.#offered = take;
  }

  return(): Promise<Result<E>> {
    this.#end();
    return Promise.resolve(END);
  }

  /** There may be something new. */
  ring(): void {
    this.#rung = true;
    const resolve = this.#resolve;
    const run = resolve && this.#feed.behind(this.#cursor);
    if (run === undefined) return;
    if (!(run instanceof Promise) && run.newest && this.#offered?.(run.frame)) {
      this.#cursor = run.upTo;
      return;
    }
    this.#resolve = undefined;
    resolve!(run instanceof Promise ? this.#when(run) : this.#take(run));
  }

  #wait(): Promise<Result<E>> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  async #when(reading: Promise<Run<E> | undefined>): Promise<Result<E>> {
    this.#rung = false;
    const run = await reading;
    if (this.#over) return END;
    if (run) return this.#take(run);
    return this.#rung ? this.next() : this.#wait();
  }

  #take({ frame, upTo }: Run<E>): Result<E> {
    this.#cursor = upTo;
    return { done: false, value: frame };
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#left(this);
    this.#resolve?.(END);
    this.#resolve = undefined;
  }
}
