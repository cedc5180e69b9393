import { isMeshError, MeshError, type TypedSchema, typed } from '../../core/plugin.ts';
import type { AggregatorCalls, Clock, Contracts, Self } from '../../core/services.ts';
import { failed, type LaunchpadApi } from './api.ts';
import type { LaunchpadConfig } from './config.ts';
import { MINT } from './tokens.ts';
import { FEE_SHARE } from './upstream.ts';

export interface FeeSharesOptions {
  readonly api: LaunchpadApi;
  readonly aggregators: AggregatorCalls;
  readonly contracts: Contracts;
  readonly self: Self;
  readonly clock: Clock;
  readonly config: Pick<LaunchpadConfig, 'partnerWallet' | 'partnerKey'>;
}

export interface Partner {
  readonly partner?: string;
  readonly partnerConfig?: string;
}

/** All of the fees to one claimer. */
export const WHOLE_BPS = 10_000;
const PATH = '/sponsor/fee-share-config';
const SPONSORED: TypedSchema<{ config_key: string }> = typed({
  type: 'object',
  required: ['config_key'],
  properties: { config_key: MINT },
});
/** The launchpad may see a new account some seconds after the aggregator did. */
const LOOKS = 5;
const LOOK_AGAIN_MS = 2_000;

/** The accounts that give this agent the fees of its tokens, which the sponsor of an aggregator pays for. */
export class FeeShares {
  readonly #options: FeeSharesOptions;

  constructor(options: FeeSharesOptions) {
    this.#options = options;
  }

  get partner(): Partner {
    const { partnerWallet: partner, partnerKey: partnerConfig } = this.#options.config;
    return partner !== undefined && partnerConfig !== undefined ? { partner, partnerConfig } : {};
  }

  /** Asks aggregator after aggregator, and believes none: the launchpad has to know the account as the one that pays this agent all. */
  async configKey(mint: string): Promise<string> {
    const key = await this.#sponsored(mint);
    await this.#check(mint, key);
    return key;
  }

  async #sponsored(mint: string): Promise<string> {
    const { aggregators, contracts, self } = this.#options;
    const body = { base_mint: mint, agent_pubkey: self.address, ...this.partner };
    const refusals: MeshError[] = [];
    for (const url of aggregators.urls) {
      try {
        const said = await aggregators.post({ url, path: PATH, body });
        if (contracts.problems(SPONSORED, said).length === 0) return (said as { config_key: string }).config_key;
        refusals.push(new MeshError('upstream_failed', 'its answer has another shape'));
      } catch (error) {
        if (!isMeshError(error)) throw error;
        refusals.push(error);
      }
    }
    const slow = refusals.find(({ code }) => code === 'rate_limited');
    if (slow) throw slow;
    const why = refusals.map(({ message }) => message).join('; ') || 'this node has none: set mesh.aggregators';
    throw new MeshError('upstream_failed', `No aggregator sponsored the fee share of the token: ${why}`);
  }

  async #check(mint: string, key: string): Promise<void> {
    const { api, self, clock } = this.#options;
    for (let look = 1; ; look++) {
      const { needsCreation, meteoraConfigKey } = await api.post(FEE_SHARE, '/fee-share/config', {
        ...{ payer: self.address, baseMint: mint, claimersArray: [self.address], basisPointsArray: [WHOLE_BPS] },
        ...this.partner,
      });
      if (!needsCreation && meteoraConfigKey === key) return;
      if (!needsCreation)
        throw failed(
          `the aggregator made the fee share ${key}, and the one that pays this agent is ${meteoraConfigKey}`,
        );
      if (look === LOOKS) throw failed(`it does not know the fee share ${key} that the aggregator made`);
      await clock.sleep(LOOK_AGAIN_MS);
    }
  }
}
