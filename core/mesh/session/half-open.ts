import { networkOf } from '../../platform/addresses.ts';
import type { MeshLimits } from '../limits.ts';

interface Placed {
  readonly remote: string;
  readonly relayed?: boolean;
}

/**
 * Links that others opened and whose handshakes are under way, the oldest first. They have places of their own: whoever
 * leaves handshakes unfinished takes none of the open sessions, nor of the dials of this node.
 */
export class HalfOpen<Link extends Placed> {
  readonly #limits: Pick<MeshLimits, 'handshakes'>;
  readonly #networks = new Map<string, Set<Link>>();
  #size = 0;

  constructor(limits: Pick<MeshLimits, 'handshakes'>) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Whether a newcomer finds a place, and whose. Half of all is the most that one network has. When all are taken, the
   * network with the most of them gives its oldest, which has had the longest to finish, to a network with fewer.
   * A hub counts as one network but brings strangers of many, so among those the newcomer displaces the oldest.
   */
  placeFor({ remote, relayed = false }: Placed): 'free' | 'none' | Link {
    const { handshakes } = this.#limits;
    const network = this.#networks.get(networkOf(remote));
    const own = network?.size ?? 0;
    if (network && own >= Math.ceil(handshakes / 2)) return relayed ? first(network) : 'none';
    if (this.#size < handshakes) return 'free';
    const [largest] = [...this.#networks.values()].sort((one, other) => other.size - one.size);
    if (!largest || largest.size <= own) return 'none';
    return first(largest);
  }

  add(link: Link): void {
    const network = networkOf(link.remote);
    const links = this.#networks.get(network) ?? new Set();
    this.#networks.set(network, links.add(link));
    this.#size += 1;
  }

  /** It is open, over or displaced; a second time does nothing. */
  delete(link: Link): void {
    const network = networkOf(link.remote);
    const links = this.#networks.get(network);
    if (!links?.delete(link)) return;
    this.#size -= 1;
    if (links.size === 0) this.#networks.delete(network);
  }
}

function first<T>(set: ReadonlySet<T>): T {
  const [oldest] = set;
  return oldest!;
}
