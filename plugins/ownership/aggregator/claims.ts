import { type Health, invalidField, isMeshError, type Log, MeshError } from '../../../core/plugin.ts';
import type { Clock, OwnerLinks, Space } from '../../../core/services.ts';
import { budgetRef, links, type StoredLink, spendOnLink, termsOf } from './links.ts';
import { OWNED } from './proposal.ts';

export interface ClaimParts {
  readonly space: Space;
  readonly clock: Clock;
  readonly service: OwnerLinks;
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
const SIGNATURE_BYTES = 64;

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
   * Resolves with what is kept once the link is finalised, or when that takes long or the agent has yet to sign. A claim that
   * could not be written is kept too, and written by `resume`.
   */
  async claim(key: string, signatureText: string): Promise<StoredLink> {
    const { space, service, budget } = this.#parts;
    const signature = Buffer.from(signatureText, 'base64');
    if (signature.length !== SIGNATURE_BYTES) throw invalidField('/signature', 'must be 64 bytes in base64');
    const said = signature.toString('base64');
    const hasStanding = await service.hasStanding(key);
    const { value } = await space.tx([links.ref(key), budgetRef], (tx) => {
      const known = tx.get(links.ref(key));
      if (!known || (known.status === 'pending' && !known.proposal))
        throw new MeshError('not_found', 'That agent has proposed no owner: call propose-owner first.');
      const { proposal } = known;
      if (known.status === 'claimed') {
        if (known.claim?.signature === said) return known;
        throw new MeshError('conflict', OWNED);
      }
      if (proposal!.expires * 1000 <= tx.now)
        throw new MeshError('deadline_passed', 'The proposal has expired: the agent must propose its owner again.');
      if (known.claim) return known;
      if (!service.isOwners(termsOf(key, proposal!), said))
        throw invalidField('/signature', `is not ${proposal!.owner}'s over the text of GET /agents/${key}/owner`);
      if (!hasStanding)
        throw new MeshError(
          'forbidden',
          'This aggregator pays for links of agents that have a stake, a lease, or a lower_bound above 0.',
        );
      const signed = proposal!.signature !== undefined;
      if (signed) spendOnLink(tx, service.lamports, budget);
      const made: StoredLink = { ...known, claim: { signature: said, at: tx.now, ...(!signed && { unpaid: true }) } };
      tx.put(links.ref(key), made);
      return made;
    });
    return value.status === 'claimed' || value.proposal?.signature === undefined ? value : this.#write(value);
  }

  /** Writes what both have signed and is not on the ledger: a crash, the ledger, an empty wallet or the budget was in the way. */
  async resume(signal: AbortSignal): Promise<void> {
    const errors: unknown[] = [];
    for (const { value } of await this.#parts.space.page(links, { index: 'claiming', limit: RESUMED })) {
      if (signal.aborted) return;
      await this.#write(value)
        .catch((error: unknown) => this.#giveUp(value, error))
        .catch((error: unknown) => errors.push(error));
    }
    const [first] = errors.filter((error) => !isExpected(error));
    if (first !== undefined) throw first;
  }

  async #write(stored: StoredLink): Promise<StoredLink> {
    const { space, service, budget, signal, wallet, log } = this.#parts;
    const { key, proposal, claim } = stored;
    if (claim!.unpaid) {
      const ref = links.ref(key);
      await space.tx([ref, budgetRef], (tx) => {
        const known = tx.get(ref);
        if (!known?.claim?.unpaid) return;
        spendOnLink(tx, service.lamports, budget);
        const { unpaid: _, ...paid } = known.claim;
        tx.put(ref, { ...known, claim: paid });
      });
    }
    const signatures = { agentSignature: proposal!.signature!, ownerSignature: claim!.signature };
    try {
      const signature = await service.write({ ...termsOf(key, proposal!), ...signatures }, signal);
      this.#poor = false;
      return this.#finalised(key, signature);
    } catch (error) {
      if (!isMeshError(error) || error.code !== 'insufficient_funds') throw error;
      if (!this.#poor)
        log.warn({ wallet, lamports: service.lamports, reason: error.message }, 'owner links cannot be paid for');
      this.#poor = true;
      throw new MeshError('ledger_unavailable', {
        detail: 'This aggregator cannot pay for the link now. The claim is kept and written as soon as it can.',
        retryAfter: POOR_SECS,
        cause: error,
      });
    }
  }

  async #finalised(key: string, signature: string): Promise<StoredLink> {
    const { space, service, clock, signal } = this.#parts;
    const ref = links.ref(key);
    for (const end = clock.now() + FINALITY_MS; ; ) {
      if (await service.finalised(key, signature)) {
        const { value } = await space.tx([ref], (tx) => {
          const made: StoredLink = { ...tx.get(ref)!, status: 'claimed' };
          tx.put(ref, made);
          return made;
        });
        return value;
      }
      if (clock.now() >= end) return (await space.get(ref))!;
      await clock.sleep(LOOK_MS, signal);
    }
  }

  /** A claim whose time is over can never be written: the agent may propose anew. */
  async #giveUp(stored: StoredLink, error: unknown): Promise<void> {
    const { space, clock } = this.#parts;
    if (stored.proposal!.expires * 1000 > clock.now()) throw error;
    const ref = links.ref(stored.key);
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
