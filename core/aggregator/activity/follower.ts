import type { SharedFrame } from '../../http/frame.ts';
import type { LiveFrames } from '../../http/live-frames.ts';
import type { ActivityEvent } from './view.ts';

export type Frame = SharedFrame<ActivityEvent>;

/** Frames of successive events, and the id of the last. */
export interface Run {
  readonly frame: Frame;
  readonly upTo: number;
  /** Nothing has been read behind it. */
  readonly newest: boolean;
}

export interface Followed {
  /** The run behind an event: at once, or once it has been read; undefined when there is nothing yet. */
  behind(cursor: number): Run | undefined | Promise<Run | undefined>;
}

type Result = IteratorResult<Frame, void>;

const END: Result = { done: true, value: undefined };

/**
 * One client of a feed, which tells it when there may be something new. Made by hand and not a generator, because a
 * generator would pass each frame on through several more promises: with a thousand clients they cost a seventh of
 * the whole. For the same reason a client that is up to date is offered a run before its `next` is resolved.
 */
export class Follower implements LiveFrames<Frame> {
  readonly #feed: Followed;
  readonly #left: (follower: Follower) => void;
  #cursor: number;
  #over = false;
  /** Whether there may be something new since a reading began. */
  #rung = false;
  /** Set while a call of `next` waits for something new. */
  #resolve: ((result: Result | Promise<Result>) => void) | undefined;
  #offered: ((frame: Frame) => boolean) | undefined;

  /** `left` is called once, when the signal is aborted or the iteration stops. */
  constructor(feed: Followed, cursor: number, signal: AbortSignal, left: (follower: Follower) => void) {
    this.#feed = feed;
    this.#cursor = cursor;
    this.#left = left;
    if (signal.aborted) this.#end();
    else signal.addEventListener('abort', () => this.#end(), { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    if (this.#over) return Promise.resolve(END);
    const run = this.#feed.behind(this.#cursor);
    if (run === undefined) return this.#wait();
    return run instanceof Promise ? this.#when(run) : Promise.resolve(this.#take(run));
  }

  offer(take: (frame: Frame) => boolean): void {
    this.#offered = take;
  }

  return(): Promise<Result> {
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

  #wait(): Promise<Result> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  async #when(reading: Promise<Run | undefined>): Promise<Result> {
    this.#rung = false;
    const run = await reading;
    if (this.#over) return END;
    if (run) return this.#take(run);
    return this.#rung ? this.next() : this.#wait();
  }

  #take({ frame, upTo }: Run): Result {
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
