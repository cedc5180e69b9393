import { createWsTransport } from '../../adapters/mesh-ws/ws-transport.ts';
import type { Link } from '../../core/mesh/transport.ts';

export interface Interceptor {
  readonly url: string;
  /** What the dialler sent, message by message. */
  readonly recorded: Uint8Array[];
  close(): Promise<void>;
}

export type Side = 'dialler' | 'listener';
export type Change = (message: Uint8Array, from: Side, index: number) => Uint8Array;

/** Sits between a dialler and the node at `target`, reads everything and changes what it likes. */
export async function intercept(target: string, change: Change = (message) => message): Promise<Interceptor> {
  const [listening, dialling] = [createWsTransport(), createWsTransport()];
  const recorded: Uint8Array[] = [];
  listening.accept(async (near) => {
    const far = await dialling.dial(target, AbortSignal.timeout(5_000));
    pump(near, far, 'dialler');
    pump(far, near, 'listener');
  });
  function pump(from: Link, to: Link, side: Side): void {
    let index = 0;
    from.receive({
      message(message) {
        if (side === 'dialler') recorded.push(Uint8Array.from(message));
        to.send(change(Uint8Array.from(message), side, index++));
      },
      drain() {},
      closed: (reason) => to.close(reason),
    });
  }
  return {
    url: await listening.listen(),
    recorded,
    async close() {
      await listening.close();
      await dialling.close();
    },
  };
}
