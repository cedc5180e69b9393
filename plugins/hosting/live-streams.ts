interface Live {
  readonly expires: number;
  readonly stop: AbortController;
}

/** The WebSockets of hosted agents: they end with the token that opened them. */
export class LiveStreams {
  readonly #live = new Map<string, Set<Live>>();

  /** `signal` is aborted when the token holds no more; `close` when the stream has ended. */
  open(agent: string, expires: number): { readonly signal: AbortSignal; readonly close: () => void } {
    const live: Live = { expires, stop: new AbortController() };
    const all = this.#live.get(agent) ?? new Set();
    this.#live.set(agent, all.add(live));
    const close = () => {
      all.delete(live);
      if (all.size === 0 && this.#live.get(agent) === all) this.#live.delete(agent);
    };
    return { signal: live.stop.signal, close };
  }

  /** Ends those of one agent. */
  end(agent: string): void {
    for (const { stop } of this.#live.get(agent) ?? []) stop.abort();
  }

  /** Ends those whose token has ended by itself. */
  endBefore(now: number): void {
    for (const all of this.#live.values()) for (const { expires, stop } of all) if (expires <= now) stop.abort();
  }
}
