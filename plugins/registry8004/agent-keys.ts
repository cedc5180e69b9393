import { collection } from '../../core/plugin.ts';
import type { AgentKeys, Clock, KeyAnswer, KeyUse, Space } from '../../core/services.ts';
import type { Answer, Registry } from './registry.ts';

interface KnownAsset {
  readonly key: string;
  readonly at: number;
}

type Remembered = KnownAsset | { readonly key: undefined; readonly gone: boolean; readonly at: number };

const BINDING_MS = 60_000;
const USUAL_MS = 600_000;
const REFUSED_MS = 60_000;
const TRUSTED_MS = 24 * 3_600_000;
/** A deal may take as long from its offer to its last payment. */
const KEPT_MS = 120 * 24 * 3_600_000;
const PATIENCE_MS = 5_000;
const MOST_ASKED = 32;
const MOST_HEARD = 8;
const MOST_IN_MEMORY = 10_000;
const MOST_STORED = 100_000;

/** Which key an asset had when last asked. */
const assets = collection<KnownAsset>('assets', { schema: 'registry8004/asset', ttl: KEPT_MS });

export interface AssetKeysMeans {
  readonly space: Space;
  readonly clock: Clock;
  /** Whether somebody signs with this id: then it is a key for what binds nothing, while the registry cannot be asked. */
  readonly hasSigned: (id: string) => Promise<boolean>;
}

/** The keys behind agent ids that are assets. An answer that could not be had is none, and sends nothing anywhere. */
export class AssetKeys implements AgentKeys {
  readonly #registry: Registry | undefined;
  readonly #space: Space;
  readonly #clock: Clock;
  readonly #hasSigned: AssetKeysMeans['hasSigned'];
  /** Oldest use first. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #asked = new Map<string, Promise<Answer>>();

  constructor(registry: Registry | undefined, { space, clock, hasSigned }: AssetKeysMeans) {
    this.#registry = registry;
    this.#space = space;
    this.#clock = clock;
    this.#hasSigned = hasSigned;
  }

  async keyOf(id: string, use: KeyUse): Promise<KeyAnswer> {
    // Without a registry on the cluster, nothing is an asset.
    const registry = this.#registry;
    if (!registry) return { status: 'key' };
    const before = await this.#recall(id);
    if (use === 'read' && !before) return { status: 'key' };
    const age = before ? Math.abs(this.#clock.now() - before.at) : Number.POSITIVE_INFINITY;
    const fresh = before?.key === undefined ? REFUSED_MS : use === 'binding' ? BINDING_MS : USUAL_MS;
    if (before && age <= fresh) return answerOf(before);
    if (!before && registry.isMissing) return { status: 'key' };
    const answer = await this.#ask(id, MOST_ASKED);
    if (answer.status === 'registered') return { status: 'asset', key: answer.key };
    if (answer.status === 'unregistered') return { status: answer.gone ? 'gone' : 'key' };
    if (!before && (registry.isMissing || (use === 'usual' && (await this.#hasSigned(id))))) return { status: 'key' };
    const isEnough = use === 'read' || (use === 'usual' && before?.key !== undefined && age <= TRUSTED_MS);
    return before && isEnough ? answerOf(before) : answer;
  }

  /** An agent says that it is known by an asset. Its word decides nothing, but that the registry is asked. */
  async heard(asset: string): Promise<void> {
    const before = this.#registry && (await this.#recall(asset));
    const fresh = before?.key === undefined ? REFUSED_MS : USUAL_MS;
    if (!this.#registry || (before && Math.abs(this.#clock.now() - before.at) <= fresh)) return;
    await this.#ask(asset, MOST_HEARD);
  }

  async #recall(asset: string): Promise<Remembered | undefined> {
    return this.#remembered.get(asset) ?? (await this.#space.get(assets.ref(asset)));
  }

  #ask(asset: string, most: number): Promise<Answer> {
    const asked = this.#asked.get(asset);
    if (asked) return asked;
    if (this.#asked.size >= most) return Promise.resolve({ status: 'unknown', reason: 'too many questions are open' });
    const since = this.#clock.now();
    const answer = this.#soon(this.#registry!.byAsset(asset))
      .then((said) => this.#note(asset, said, since))
      .catch((error: unknown): Answer => ({ status: 'unknown', reason: String(error) }))
      .finally(() => this.#asked.delete(asset));
    this.#asked.set(asset, answer);
    return answer;
  }

  /** An answer is as old as its question. */
  async #note(asset: string, answer: Answer, at: number): Promise<Answer> {
    if (answer.status === 'unknown') return answer;
    if (answer.status === 'unregistered') {
      // On disk first, so that an old answer does not come back after a restart.
      const wasKnown = (await this.#space.get(assets.ref(asset))) !== undefined;
      await this.#space.del(assets.ref(asset));
      const gone = answer.gone === true || wasKnown || this.#isGone(asset);
      this.#remember(asset, { key: undefined, gone, at });
      return { status: 'unregistered', ...(gone && { gone }) };
    }
    const one = { key: answer.key, at };
    this.#remember(asset, one);
    if ((await this.#space.count(assets)) >= MOST_STORED) return answer;
    await this.#space.put(assets.ref(asset), one);
    return answer;
  }

  #isGone(asset: string): boolean {
    const before = this.#remembered.get(asset);
    return before !== undefined && (before.key !== undefined || before.gone);
  }

  #remember(asset: string, one: Remembered): void {
    this.#remembered.delete(asset);
    this.#remembered.set(asset, one);
    if (this.#remembered.size <= MOST_IN_MEMORY) return;
    for (const oldest of this.#remembered.keys()) {
      this.#remembered.delete(oldest);
      return;
    }
  }

  async #soon(answer: Promise<Answer>): Promise<Answer> {
    let cancel = () => {};
    const late = new Promise<Answer>((resolve) => {
      cancel = this.#clock.after(PATIENCE_MS, () =>
        resolve({ status: 'unknown', reason: `no answer within ${PATIENCE_MS / 1_000} seconds` }),
      );
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      cancel();
    }
  }
}

function answerOf(one: Remembered): KeyAnswer {
  if (one.key !== undefined) return { status: 'asset', key: one.key };
  return { status: one.gone ? 'gone' : 'key' };
}
