import type { IncomingMessage } from 'node:http';
import { MeshError } from '../contracts/errors.ts';
import { networkOf } from '../platform/addresses.ts';
import { KeyedCounter } from '../platform/keyed-counter.ts';

/** Bytes above which a body is a large one; so is one that does not say how long it is. */
const LARGE = 1_048_576;
const ALL = '';

/** A route of which not any number of large bodies is held at the same time. */
export interface BoundedRoute {
  readonly maxBody?: number;
  readonly largeBodies?: number;
}

interface Call {
  readonly served: { readonly endpoint: { readonly spec: BoundedRoute } };
  readonly request: Pick<IncomingMessage, 'headers'>;
  readonly ip: string;
}

/** The large bodies that are being read, or whose calls are being answered, by route: each is in memory until then. */
export class LargeBodies {
  readonly #held = new WeakMap<BoundedRoute, KeyedCounter>();

  /**
   * Answers a call that holds a place for its body, where its route has places and the body needs one. Rejects with `rate_limited` when all are
   * taken, or when the caller's address has half of them.
   */
  async held<T>(call: Call, answer: () => Promise<T>): Promise<T> {
    const giveBack = this.#take(call);
    try {
      return await answer();
    } finally {
      giveBack();
    }
  }

  #take({ served, request, ip }: Call): () => void {
    const { spec } = served.endpoint;
    const { largeBodies: most, maxBody = 0 } = spec;
    const announced = request.headers['content-length'];
    if (most === undefined || maxBody <= LARGE || (announced !== undefined && Number(announced) <= LARGE))
      return nothing;
    const held = this.#held.get(spec) ?? new KeyedCounter();
    this.#held.set(spec, held);
    const network = networkOf(ip);
    if (held.of(ALL) >= most || held.of(network) >= Math.ceil(most / 2))
      throw new MeshError('rate_limited', {
        detail: `Bodies above ${LARGE} bytes are taken ${most} at a time here, and half as many from one address; send it again soon.`,
        retryAfter: 2,
      });
    const places = [held.take(ALL), held.take(network)];
    return () => {
      for (const giveBack of places) giveBack();
    };
  }
}

function nothing(): void {}
