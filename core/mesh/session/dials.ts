import type { AddressFilter } from '../../platform/address-filter.ts';
import type { Clock } from '../../platform/clock.ts';
import type { MeshLimits } from '../limits.ts';
import type { MeshOptions } from '../mesh-contract.ts';
import type { Link, Transport } from '../transport.ts';

/** A URL that is not dialled because of where it leads. */
export class DialRefused extends Error {
  override name = 'DialRefused';
}

/** Opens links to URLs, each with a deadline, and none to where it may not. */
export class Dials {
  readonly #transports: readonly Transport[];
  readonly #filter: AddressFilter | undefined;
  readonly #clock: Clock;
  readonly #deadline: number;
  readonly #underWay = new Set<AbortController>();
  #closed = false;

  constructor({ transports, addresses, clock }: MeshOptions, { handshakeMs }: MeshLimits) {
    this.#transports = transports;
    this.#filter = addresses;
    this.#clock = clock;
    this.#deadline = handshakeMs;
  }

  /** Opens a link and gives what `use` makes of it. A URL that nobody `chose` leads only to where the filter allows. */
  async open<T>(url: string, use: (link: Link) => Promise<T>, chosen = false): Promise<T> {
    const transport = this.#transports.find(({ schemes }) => schemes.some((scheme) => url.startsWith(scheme)));
    if (!transport) throw new Error(`No transport dials ${url}.`);
    if (this.#closed) throw new Error('The mesh is closed.');
    const abort = new AbortController();
    const cancel = this.#clock.after(this.#deadline, () => abort.abort(new Error('It took too long.')));
    this.#underWay.add(abort);
    try {
      const addresses = chosen || !transport.namesHosts ? undefined : await this.#allowed(url, abort.signal);
      return await use(await transport.dial(url, abort.signal, addresses));
    } finally {
      cancel();
      this.#underWay.delete(abort);
    }
  }

  close(): void {
    this.#closed = true;
    for (const dial of this.#underWay) dial.abort(new Error('The mesh is closed.'));
  }

  /** Names may take for ever to resolve; the deadline counts all the same. */
  async #allowed(url: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
    if (!this.#filter) return undefined;
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      return await Promise.race([this.#filter.allowed(url), late]);
    } catch (error) {
      throw new DialRefused(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}
