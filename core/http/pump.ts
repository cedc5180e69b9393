import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import { CONSUMER_TOO_SLOW, isSharedFrame, StreamEnd } from './frame.ts';

/** Unsent bytes above which the next frame waits. */
const HIGH_WATER = 64 * 1024;
/** Milliseconds a client may take to drain that much before it is given up. */
const STALL = 30_000;

export interface PumpTools {
  readonly clock: Clock;
  /** Throws when a frame breaks its contract; absent outside development. */
  readonly check?: (frame: unknown) => void;
  readonly sent: () => void;
}

/**
 * Writes frames until they end or the client is gone, as fast as the client reads. Throws what the generator throws,
 * and `StreamEnd` 4008 for a client that takes nothing for 30 seconds.
 */
export async function pump(socket: WebSocket, frames: AsyncIterable<unknown>, tools: PumpTools): Promise<void> {
  for await (const frame of frames) {
    if (socket.readyState !== socket.OPEN) return;
    tools.check?.(frame);
    const bytes = isSharedFrame(frame) ? frame.bytes : JSON.stringify(frame);
    const delivered = await send(socket, bytes, tools.clock);
    if (!delivered) return;
    tools.sent();
  }
}

/** Resolves at once while little is queued, else when this frame has left; false when the socket failed. */
function send(socket: WebSocket, bytes: string | Buffer, clock: Clock): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let cancel: (() => void) | undefined;
    socket.send(bytes, { binary: false }, (error) => {
      cancel?.();
      resolve(!error);
    });
    if (socket.bufferedAmount < HIGH_WATER) return resolve(true);
    cancel = clock.after(STALL, () => reject(new StreamEnd(CONSUMER_TOO_SLOW, 'consumer_too_slow')));
  });
}
