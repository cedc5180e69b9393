import { MeshError } from '../../core/plugin.ts';
import type { Clock } from '../../core/services.ts';
import type { Attestation } from './settlement/attestation.ts';
import { type Chain, chainNamed, SOLANA } from './settlement/chains.ts';
import { feeOf, type Speed, type TransferFee } from './settlement/fees.ts';

export interface KnownFee {
  readonly speed: Speed;
  readonly fee: TransferFee;
  /** When the service said so. */
  readonly at: number;
}

const FRESH_MS = 60_000;
/** How long an older answer stands in while the service is away; the burn itself asks for a fresh one. */
const STALE_MS = 3_600_000;

/** The fees of transfers from Solana, each asked for at most once a minute. */
export class FeeTable {
  readonly #attestation: Attestation;
  readonly #clock: Clock;
  readonly #known = new Map<string, KnownFee>();
  readonly #asking = new Map<string, Promise<KnownFee>>();

  constructor(attestation: Attestation, clock: Clock) {
    this.#attestation = attestation;
    this.#clock = clock;
  }

  /** Fast, or standard where fast is not offered. Rejects with `upstream_failed` while the service does not tell. */
  async of(chain: Chain, stale = STALE_MS): Promise<KnownFee> {
    const known = this.#known.get(chain.name);
    const age = known ? this.#clock.now() - known.at : Number.POSITIVE_INFINITY;
    if (known && age < FRESH_MS) return known;
    try {
      return await this.#ask(chain);
    } catch (error) {
      if (known && age < stale) return known;
      throw error;
    }
  }

  #ask(chain: Chain): Promise<KnownFee> {
    const running = this.#asking.get(chain.name);
    if (running) return running;
    const asked = this.#fetch(chain).finally(() => this.#asking.delete(chain.name));
    this.#asking.set(chain.name, asked);
    return asked;
  }

  async #fetch(chain: Chain): Promise<KnownFee> {
    const at = this.#clock.now();
    const source = chainNamed(SOLANA)!.domainId;
    const fees = await this.#attestation.getFees(source, chain.domainId, { forward: true }).catch((cause: unknown) => {
      const detail = `The fees of the transfer are not known: ${cause instanceof Error ? cause.message : cause}.`;
      throw new MeshError('upstream_failed', { detail, retryAfter: 60, cause });
    });
    const chosen = feeOf(fees, 'fast');
    if (!chosen) throw new MeshError('upstream_failed', `The attestation service offers no transfer to ${chain.name}.`);
    const known = { ...chosen, at };
    this.#known.set(chain.name, known);
    return known;
  }
}
