/** What a peer of either kind is asked to do; the answers are in brackets. */
export interface Peer {
  /** Connects to the address. [where and under which key it is reached itself] */
  connect(to: Address | undefined): Promise<Address>;
  /** Sends so many messages, a bounded number of them unanswered, and waits for the last answer. [milliseconds] */
  stream(to: Address, count: number, signed: boolean): Promise<number>;
  /** Sends one message after the answer to the other. [the median in microseconds] */
  roundTrip(to: Address, count: number, signed: boolean): Promise<number>;
  /** [microseconds of CPU since the start] */
  cpu(): Promise<number>;
}

export interface Address {
  readonly url: string;
  /** Hexadecimal. */
  readonly key: string;
}

/** Messages handed to the transport in one turn of the event loop. */
export const PER_TURN = 64;
/** Messages that may be unanswered. */
export const UNANSWERED = 1_024;

/** Serves a peer to the process that forked this one. */
export function serve(peer: Peer): void {
  process.on('message', async ({ id, ask, args }: { id: number; ask: keyof Peer; args: unknown[] }) => {
    try {
      const answer = await (peer[ask] as (...given: unknown[]) => unknown)(...args);
      process.send!({ id, answer });
    } catch (error) {
      process.send!({ id, failed: String(error instanceof Error ? error.stack : error) });
    }
  });
  process.once('disconnect', () => process.exit());
  process.send!({ id: 0 });
}
