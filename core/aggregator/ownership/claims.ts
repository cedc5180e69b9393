import { invalidField, isMeshError, MeshError } from '../../contracts/errors.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { SettlementActions } from '../../ledger/settlement-actions.ts';
import { fromBase64, fromHex, toBase64 } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Health } from '../../plugin.ts';
import { parseAgentId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import { verify } from '../../protocol/identity/verify.ts';
import type { Space } from '../../storage/space.ts';
import { agents } from '../store/agents.ts';
import { stakes } from '../store/ledger.ts';
import { ownership, type StoredOwnership } from '../store/ownership.ts';
import { scoreChanges } from '../store/scores.ts';
import { budgetRef, hasStanding, LINK_LAMPORTS, spendOnLink } from './budget.ts';
import { textOf } from './proposal.ts';

export interface ClaimParts {
  readonly space: Space;
  readonly network: Network;
  readonly clock: Clock;
  readonly settlement: Settlement;
  readonly steps: SettlementActions;
  /** Lamports a day. */
  readonly budget: number;
  /** This aggregator's wallet, which pays. */
  readonly wallet: string;
  readonly log: Log;
  /** That of the process: what was begun goes on when its caller has left. */
  readonly signal: AbortSignal;
}

const FINALITY_MS = 20_000;
const LOOK_MS = 400;
const RESUMED = 50;
/** Seconds after which what this aggregator could not pay for may be looked at again. */
const POOR_SECS = 60;

/** Writes owner links to the ledger: the owner's signature is kept first, so a crash loses nothing. */
export class OwnerClaims {
  readonly #parts: ClaimParts;
  #poor = false;

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  /** Whether the last link could not be paid for; `detail` says what to do about it. */
  health(): Health {
    if (!this.#poor) return { state: 'ok' };
    return {
      state: 'degraded',
      detail: `${this.#parts.wallet} holds too little SOL to write owner links: send it some`,
    };
  }

  /**
   * Resolves with the link as finalised, or, when that takes long or the agent has yet to sign, with what is kept. A claim that
   * could not be written is kept too, and written by `resume`.
   */
  async claim(key: string, signatureText: string): Promise<StoredOwnership> {
    const { space, network, budget } = this.#parts;
    const refs = [ownership.ref(key), budgetRef, agents.ref(key), stakes.ref(key)];
    const signature = fromBase64(signatureText);
    if (signature?.length !== 64) throw invalidField('/signature', 'must be 64 bytes in base64');
    const { value } = await space.tx(refs, (tx) => {
      const known = tx.get(ownership.ref(key));
      if (!known || (known.status === 'pending' && !known.proposal))
        throw new MeshError('not_found', 'That agent has proposed no owner: call propose-owner first.');
      const { proposal } = known;
      if (known.status === 'claimed') {
        if (known.claim?.signature === toBase64(signature)) return known;
        throw new MeshError('conflict', 'That agent is owned, and the link can never change.');
      }
      if (proposal!.expires * 1000 <= tx.now)
        throw new MeshError('deadline_passed', 'The proposal has expired: the agent must propose its owner again.');
      if (known.claim) return known;
      const text = new TextEncoder().encode(textOf(key, proposal!, network));
      if (!verify(text, signature, parseAgentId(proposal!.owner)!))
        throw invalidField('/signature', `is not ${proposal!.owner}'s over the text of GET /agents/${key}/owner`);
      if (!hasStanding(tx.get(agents.ref(key)), tx.get(stakes.ref(key))))
        throw new MeshError('forbidden', 'This aggregator pays for links of agents that have stake, lease or ratings.');
      const signed = proposal!.signature !== undefined;
      if (signed) spendOnLink(tx, budget);
      const made = {
        ...known,
        claim: { signature: toBase64(signature), at: tx.now, ...(!signed && { unpaid: true }) },
      };
      tx.put(ownership.ref(key), made);
      return made;
    });
    return value.status === 'claimed' || value.proposal?.signature === undefined ? value : this.#write(value);
  }

  /** Writes what both have signed and is not on the ledger: a crash, the ledger, an empty wallet or the budget was in the way. */
  async resume(signal: AbortSignal): Promise<void> {
    const errors: unknown[] = [];
    for (const { value } of await this.#parts.space.page(ownership, { index: 'claiming', limit: RESUMED })) {
      if (signal.aborted) return;
      await this.#write(value)
        .catch((error: unknown) => this.#giveUp(value, error))
        .catch((error: unknown) => errors.push(error));
    }
    const [first] = errors.filter((error) => !isExpected(error));
    if (first !== undefined) throw first;
  }

  async #write(stored: StoredOwnership): Promise<StoredOwnership> {
    const { space, steps, budget, signal, wallet, log } = this.#parts;
    const { key, agent_id: agentId, proposal, claim } = stored;
    if (claim!.unpaid) {
      const ref = ownership.ref(key);
      await space.tx([ref, budgetRef], (tx) => {
        const known = tx.get(ref);
        if (!known?.claim?.unpaid) return;
        spendOnLink(tx, budget);
        const { unpaid: _, ...paid } = known.claim;
        tx.put(ref, { ...known, claim: paid });
      });
    }
    const { owner, expires } = proposal!;
    const step = {
      type: 'claim_owner',
      ...{ key, agentId, owner, expires },
      nonce: fromHex(proposal!.nonce, 8)!,
      ownerSignature: fromBase64(claim!.signature)!,
      keySignature: fromBase64(proposal!.signature!)!,
    } as const;
    const name = `owner:${key}:${proposal!.nonce}`;
    try {
      const { signature } = await steps.run(name, step, signal);
      this.#poor = false;
      return this.#finalised(key, signature);
    } catch (error) {
      if (!isMeshError(error) || error.code !== 'insufficient_funds') throw error;
      if (!this.#poor)
        log.warn({ wallet, lamports: LINK_LAMPORTS, reason: error.message }, 'owner links cannot be paid for');
      this.#poor = true;
      throw new MeshError('ledger_unavailable', {
        detail: 'This aggregator cannot pay for the link now. The claim is kept and written as soon as it can.',
        retryAfter: POOR_SECS,
        cause: error,
      });
    }
  }

  async #finalised(key: string, signature: string): Promise<StoredOwnership> {
    const { space, settlement, clock, signal } = this.#parts;
    const ref = ownership.ref(key);
    for (const end = clock.now() + FINALITY_MS; ; ) {
      const link = await settlement.ownerLink(key);
      if (link) {
        const { value } = await space.tx([ref], (tx) => {
          const known = tx.get(ref)!;
          const { owner, claimedAt } = link;
          const made: StoredOwnership = {
            ...known,
            status: 'claimed',
            link: known.link ?? { owner, claimed_at: claimedAt * 1000, signature },
          };
          tx.put(ref, made);
          tx.append(scoreChanges, { from: key });
          return made;
        });
        return value;
      }
      if (clock.now() >= end) return (await space.get(ref))!;
      await clock.sleep(LOOK_MS, signal);
    }
  }

  /** A claim whose time is over can never be written: the agent may propose anew. */
  async #giveUp(stored: StoredOwnership, error: unknown): Promise<void> {
    const { space, clock } = this.#parts;
    if (stored.proposal!.expires * 1000 > clock.now()) throw error;
    const ref = ownership.ref(stored.key);
    await space.tx([ref], (tx) => {
      const known = tx.get(ref);
      if (known?.status === 'pending' && known.claim?.signature === stored.claim!.signature)
        tx.put(ref, { ...known, claim: null });
    });
  }
}

/**
 * Whether an error passes by itself: an empty wallet, which `health` tells, a ledger that is away, a budget spent
 * until tomorrow.
 */
function isExpected(error: unknown): boolean {
  return isMeshError(error) && (error.code === 'ledger_unavailable' || error.code === 'rate_limited');
}
