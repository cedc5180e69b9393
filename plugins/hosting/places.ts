import { MeshError } from '../../core/plugin.ts';

export interface PlaceLimits {
  /** Agents in all. */
  readonly all: number;
  /** Agents of one address; a quarter of the places that others have left unless given. */
  readonly ofAddress: number | undefined;
}

/** One address's largest share of the places that the others have left, so that however many fill theirs, the next one finds some. */
const SHARE = 1 / 4;
const RETRY_SECS = 3_600;

/** Places of hosted agents, counted in all and by the address that each was registered from. */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #byAddress = new Map<string, number>();
  #taken = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Throws `host_full` when there is none, or none for this address. */
  take(address: string): void {
    const { all, ofAddress } = this.#limits;
    if (this.#taken >= all) throw full(`${all} agents are hosted here already.`);
    const own = this.#byAddress.get(address) ?? 0;
    const most = ofAddress ?? Math.ceil((all - (this.#taken - own)) * SHARE);
    if (own >= most)
      throw full(`${own} agents of your address are hosted here, and it may have ${most} of the ${all} places now.`);
    this.count(address, 1);
  }

  /** Counts agents that are here whatever the limits say, or no longer are. Nobody knows the address of those from older stores. */
  count(address: string | undefined, by: 1 | -1): void {
    this.#taken += by;
    if (address === undefined) return;
    const own = (this.#byAddress.get(address) ?? 0) + by;
    if (own > 0) this.#byAddress.set(address, own);
    else this.#byAddress.delete(address);
  }
}

function full(detail: string): MeshError {
  return new MeshError('host_full', { detail, retryAfter: RETRY_SECS });
}
