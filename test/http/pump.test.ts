import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import { Follower, type Run } from '../../core/aggregator/live/follower.ts';
import { joinFrames, sharedFrame } from '../../core/http/frame.ts';
import { type Pipe, pump } from '../../core/http/pump.ts';
import { VirtualClock } from '../mesh/virtual-clock.ts';

const BIG = 'x'.repeat(70_000);

describe('live frames on a connection', () => {
  /** A connection that sends nothing on until it is told to. */
  class Slow extends Duplex {
    taken = 0;
    #done: (() => void) | undefined;

    override _read(): void {}

    override _write(chunk: Buffer, _: string, done: () => void): void {
      this.taken += chunk.length;
      this.#done = done;
    }

    flush(): void {
      this.#done?.();
    }
  }

  let clock: VirtualClock;
  let connection: Slow;
  let left: number;
  let events: string[];
  let sent: number;
  let follower: Follower<string>;
  let run: Promise<unknown>;

  beforeEach(() => {
    clock = new VirtualClock();
    connection = new Slow();
    left = sent = 0;
    events = [];
    follower = new Follower({ behind }, 0, new AbortController().signal, () => {
      left += 1;
    });
    const socket = Object.assign(new EventEmitter(), { OPEN: 1, readyState: 1 });
    const count = (frames: number) => {
      sent += frames;
    };
    const tools = { clock, sent: count, unsent: () => {}, check };
    run = pump({ socket, connection } as unknown as Pipe, follower, tools).then(
      () => 'ended',
      (error: unknown) => error,
    );
  });

  function behind(cursor: number): Run<string> | undefined {
    if (cursor === events.length) return undefined;
    const frame = joinFrames(events.slice(cursor).map((text) => sharedFrame(text)));
    return { frame, upTo: events.length, newest: true };
  }

  function check(frame: unknown): void {
    if ((frame as Run<string>['frame']).values.includes('wrong')) throw new Error('wrong');
  }

  function happens(...texts: string[]): void {
    events.push(...texts);
    follower.ring();
  }

  /** A flood lets others have their turn of the event loop, however fast its client reads. */
  async function nextTurn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(0);
  }

  it('are written in the call that offers them', async () => {
    await clock.advance(0);
    happens('one', 'two');
    assert.equal(sent, 2);
    assert.equal(connection.taken, 2 * 7);
  });

  it('wait while the client does not read, and go on when it does', async () => {
    await clock.advance(0);
    happens(BIG);
    happens(BIG);
    happens(BIG);
    await clock.advance(20_000);
    assert.equal(sent, 1);
    connection.flush();
    await nextTurn();
    assert.equal(sent, 2);
    connection.flush();
    await nextTurn();
    assert.equal(sent, 3);
  });

  it('end with 4008 for a client that takes nothing for 30 seconds, also when nothing more happens', async () => {
    await clock.advance(0);
    happens(BIG);
    await clock.advance(30_001);
    const end = (await run) as Error & { code: number };
    assert.deepEqual([end.name, end.code, left], ['StreamEnd', 4008, 1]);
  });

  it('end with what is wrong with one of them', async () => {
    await clock.advance(0);
    happens('wrong');
    assert.equal(((await run) as Error).message, 'wrong');
    assert.deepEqual([sent, left], [0, 1]);
  });
});
