import { type Collection, collection, MeshError } from '../../core/plugin.ts';
import type { Random, Self, Space } from '../../core/services.ts';
import type { LaunchpadApi } from './api.ts';
import type { Prices } from './prices.ts';
import type { ClaimableReply, ClaimReply } from './shapes.ts';
import type { Signing } from './signing.ts';
import { CALL_KNOWN_FOR, type StoredClaim } from './stored.ts';
import { units } from './tokens.ts';
import { base64Of, CLAIM_TRANSACTIONS, CLAIMABLE } from './upstream.ts';

export interface ClaimsOptions {
  readonly api: LaunchpadApi;
  readonly prices: Prices;
  readonly signing: Signing;
  readonly self: Self;
  readonly random: Random;
  readonly space: Space;
}

/** Fees, and the rent of an account that a claim may open. */
const COSTS = 5_000_000n;
const LAMPORTS = 1e9;
/** The blockhash of a row without a transaction: 32 zeros. */
const NO_BLOCKHASH = '1'.repeat(32);

/** By the operation of a caller. */
const operations: Collection<StoredClaim> = collection('claims', {
  schema: 'launchpad/stored-claim',
  ttl: CALL_KNOWN_FOR,
});

/** Fees that this agent has earned as the creator of tokens. */
export class Claims {
  readonly #options: ClaimsOptions;
  readonly #running = new Set<string>();

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  async claimable(): Promise<ClaimableReply[]> {
    const { api, prices, self } = this.#options;
    const rows = await api.get(CLAIMABLE, '/token-launch/claimable-positions', { wallet: self.address });
    const sums = new Map<string, bigint>();
    for (const { baseMint, totalClaimableLamportsUserShare: lamports } of rows)
      sums.set(baseMint, (sums.get(baseMint) ?? 0n) + BigInt(lamports));
    if (sums.size === 0) return [];
    const sol = await prices.sol();
    return [...sums].map(([token_mint, lamports]) => ({
      token_mint,
      claimable_usdc: usdcOf(lamports, sol),
      claimable_lamports: units(lamports),
    }));
  }

  async claim(mint: string, operation: string | undefined): Promise<ClaimReply> {
    if (this.#running.has(mint)) throw new MeshError('conflict', `A claim of ${mint} is under way.`);
    this.#running.add(mint);
    try {
      return await this.#claim(mint, operation);
    } finally {
      this.#running.delete(mint);
    }
  }

  /** One transaction after the other, since a later one may stand on an earlier one. */
  async #claim(mint: string, operation: string | undefined): Promise<ClaimReply> {
    const { api, prices, signing, self, random, space } = this.#options;
    const fresh = Buffer.from(random.bytes(16)).toString('hex');
    const ref = operations.ref(operation ?? fresh);
    const begun = operation === undefined ? undefined : await space.get(ref);
    let claim: StoredClaim = begun ?? { parts: [], done: false, name: fresh };
    const name = claim.name ?? operation ?? fresh;
    const landed = await this.#landed(name, claim);
    // Before anything is sent: the answer must not fail afterwards for want of a ledger or a price.
    await signing.checkFunds({});
    const sol = await prices.sol();
    const rows = claim.done
      ? []
      : await api.post(CLAIM_TRANSACTIONS, '/token-launch/claim-txs/v3', askedBy(self, mint));
    for (const { tx, blockhash } of rows) {
      if (blockhash.blockhash === NO_BLOCKHASH) continue;
      const wanted = {
        ...{ key: keyOf(name, claim.parts.length), transaction: base64Of(tx) },
        spend: { lamports: COSTS },
      };
      const { signature, status } = await signing.send(wanted, async ({ lamports }) => {
        claim = { ...claim, parts: [...claim.parts, (lamports > 0n ? lamports : 0n).toString()] };
        await space.put(ref, claim);
        const details = { token_mint: mint, lamports: lamports.toString() };
        return { type: 'launchpad', action: 'claim', details };
      });
      landed.push({ txid: signature, lamports: BigInt(claim.parts.at(-1)!) });
      // The ledger does not answer: the rest is for a repeated call.
      if (status === 'pending') return replyOf(landed, sol);
    }
    if (!claim.done) await space.put(ref, { ...claim, done: true });
    return replyOf(landed, sol);
  }

  /** A transaction that was written down may never have been sent. */
  async #landed(name: string, { parts }: StoredClaim): Promise<Landed[]> {
    const landed: Landed[] = [];
    for (const [index, lamports] of parts.entries()) {
      const state = await this.#options.signing.found(keyOf(name, index));
      if (state) landed.push({ txid: state.signature, lamports: BigInt(lamports) });
    }
    return landed;
  }
}

interface Landed {
  readonly txid: string;
  readonly lamports: bigint;
}

function askedBy({ address }: Self, mint: string): { feeClaimer: string; tokenMint: string } {
  return { feeClaimer: address, tokenMint: mint };
}

function keyOf(name: string, index: number): string {
  return `claim/${name}/${index}`;
}

function replyOf(landed: readonly Landed[], sol: number): ClaimReply {
  const claimed = landed.reduce((sum, { lamports }) => sum + lamports, 0n);
  const txids = landed.map(({ txid }) => txid);
  return { txids, claimed_usdc: usdcOf(claimed, sol), claimed_lamports: units(claimed) };
}

/** In whole minor units of USDC. */
function usdcOf(lamports: bigint, sol: number): number {
  return Math.floor((Number(lamports) / LAMPORTS) * sol * 1e6) / 1e6;
}
