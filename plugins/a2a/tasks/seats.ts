import { Refusal } from '../protocol/refusal.ts';

/** Requests that are held open at a time: all of them, of one caller, of all guests, and of one address of guests. */
const [ALL, OF_CALLER, OF_GUESTS, OF_NETWORK] = [512, 64, 64, 8];

/** Bounds the requests that wait for a task to change. */
export class Seats {
  readonly #taken = new Map<string, number>();

  /** Takes a seat and gives the function that frees it, which may be called again; refuses when none is left. */
  take(caller: string, network: string, signal: AbortSignal): () => void {
    const isGuest = network !== '';
    const bounds: readonly (readonly [string, number])[] = [
      ['all', ALL],
      [`caller ${caller}`, isGuest ? OF_GUESTS : OF_CALLER],
      ...(isGuest ? [[`network ${network}`, OF_NETWORK] as const] : []),
    ];
    if (bounds.some(([name, most]) => (this.#taken.get(name) ?? 0) >= most))
      throw new Refusal('limit', { detail: 'Too many requests of this caller are held open.', retryAfter: 10 });
    for (const [name] of bounds) this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1);
    let isFree = false;
    const free = () => {
      if (isFree) return;
      isFree = true;
      signal.removeEventListener('abort', free);
      for (const [name] of bounds) {
        const left = this.#taken.get(name)! - 1;
        if (left === 0) this.#taken.delete(name);
        else this.#taken.set(name, left);
      }
    };
    signal.addEventListener('abort', free);
    return free;
  }
}
