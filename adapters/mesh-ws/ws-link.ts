import type { RawSocket } from '../../core/http/route.ts';
import { cutReason, LinkInbox } from '../../core/mesh/session/link-inbox.ts';
import {
  HIGH_WATER,
  type Link,
  type LinkFault,
  type LinkListener,
  LOW_WATER,
  MAX_MESSAGE,
} from '../../core/mesh/transport.ts';

const OPEN = 1;
const SEND_OPTIONS = { binary: true, compress: false };
/** How long the other side may take to answer our close before the socket is dropped. */
const CLOSE_TIMEOUT = 2_000;

/** One open WebSocket as a link. Must be made in the turn in which the socket opened, or early messages are lost. */
export class WsLink implements Link {
  readonly remote: string;
  readonly dialled: boolean;
  readonly #socket: RawSocket;
  readonly #inbox = new LinkInbox();
  readonly #sent: (error?: Error) => void;
  #aboveHighWater = false;
  #reason: string | undefined;
  #fault: LinkFault | undefined;
  #closeTimer: NodeJS.Timeout | undefined;

  constructor(socket: RawSocket, remote: string, dialled: boolean) {
    this.#socket = socket;
    this.remote = remote;
    this.dialled = dialled;
    this.#sent = () => this.#afterSend();
    socket.on('error', (error) => {
      this.#reason ??= error.message;
      // The library names this way a breach of the WebSocket rules by the other side.
      if ((error as NodeJS.ErrnoException).code?.startsWith('WS_ERR_')) this.#fault ??= 'message';
    });
    socket.on('close', (code, reason) => {
      clearTimeout(this.#closeTimer);
      this.#inbox.end(this.#reason ?? (reason.toString('utf8') || `closed with code ${code}`), this.#fault);
    });
    socket.on('message', (data, isBinary) => this.#message(data, isBinary));
  }

  get buffered(): number {
    return this.#socket.bufferedAmount;
  }

  send(message: Uint8Array): void {
    if (this.#socket.readyState !== OPEN) return;
    if (message.length > MAX_MESSAGE) {
      this.#drop('message too large');
      return;
    }
    this.#socket.send(message, SEND_OPTIONS, this.#sent);
    if (this.#socket.bufferedAmount > HIGH_WATER) this.#aboveHighWater = true;
  }

  receive(listener: LinkListener): void {
    this.#inbox.listen(listener);
  }

  pause(): void {
    this.#inbox.pause();
    this.#socket.pause();
  }

  resume(): void {
    this.#inbox.resume();
    this.#socket.resume();
  }

  close(reason = 'closed'): void {
    if (this.#socket.readyState !== OPEN) return;
    const text = cutReason(reason);
    this.#reason ??= text;
    this.#inbox.mute();
    this.#socket.resume();
    this.#socket.close(1000, text);
    this.#closeTimer = setTimeout(() => this.#socket.terminate(), CLOSE_TIMEOUT);
    this.#closeTimer.unref();
  }

  destroy(): void {
    this.#drop('destroyed');
  }

  #message(data: unknown, isBinary: boolean): void {
    if (!isBinary || !(data instanceof Uint8Array)) this.#drop('only binary messages are spoken here', 'message');
    else if (data.length > MAX_MESSAGE) this.#drop('message too large', 'message');
    else if (!this.#inbox.push(data)) this.#drop('backlog full');
  }

  #afterSend(): void {
    if (!this.#aboveHighWater || this.#socket.bufferedAmount >= LOW_WATER) return;
    this.#aboveHighWater = false;
    this.#inbox.drained();
  }

  #drop(reason: string, fault?: LinkFault): void {
    this.#reason ??= reason;
    this.#socket.terminate();
    this.#inbox.abort(this.#reason, fault);
  }
}
