import type { Writable } from 'node:stream';
import type { Clock } from '../platform/clock.ts';
import { CONSUMER_TOO_SLOW, isSharedFrame, StreamEnd } from './frame.ts';
import { areLive } from './live-frames.ts';
import { textMessage } from './text-message.ts';

/** Unsent bytes above which the next frame waits. */
const HIGH_WATER = 64 * 1024;
/** Frames written in one turn of the event loop, some milliseconds of work, before others have theirs. */
const MOST_IN_TURN = 256;
/** Milliseconds a client may take to drain that much before it is given up. */
const STALL = 30_000;

/** A WebSocket and the connection below it, or an answer that goes on. */
export interface Pipe {
  readonly socket: {
    readonly OPEN: number;
    readonly readyState: number;
    on(name: 'close', listener: () => void): unknown;
    off(name: 'close', listener: () => void): unknown;
  };
  readonly connection: Pick<Writable, 'cork' | 'uncork' | 'writableLength' | 'writableNeedDrain'> & {
    write(chunk: Buffer): boolean;
    on(name: 'drain', listener: () => void): unknown;
    off(name: 'drain', listener: () => void): unknown;
  };
}

export interface PumpTools {
  readonly clock: Clock;
  /** Throws when a frame breaks its contract; absent outside development. */
  readonly check?: (frame: unknown) => void;
  /** A frame as it is written; as a message of a WebSocket unless given. */
  readonly bytesOf?: (frame: unknown) => Buffer;
  readonly sent: (frames: number) => void;
  /** Some of the written bytes have not left. */
  readonly unsent: () => void;
}

/**
 * Writes frames until they end or the client is gone, as fast as the client reads: the first of a turn of the event loop
 * at once, all that are ready behind it in one more write. Throws what the generator throws, and `StreamEnd` 4008 for a
 * client that takes nothing for 30 seconds. Live frames are written as they are offered, for as long as the client keeps up.
 *
 * Messages are written to the connection itself, so that what is shared is framed once and not per socket. That is safe
 * between messages of `ws`, such as pings, because both sides only ever write whole frames: without compression `ws`
 * has nothing half done when a call of it returns.
 */
export async function pump(pipe: Pipe, frames: AsyncIterable<unknown>, tools: PumpTools): Promise<void> {
  const { socket, connection } = pipe;
  const { bytesOf = messageOf } = tools;
  let written = -1;
  let inTurn = 0;
  let corked = false;
  function gather(): void {
    if (corked) return;
    corked = true;
    connection.cork();
    process.nextTick(() => {
      corked = false;
      connection.uncork();
      if (connection.writableNeedDrain && connection.writableLength > 0) tools.unsent();
    });
  }
  /** Set while the connection is full. */
  let draining: Promise<void> | undefined;
  function put(frame: unknown): Promise<void> | undefined {
    tools.check?.(frame);
    const now = currentTurn();
    if (now === written) gather();
    else inTurn = 0;
    written = now;
    inTurn += 1;
    const shared = isSharedFrame(frame);
    const easily = connection.write(bytesOf(frame));
    tools.sent(shared ? frame.values.length : 1);
    if (easily) return undefined;
    // Bytes that are held back until the end of the turn may all leave then.
    if (!corked) tools.unsent();
    if (connection.writableLength < HIGH_WATER) return undefined;
    draining = drained(pipe, tools.clock)
      .then(() => (currentTurn() === now ? nextTurn() : undefined))
      .then(() => {
        draining = undefined;
      });
    return draining;
  }
  if (areLive(frames)) {
    frames.offer((frame) => {
      if (draining || socket.readyState !== socket.OPEN) return false;
      try {
        put(frame)?.catch(() => frames.return?.());
        return true;
      } catch {
        // The loop comes to the same error, and ends with it.
        return false;
      }
    });
  }
  for await (const frame of frames) {
    if (draining) await draining;
    if (socket.readyState !== socket.OPEN) return;
    const room = put(frame);
    if (room) await room;
    else if (inTurn >= MOST_IN_TURN) await nextTurn();
  }
  if (draining) await draining;
}

function messageOf(frame: unknown): Buffer {
  return isSharedFrame(frame) ? frame.bytes : textMessage(JSON.stringify(frame));
}

let turn = 0;
let turning = false;

/** Tells turns of the event loop apart, for all sockets with one callback a turn. */
function currentTurn(): number {
  if (!turning) {
    turning = true;
    setImmediate(() => {
      turning = false;
      turn += 1;
    });
  }
  return turn;
}

/** To a client that reads fast everything has left within the same turn. A handler that never stops would let nothing else run. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when everything has left or the client is gone. */
function drained({ socket, connection }: Pipe, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(STALL, () => {
      stop();
      reject(new StreamEnd(CONSUMER_TOO_SLOW, 'consumer_too_slow'));
    });
    const done = () => {
      stop();
      resolve();
    };
    function stop(): void {
      cancel();
      connection.off('drain', done);
      socket.off('close', done);
    }
    connection.on('drain', done);
    socket.on('close', done);
  });
}
