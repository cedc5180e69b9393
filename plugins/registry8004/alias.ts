import { collection, type Health, type Log } from '../../core/plugin.ts';
import type { OwnAsset, Self, Space } from '../../core/services.ts';
import type { Answer, Registry } from './registry.ts';

/** The asset that was this agent's when the registry was last asked. */
const claims = collection<{ readonly asset: string; readonly at: number }>('alias', { schema: 'registry8004/known' });

/** The asset that this agent is known by: the one that `--agent-id` names, else one that its key signs for. */
export class OwnRegistration implements OwnAsset {
  readonly #registry: Registry | undefined;
  readonly #self: Self;
  readonly #space: Space;
  readonly #log: Log;
  #asset: string | undefined;
  #trouble: string | undefined;

  constructor(
    registry: Registry | undefined,
    { self, space, log }: { readonly self: Self; readonly space: Space; readonly log: Log },
  ) {
    this.#registry = registry;
    this.#self = self;
    this.#space = space;
    this.#log = log;
  }

  asset(): string | undefined {
    return this.#asset;
  }

  /**
   * Throws when the key of this node is not the one of the asset that it is to be. While the registry cannot be asked, a node that it knew
   * before starts, and any other does not.
   */
  async require(): Promise<void> {
    const { claimedId } = this.#self;
    const answer = await this.#ask();
    if (claimedId === undefined || this.#asset === claimedId) return;
    if (answer.status === 'unknown') {
      if (await this.#space.get(claims.ref(`${claimedId} ${this.#self.id}`))) {
        this.#trouble = `whether this key is still that of ${claimedId} is not known: ${answer.reason}`;
        return;
      }
      throw new Error(
        `--agent-id ${claimedId} is not the key of this node, and the registry cannot be asked: ${answer.reason}`,
      );
    }
    const signer = answer.status === 'registered' ? `its key is ${answer.key}` : 'it is not registered';
    throw new Error(
      `--agent-id ${claimedId} is not this agent: ${signer}, and the key of this node is ${this.#self.id}. ` +
        'Start with the key of that agent, or without --agent-id.',
    );
  }

  /** Asks again, now and then: an agent may be registered, or its asset sold, while it runs. */
  async look(): Promise<void> {
    const before = this.#asset;
    await this.#ask();
    if (before !== this.#asset)
      this.#log.info({ asset: this.#asset ?? null }, 'the registry knows this agent by another asset');
  }

  health(): Health | undefined {
    if (this.#trouble === undefined) return undefined;
    return {
      state: 'degraded',
      detail: this.#trouble,
      remedy: 'Check the RPC of the ledger, and the key of the asset.',
    };
  }

  async #ask(): Promise<Answer> {
    const { claimedId, id } = this.#self;
    if (!this.#registry) return { status: 'unknown', reason: 'there is no registry on this cluster' };
    const answer = await (claimedId === undefined ? this.#registry.byKey(id) : this.#registry.byAsset(claimedId));
    if (answer.status === 'unknown') return answer;
    this.#trouble = undefined;
    if (answer.status === 'registered' && answer.key === id) {
      this.#asset = answer.asset;
      const { asset } = answer;
      if (claimedId !== undefined) await this.#space.put(claims.ref(`${asset} ${id}`), { asset, at: 0 });
      return answer;
    }
    this.#asset = undefined;
    if (claimedId !== undefined) {
      this.#trouble = `the key of this node is not that of ${claimedId} any more`;
      await this.#space.del(claims.ref(`${claimedId} ${id}`));
    }
    return answer;
  }
}
