import { type Collection, collection } from '../../core/plugin.ts';
import type { Space } from '../../core/services.ts';
import type { KnownToken } from './stored.ts';

/** How long it is believed that the launchpad has no pool of a token. */
const NONE_MS = 24 * 3_600_000;

const tokens: Collection<KnownToken> = collection('tokens', { schema: 'launchpad/stored-token' });

/** Tokens of which this node knows whether they are of the launchpad, and what was said at their launch. */
export class KnownTokens {
  readonly #space: Space;

  constructor(space: Space) {
    this.#space = space;
  }

  /** Undefined when nobody has asked lately. */
  async isOfLaunchpad(mint: string): Promise<boolean | undefined> {
    return (await this.#space.get(tokens.ref(mint)))?.of_launchpad;
  }

  /** The words of a launch from here. */
  async description(mint: string): Promise<string | undefined> {
    return (await this.#space.get(tokens.ref(mint)))?.description;
  }

  async looked(mint: string, of_launchpad: boolean): Promise<void> {
    await this.#put(mint, { of_launchpad }, of_launchpad ? {} : { ttl: NONE_MS });
  }

  async traded(mint: string): Promise<void> {
    await this.#put(mint, { of_launchpad: true });
  }

  async launched(mint: string, description: string): Promise<void> {
    await this.#put(mint, { of_launchpad: true, description });
  }

  async #put(mint: string, token: KnownToken, options: { readonly ttl?: number } = {}): Promise<void> {
    const ref = tokens.ref(mint);
    await this.#space.tx([ref], (tx) => tx.put(ref, { ...tx.get(ref), ...token }, options));
  }
}
