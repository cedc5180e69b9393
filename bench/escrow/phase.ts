/**
 * `<deals>`: deals that two whole nodes have agreed on are locked, delivered and approved by calls of their HTTP APIs,
 * sixteen at a time; then as many bare transfers as those are transactions. Localnet, aggregator and nodes, which keep
 * their stores on disk, share this process.
 */
import { ledgerSigner } from '../../core/identity/identity.ts';
import { Ledger } from '../../core/ports.ts';
import { Identity } from '../../core/wiring/tokens.ts';
import { happens } from '../../test/support/happens.ts';
import { type Mesh, startMesh } from '../../test/support/mesh.ts';
import { median } from '../framework/median.ts';

export interface Settled {
  /** Per second. */
  readonly cycles: number;
  readonly transfers: number;
  /** Milliseconds from the call that locks to the answer of the one that approves; the median. */
  readonly wait: number;
}

type Pair = Mesh<'alice' | 'bob'>;

const AT_ONCE = 16;
const STEPS = 3;
const PATIENCE = 120_000;

const deals = Number(process.argv[2]);
const mesh = await startMesh({ nodes: ['alice', 'bob'], storage: 'lowdb', usdc: { alice: '10000' } });
try {
  const conversations = await agreed(mesh, deals);
  const waits: number[] = [];
  const began = performance.now();
  await sideBySide(conversations, async (conversation) => void waits.push(await settle(mesh, conversation)));
  const cycles = (1_000 * deals) / (performance.now() - began);
  const transfers = await bareTransfers(mesh, STEPS * deals);
  process.stdout.write(JSON.stringify({ cycles, transfers, wait: median(waits) } satisfies Settled));
} finally {
  await mesh.stop();
}

async function agreed({ nodes: { alice, bob } }: Pair, count: number): Promise<string[]> {
  const conversations: string[] = [];
  await sideBySide(Array.from({ length: count }), async () => {
    const wish = { recipient: bob.id, amount_usdc: '1.5', message: 'Count the words.' };
    const { conversation_id } = await alice.client.propose(wish);
    await reached(bob, conversation_id, 'proposed');
    await bob.client.accept({ conversation_id });
    await reached(alice, conversation_id, 'accepted');
    conversations.push(conversation_id);
  });
  return conversations;
}

/** Each step as soon as the other node has seen the one before. */
async function settle({ nodes: { alice, bob } }: Pair, conversation_id: string): Promise<number> {
  const began = performance.now();
  await alice.client.lock(conversation_id);
  await bob.client.deliver({ conversation_id, content: '{"words":3}', content_type: 'application/json' });
  await bob.client.escrow('deliver', { conversation_id });
  await alice.client.escrow('approve', { conversation_id });
  return performance.now() - began;
}

/** The same ledger port, without a node: prepared, signed, sent and confirmed. */
async function bareTransfers({ nodes: { alice, bob } }: Pair, count: number): Promise<number> {
  const ledger = alice.node.get(Ledger);
  const signer = ledgerSigner(alice.node.get(Identity));
  const began = performance.now();
  await sideBySide(Array.from({ length: count }), async (_, index) => {
    const transfer = { to: bob.id, amount: 1n, memo: `bench ${index}` };
    const outcome = await ledger.submit(await ledger.prepareUsdcTransfer(transfer, signer));
    if (outcome.status !== 'confirmed') throw new Error(`a transfer ${outcome.status}`);
  });
  return (1_000 * count) / (performance.now() - began);
}

function reached({ client }: Pair['nodes']['alice'], conversation: string, state: string): Promise<true> {
  const ask = async () => {
    const deal = await client.deal(conversation).catch(() => undefined);
    return deal?.state === state || undefined;
  };
  return happens(`a deal is ${state}`, ask, PATIENCE) as Promise<true>;
}

async function sideBySide<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < items.length; at = next++) await work(items[at]!, at);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
