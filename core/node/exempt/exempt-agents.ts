import type { SchemaTypes } from '../../../schemas/types.ts';
import { MeshError } from '../../contracts/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { internalToken } from '../../platform/token.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';

const exempted = collection<SchemaTypes['exempt-agent-record']>('exempt-agents', { schema: 'exempt-agent-record' });

/** All of them stand in memory, since every envelope asks. */
const MOST = 10_000;
const PAGE = 200;

/** The agents that pass this node's gates whatever their lease, stake or registration. Kept over restarts. */
export class ExemptAgents {
  readonly #space: Space;
  readonly #clock: Clock;
  readonly #ids: Set<string>;

  private constructor(space: Space, clock: Clock, ids: Set<string>) {
    this.#space = space;
    this.#clock = clock;
    this.#ids = ids;
  }

  static async open(space: Space, clock: Clock): Promise<ExemptAgents> {
    const ids = new Set<string>();
    for (let after: string | undefined, more = true; more; ) {
      const page = await idsBehind(space, PAGE, after);
      for (const id of page) ids.add(id);
      more = page.length === PAGE;
      after = page.at(-1);
    }
    return new ExemptAgents(space, clock, ids);
  }

  get count(): number {
    return this.#ids.size;
  }

  has(agentId: string): boolean {
    return this.#ids.has(agentId);
  }

  /** Ids behind this one, in their order. */
  page(limit: number, after?: string): Promise<string[]> {
    return idsBehind(this.#space, limit, after);
  }

  /** Counts once it is stored. */
  async add(agentId: string): Promise<void> {
    if (this.#ids.has(agentId)) return;
    if (this.#ids.size >= MOST)
      throw new MeshError('conflict', `${MOST} agents are exempt, which is the most: remove one first.`);
    // Taken before anything is waited for, so that two at once do not both find the last place.
    this.#ids.add(agentId);
    try {
      await this.#space.put(exempted.ref(agentId), { since: this.#clock.now() });
    } catch (error) {
      this.#ids.delete(agentId);
      throw error;
    }
  }

  /** The gates judge the agent again once the removal is stored. */
  async remove(agentId: string): Promise<void> {
    await this.#space.del(exempted.ref(agentId));
    this.#ids.delete(agentId);
  }
}

async function idsBehind(space: Space, limit: number, after?: string): Promise<string[]> {
  const behind = after === undefined ? {} : { after: { key: '', id: after } };
  return (await space.page(exempted, { limit, ...behind })).map(({ id }) => id);
}

export const Exempt = internalToken<ExemptAgents>('exempt-agents');
