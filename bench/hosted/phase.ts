/**
 * `<agents>`: so many agents are added to a node; each writes to the next, and they are left alone until none is in memory. Then the node
 * is started anew and gets them again. The heap grows by their entries, their signers, and what the store keeps ready of their spaces.
 */
import { randomBytes } from 'node:crypto';
import type { LocalAgent } from '../../core/services.ts';
import { innkeeper } from '../../test/support/agents.ts';
import { happens } from '../../test/support/happens.ts';
import { JumpingClock } from '../../test/support/jumping-clock.ts';
import { startMesh } from '../../test/support/mesh.ts';

export interface HostedCosts {
  readonly agents: number;
  /** By which the heap has grown. */
  readonly bytes: number;
  /** By how many more timers run. */
  readonly timers: number;
  readonly awake: number;
  readonly added_ms: number;
  readonly told_ms: number;
}

/** Agents that write at the same time. */
const AT_ONCE = 32;
const PATIENCE = 120_000;

const [count] = process.argv.slice(2).map(Number) as [number];
const clock = new JumpingClock();
const keeper = innkeeper();
const mesh = await startMesh({ nodes: ['inn'], plugins: { inn: [keeper.plugin] }, storage: 'lowdb', clock });
try {
  const { inn } = mesh.nodes;
  const seeds: Uint8Array[] = [];
  const times = await filled(count);
  await rest();
  // Without what the store has not written into its files yet.
  await inn.restart();
  const before = measured();
  for (const seed of seeds) await add(seed);
  await rest();
  const after = measured();
  const found: HostedCosts = {
    agents: count,
    bytes: after.bytes - before.bytes,
    timers: after.timers - before.timers,
    awake: await inMemory(),
    ...times,
  };
  process.stdout.write(JSON.stringify(found));

  function add(seed: Uint8Array): Promise<LocalAgent> {
    const { agents } = keeper.got;
    return agents.add({ signer: agents.signerOf(seed) });
  }

  /** Adds agents, and has each of them write to the next. */
  async function filled(wanted: number): Promise<Pick<HostedCosts, 'added_ms' | 'told_ms'>> {
    const began = Date.now();
    const added: LocalAgent[] = [];
    for (let i = 0; i < wanted; i += 1) {
      const seed = randomBytes(32);
      seeds.push(seed);
      added.push(await add(seed));
    }
    const told = Date.now();
    for (let at = 0; at < wanted; at += AT_ONCE) {
      const writers = added.slice(at, at + AT_ONCE);
      await Promise.all(writers.map((one, index) => write(one, added[(at + index + 1) % wanted]!)));
    }
    return { added_ms: told - began, told_ms: Date.now() - told };
  }

  async function write(one: LocalAgent, { id: recipient }: LocalAgent): Promise<void> {
    await one.send('MESSAGE', { text: 'Is the room next to mine free?' }, { recipient });
  }

  async function inMemory(): Promise<number> {
    const headers = { authorization: `Bearer ${inn.secret}` };
    const text = await (await fetch(`${inn.url}/metrics`, { headers })).text();
    return Number(/^mesh_hosted_agents_awake (\d+)$/m.exec(text)?.[1]);
  }

  async function rest(): Promise<void> {
    const looked = async () => {
      if ((await inMemory()) === 0) return true;
      clock.advance(15_000);
      return undefined;
    };
    await happens('all are at rest', looked, PATIENCE);
  }
} finally {
  await mesh.stop();
}

function measured(): { bytes: number; timers: number } {
  for (let i = 0; i < 3; i += 1) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return {
    bytes: heapUsed + external,
    timers: process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length,
  };
}
