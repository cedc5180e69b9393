import { type Collection, collection, MeshError } from '../../../core/plugin.ts';
import type { Agents, Clock, LedgerAccounts, Self, Space } from '../../../core/services.ts';
import { failed, type LaunchpadApi } from '../api.ts';
import { WHOLE_BPS } from '../fee-share.ts';
import type { Signing } from '../signing.ts';
import { base64Of, FEE_SHARE } from '../upstream.ts';
import type { SponsorConfig } from './config.ts';
import type { Begun, SponsorRequest, Sponsorship } from './shapes.ts';

export interface SponsorOptions {
  readonly api: LaunchpadApi;
  readonly signing: Signing;
  readonly accounts: LedgerAccounts;
  readonly agents: Agents;
  readonly self: Self;
  readonly clock: Clock;
  readonly space: Space;
  readonly config: SponsorConfig;
}

const DAY_MS = 24 * 3_600_000;
const LAMPORTS = 1e9;
/** Sponsorships under way and waiting. */
const MOST_RUNNING = 32;
const RETRY_SECS = 10;

const sponsorships: Collection<Sponsorship> = collection('sponsorships', { schema: 'sponsor/sponsorship' });
const begun: Collection<Begun> = collection('begun', { schema: 'sponsor/begun', ttl: DAY_MS });
const all = begun.ref('all');
const ofAgent = (agent: string) => begun.ref(`agent/${agent}`);

/** Pays for the accounts that give agents the fees of their tokens, so many a day. */
export class Sponsor {
  readonly #options: SponsorOptions;
  readonly #running = new Map<string, Promise<string>>();

  constructor(options: SponsorOptions) {
    this.#options = options;
  }

  /** The account for a token; the same call again costs nothing. One at a time, since they are paid from one wallet. */
  configKey(request: SponsorRequest): Promise<string> {
    const { base_mint: mint, agent_pubkey: agent } = request;
    const name = `${mint}/${agent}`;
    const running = this.#running.get(name);
    if (running) return running;
    this.#requirePlace(agent);
    const before = [...this.#running.values()].at(-1) ?? Promise.resolve('');
    const work = () => this.#configKey(request);
    const run = before.then(work, work).finally(() => this.#running.delete(name));
    this.#running.set(name, run);
    return run;
  }

  /** One token of an agent at a time, and so many in all: each waits for the ones before it. */
  #requirePlace(agent: string): void {
    const names = [...this.#running.keys()];
    const isBusy = names.some((name) => name.endsWith(`/${agent}`));
    if (!isBusy && names.length < MOST_RUNNING) return;
    const detail = isBusy
      ? 'Another token of this agent is being sponsored; ask again when it is.'
      : `${MOST_RUNNING} tokens are being sponsored; ask again later.`;
    throw new MeshError('rate_limited', { detail, retryAfter: RETRY_SECS });
  }

  async #configKey(request: SponsorRequest): Promise<string> {
    const { space, agents, signing } = this.#options;
    const { base_mint: mint, agent_pubkey: agent } = request;
    const ref = sponsorships.ref(mint);
    const known = await space.get(ref);
    if (known && known.agent !== agent)
      throw new MeshError('conflict', `The fee share of ${mint} was made for another agent.`);
    if (known?.config_key !== undefined) return known.config_key;
    // The fee share of one that was begun may be there, paid with what the wallet lacks now.
    if (!known) await this.#checkWallet(this.#most);
    if (!(await agents.get(agent)))
      throw new MeshError('forbidden', 'This aggregator has not heard of the agent; announce it with a BEACON first.');
    const sent = known?.sent ?? (await this.#begin(mint, agent));
    for (let index = 0; index < sent; index++) await signing.found(keyOf(mint, index));
    try {
      const config_key = await this.#create(request, sent, BigInt(known?.lamports ?? 0));
      await space.put(ref, { agent, sent, ...(await space.get(ref)), config_key });
      return config_key;
    } catch (error) {
      await this.#giveBack(mint, agent);
      throw error;
    }
  }

  async #create(
    { base_mint: mint, agent_pubkey: agent, ...more }: SponsorRequest,
    before: number,
    paid: bigint,
  ): Promise<string> {
    const { api, self, signing, space } = this.#options;
    const { partner, partner_config: partnerConfig } = more;
    const share = await api.post(FEE_SHARE, '/fee-share/config', {
      ...{ payer: self.address, baseMint: mint, claimersArray: [agent], basisPointsArray: [WHOLE_BPS] },
      ...(partner !== undefined && partnerConfig !== undefined && { partner, partnerConfig }),
    });
    const { meteoraConfigKey, needsCreation, transactions = [], bundles = [] } = share;
    if (!needsCreation) return meteoraConfigKey;
    if (bundles.length > 0) throw failed('it wants bundles, which a fee share of one claimer does not need');
    if (transactions.length === 0) throw failed('it built no transaction for the fee share');
    const most = this.#most;
    // The cost of an earlier attempt counts too.
    let left = most - paid;
    await this.#checkWallet(left);
    for (const [index, { transaction }] of transactions.entries()) {
      const key = keyOf(mint, before + index);
      const terms = { spend: { lamports: left }, cosigners: [meteoraConfigKey] };
      const wanted = { key, transaction: base64Of(transaction), ...terms };
      const { status } = await signing.send(wanted, async ({ lamports }) => {
        left += lamports < 0n ? lamports : 0n;
        const sent = { sent: before + index + 1, lamports: (most - left).toString() };
        await space.put(sponsorships.ref(mint), { agent, ...sent });
        return { type: 'launchpad', action: 'sponsor', details: { token_mint: mint, agent } };
      });
      // The next one may stand on this one.
      if (status === 'pending')
        throw new MeshError('ledger_unavailable', 'The ledger has not taken it yet; ask again.');
    }
    return meteoraConfigKey;
  }

  /** Lamports that one token may cost. */
  get #most(): bigint {
    return BigInt(Math.round(this.#options.config.maxSolPerToken * LAMPORTS));
  }

  /** The launchpad's fees come from this wallet, so an empty one sponsors nobody. */
  async #checkWallet(needed: bigint): Promise<void> {
    const { accounts, self } = this.#options;
    const { lamports } = await accounts.holdings(self.address);
    if (lamports >= needed) return;
    throw new MeshError('sponsor_unavailable', `The wallet ${self.address} holds too little SOL to sponsor a token.`);
  }

  /** Counts a sponsorship before anything is asked or paid; the same token counts once. */
  async #begin(mint: string, agent: string): Promise<number> {
    const { space, clock, config } = this.#options;
    const own = ofAgent(agent);
    const ref = sponsorships.ref(mint);
    await space.tx([all, own, ref], (tx) => {
      const since = clock.now() - DAY_MS;
      const [ofAll, ofOne] = [all, own].map((one) => (tx.get(one)?.at ?? []).filter((at) => at > since));
      checkCount(ofAll!, config.maxPerDay, 'plugins.sponsor.maxPerDay', clock.now());
      checkCount(ofOne!, config.maxPerAgentPerDay, 'plugins.sponsor.maxPerAgentPerDay', clock.now());
      tx.put(all, { at: [...ofAll!, clock.now()] });
      tx.put(own, { at: [...ofOne!, clock.now()] });
      tx.put(ref, { agent, sent: 0 });
    });
    return 0;
  }

  /** A sponsorship for which nothing was sent counts no more. */
  async #giveBack(mint: string, agent: string): Promise<void> {
    const own = ofAgent(agent);
    const ref = sponsorships.ref(mint);
    await this.#options.space.tx([all, own, ref], (tx) => {
      if (tx.get(ref)?.sent !== 0) return;
      tx.del(ref);
      for (const one of [all, own]) tx.put(one, { at: (tx.get(one)?.at ?? []).slice(0, -1) });
    });
  }
}

function checkCount(times: readonly number[], most: number, cap: string, now: number): void {
  if (times.length < most) return;
  const retryAfter = Math.max(1, Math.ceil(((times[0] ?? now) + DAY_MS - now) / 1_000));
  const detail = `${cap} allows ${most} tokens in 24 hours, and ${times.length} were sponsored.`;
  throw new MeshError('rate_limited', { detail, retryAfter, extra: { cap, limit: most } });
}

function keyOf(mint: string, index: number): string {
  return `fee-share/${mint}/${index}`;
}
