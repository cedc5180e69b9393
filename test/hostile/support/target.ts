import { adapters } from '../../../adapters/index.ts';
import { memoryStorage } from '../../../adapters/storage-memory/index.ts';
import type { Clock } from '../../../core/platform/clock.ts';
import { systemClock } from '../../../core/platform/system-clock.ts';
import { Operations } from '../../../core/services.ts';
import { Rows } from '../../../core/storage/rows.ts';
import { heldBytes, usedBytes } from '../../support/held-memory.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { stateHash } from '../../virtual/support/state-hash.ts';

/** What one address may hold open of a target. */
export const CONNECTIONS_PER_IP = 600;
export const SOCKETS_PER_IP = 300;
/** Bytes by which the whole process, attackers included, may grow during an attack. */
const MOST_GROWTH = 128 * 1024 * 1024;
/** Looks at the stores, a tenth of a second apart, that find nothing new. */
const QUIET_LOOKS = 10;
const COUNTED_BY_JOBS = new Set(['aggregator:analytics-states', 'aggregator:digest-cursor', 'aggregator:series']);

export interface Attack {
  /** Attackers at work at the same time: an honest call may have to wait for a few actions of each. */
  readonly hands: number;
  /** Calls `done` after each hostile action. */
  run(done: () => void): Promise<void>;
}

export interface Weathered {
  /** Honest calls answered during the attack, and the most hostile actions that one of them had to wait for. */
  readonly answered: number;
  readonly waited: number;
  /** Hostile actions. */
  readonly actions: number;
  readonly grown: number;
}

/** A real aggregator and a real node on real sockets, with everything an attack could change in sight. */
export class Target {
  readonly mesh: Mesh<'alice' | 'bob'>;
  readonly #stores: ReadonlyMap<string, Rows>;

  private constructor(mesh: Mesh<'alice' | 'bob'>, stores: ReadonlyMap<string, Rows>) {
    this.mesh = mesh;
    this.#stores = stores;
  }

  /** `clock` is the time that every server lives by. */
  static async start(clock?: Clock): Promise<Target> {
    const stores = new Map<string, Rows>();
    const mesh = await startMesh({
      nodes: ['alice', 'bob'],
      ...(clock && { clock }),
      settings: {
        api: { connectionsPerIp: CONNECTIONS_PER_IP, socketsPerIp: SOCKETS_PER_IP },
        mesh: { strangerOffers: 1_000_000, strangerInboxMiB: 4_096 },
      },
      adapters: (name) => ({
        ...adapters,
        storage: {
          async memory({ clock }) {
            const rows = new Rows(() => systemClock.now());
            stores.set(name, rows);
            return memoryStorage({ clock, rows });
          },
        },
      }),
    });
    const target = new Target(mesh, stores);
    await target.#quiet();
    return target;
  }

  /** Waits until what the servers tell each other when they start is written. */
  async #quiet(): Promise<void> {
    for (let [hash, same] = ['', 0]; same < QUIET_LOOKS; ) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      same = this.hash === hash ? same + 1 : 0;
      hash = this.hash;
    }
  }

  /** Of everything that a peer or client can change by itself: jobs count what is stored when they get to it. */
  get hash(): string {
    return stateHash(this.#stores, COUNTED_BY_JOBS);
  }

  /** The sum of a metric's series that match, on every server of this mesh. */
  async counted(series: RegExp): Promise<number> {
    const { nodes, aggregatorNode } = this.mesh;
    const texts = [aggregatorNode, nodes.alice.node, nodes.bob.node].map((node) => node.get(Operations).metrics());
    const lines = (await Promise.all(texts)).flatMap(({ text }) => text.split('\n'));
    return lines.filter((line) => series.test(line)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  /** Lets the attack run while honest callers go on calling both servers, one call after the other. */
  async weather(attack: Attack): Promise<Weathered> {
    const before = heldBytes();
    let [actions, answered, waited, grown, over] = [0, 0, 0, 0, false];
    const weigh = () => {
      // Collecting is slow, so only a use beyond the bound is looked at closely.
      const used = usedBytes() - before;
      grown = Math.max(grown, used < MOST_GROWTH ? used : heldBytes() - before);
    };
    const attacking = attack
      .run(() => {
        actions += 1;
        if (actions % 64 === 0) weigh();
      })
      .finally(() => {
        over = true;
      });
    // Reported at the end, when the honest calls are over too.
    attacking.catch(() => {});
    const { alice } = this.mesh.nodes;
    while (!over || answered < 10) {
      const since = actions;
      await (answered % 2 === 0 ? alice.client.identity() : this.mesh.aggregator.profile(alice.id));
      answered += 1;
      waited = Math.max(waited, actions - since);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await attacking;
    weigh();
    return { answered, waited, actions, grown };
  }

  stop(): Promise<void> {
    return this.mesh.stop();
  }
}

export function isBounded({ grown }: Weathered): boolean {
  return grown < MOST_GROWTH;
}
