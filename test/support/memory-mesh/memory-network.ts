import type { Link, Transport } from '../../../core/mesh/transport.ts';
import type { Clock } from '../../../core/platform/clock.ts';
import { MemoryLink } from './memory-link.ts';

export interface MemoryNetworkOptions {
  /** Milliseconds a message takes, asked for each; the default is none, which still is a later turn of the clock. */
  readonly latency?: number | (() => number);
}

/**
 * Transports of one process that reach each other by name (`memory:node-1`). Every delivery is a timer of the given
 * clock, so a mesh under a virtual clock runs the same way every time.
 */
export class MemoryNetwork {
  readonly #clock: Clock;
  readonly #latency: () => number;
  readonly #listeners = new Map<string, (link: Link) => void>();
  readonly #links = new Map<string, Set<MemoryLink>>();
  readonly #cuts = new Set<string>();

  constructor(clock: Clock, options: MemoryNetworkOptions = {}) {
    this.#clock = clock;
    const { latency = 0 } = options;
    this.#latency = typeof latency === 'number' ? () => latency : latency;
  }

  transport(name: string): Transport {
    return {
      name: 'mesh-memory',
      schemes: ['memory:'],
      dial: (url, signal) => this.#dial(name, url, signal),
      accept: (handler) => void this.#listeners.set(name, handler),
      close: async () => {
        this.#listeners.delete(name);
        for (const link of this.#links.get(name) ?? []) link.destroy();
        this.#links.delete(name);
      },
    };
  }

  /** Nothing passes between the two any more and neither is told: the half-open connection of a lost cable. */
  cut(one: string, other: string): void {
    this.#cuts.add(route(one, other));
  }

  mend(one: string, other: string): void {
    this.#cuts.delete(route(one, other));
    for (const name of [one, other]) for (const link of this.#links.get(name) ?? []) link.wakeUp();
  }

  async #dial(from: string, url: string, signal: AbortSignal): Promise<Link> {
    const to = url.replace(/^memory:/, '');
    const between = route(from, to);
    await this.#clock.sleep(this.#latency(), signal);
    if (this.#cuts.has(between)) await forever(signal);
    const listener = this.#listeners.get(to);
    if (!listener) throw new Error(`Nobody listens at memory:${to}.`);
    const wire = { clock: this.#clock, latency: this.#latency, isCut: () => this.#cuts.has(between) };
    const [dialled, accepted] = MemoryLink.pair(wire, `memory:${from}`, url);
    this.#remember(from, dialled);
    this.#remember(to, accepted);
    listener(accepted);
    return dialled;
  }

  #remember(name: string, link: MemoryLink): void {
    const links = this.#links.get(name) ?? new Set();
    for (const old of links) if (old.closed) links.delete(old);
    this.#links.set(name, links.add(link));
  }
}

function route(one: string, other: string): string {
  return [one, other].sort().join(' ');
}

function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
