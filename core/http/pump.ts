import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import { CONSUMER_TOO_SLOW, isSharedFrame, StreamEnd } from './frame.ts';
import { textMessage } from './text-message.ts';

/** Unsent bytes above which the next frame waits. */
const HIGH_WATER = 64 * 1024;
/** Milliseconds a client may take to drain that much before it is given up. */
const STALL = 30_000;

/** A WebSocket and the connection below it. */
export interface Pipe {
  readonly socket: WebSocket;
  readonly connection: Duplex;
}

export interface PumpTools {
  readonly clock: Clock;
  /** Throws when a frame breaks its contract; absent outside development. */
  readonly check?: (frame: unknown) => void;
  readonly sent: (frames: number) => void;
}

/**
 * Writes frames until they end or the client is gone, as fast as the client reads; those of one turn of the event loop
 * leave in one write. Throws what the generator throws, and `StreamEnd` 4008 for a client that takes nothing for 30
 * seconds.
 *
 * Messages are written to the connection itself, so that what is shared is framed once and not per socket. That is safe
 * between messages of `ws`, such as pings, because both sides only ever write whole frames: without compression `ws`
 * has nothing half done when a call of it returns.
 */
export async function pump(pipe: Pipe, frames: AsyncIterable<unknown>, tools: PumpTools): Promise<void> {
  const { socket, connection } = pipe;
  let corked = false;
  function uncork(): void {
    corked = false;
    connection.uncork();
  }
  for await (const frame of frames) {
    if (socket.readyState !== socket.OPEN) return;
    tools.check?.(frame);
    if (!corked) {
      corked = true;
      connection.cork();
      process.nextTick(uncork);
    }
    const shared = isSharedFrame(frame);
    connection.write(shared ? frame.bytes : textMessage(JSON.stringify(frame)));
    tools.sent(shared ? frame.values.length : 1);
    if (connection.writableLength >= HIGH_WATER) await drained(pipe, tools.clock);
  }
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
