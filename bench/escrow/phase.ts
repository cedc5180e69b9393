/**
 * `<rounds> <deals>`: deals that two whole nodes have agreed on are locked, delivered and approved by calls of their HTTP
 * APIs, sixteen at a time; in turns with as many bare transfers as those are transactions, and with deals that their nodes
 * bring to an end by what the escrow accounts say. The first round warms up.
 * Localnet, aggregator and nodes, which keep their stores on disk, share this process.
 */

import { Identity, Ledger } from '../../core/internal-services.ts';
import { ledgerSigner } from '../../core/ledger/ledger.ts';
import { happens } from '../../test/support/happens.ts';
import { type Mesh, startMesh } from '../../test/support/mesh.ts';
import { median } from '../framework/median.ts';
import { sideBySide } from '../framework/side-by-side.ts';

export interface Settled {
  /** Per second. */
  readonly cycles: number;
  readonly transfers: number;
  readonly settled: number;
  /** Milliseconds from the call that locks to the answer of the one that approves; the median. */
  readonly wait: number;
}

type Pair = Mesh<'alice' | 'bob'>;

const AT_ONCE = 16;
const STEPS = 3;
const PATIENCE = 120_000;

const [rounds, deals] = process.argv.slice(2).map(Number) as [number, number];
const mesh = await startMesh({ nodes: ['alice', 'bob'], storage: 'lowdb', usdc: { alice: '10000' } });
try {
  const waits: number[] = [];
  const took = { cycles: 0, transfers: 0, settled: 0 };
  for (let round = 0; round <= rounds; round += 1) {
    const conversations = await agreed(mesh, deals);
    const settled: number[] = [];
    const cycles = await sideBySide(conversations.length, AT_ONCE, async (at) => {
      settled.push(await settle(mesh, conversations[at]!));
    });
    const transfers = await bareTransfers(mesh, STEPS * deals);
    const settlement = await settleByAccounts(mesh, await agreed(mesh, deals));
    if (round === 0) continue;
    waits.push(...settled);
    took.cycles += cycles;
    took.transfers += transfers;
    took.settled += settlement;
  }
  const perSecond = (count: number, ms: number) => (1_000 * rounds * count) / ms;
  const found: Settled = {
    cycles: perSecond(deals, took.cycles),
    transfers: perSecond(STEPS * deals, took.transfers),
    settled: perSecond(deals, took.settled),
    wait: median(waits),
  };
  process.stdout.write(JSON.stringify(found));
} finally {
  await mesh.stop();
}

async function agreed({ nodes: { alice, bob } }: Pair, count: number): Promise<string[]> {
  const conversations: string[] = [];
  await sideBySide(count, AT_ONCE, async () => {
    const wish = { recipient: bob.id, amount_usdc: '1.5', message: 'Count the words.' };
    const { conversation_id } = await alice.client.propose(wish);
    await reached(bob, conversation_id, 'proposed');
    await bob.client.accept({ conversation_id });
    await reached(alice, conversation_id, 'accepted');
    conversations.push(conversation_id);
  });
  return conversations;
}

/** Each step once the call before is answered; gives the milliseconds of all. */
async function settle({ nodes: { alice, bob } }: Pair, conversation_id: string): Promise<number> {
  const began = performance.now();
  await alice.client.lock(conversation_id);
  await bob.client.deliver({ conversation_id, content: '{"words":3}', content_type: 'application/json' });
  await bob.client.escrow('deliver', { conversation_id });
  await alice.client.escrow('approve', { conversation_id });
  return performance.now() - began;
}

/**
 * Both agents do what is theirs, lock, deliver and approve, and their nodes the rest by what the accounts say: the provider's
 * names the DELIVER on the ledger, the requester's shows it, and both see the end. Gives the milliseconds until all deals are
 * settled on both sides.
 */
async function settleByAccounts({ nodes: { alice, bob } }: Pair, conversations: readonly string[]): Promise<number> {
  const began = performance.now();
  await sideBySide(conversations.length, AT_ONCE, async (at) => {
    const conversation_id = conversations[at]!;
    await alice.client.lock(conversation_id);
    await bob.client.deliver({ conversation_id, content: '{"words":3}', content_type: 'application/json' });
  });
  const left = new Set(conversations);
  await happens(
    'all deliveries are on the ledger',
    async () => {
      const { deals: page } = await alice.client.deals({ state: 'delivered', limit: 200 });
      const due = page.filter(({ conversation_id, escrow }) => escrow.delivered_at && left.delete(conversation_id));
      await sideBySide(due.length, AT_ONCE, (at) =>
        alice.client.escrow('approve', { conversation_id: due[at]!.conversation_id }),
      );
      return left.size === 0 ? true : undefined;
    },
    PATIENCE,
  );
  for (const { client } of [alice, bob]) {
    const ask = async () => {
      const { deals: page } = await client.deals({ state: 'settled', limit: 200 });
      const settled = new Set(page.map(({ conversation_id }) => conversation_id));
      return conversations.every((one) => settled.has(one)) ? true : undefined;
    };
    await happens('all deals are settled', ask, PATIENCE);
  }
  return performance.now() - began;
}

/** The same ledger port, without a node: prepared, signed, sent and confirmed. Gives the milliseconds. */
function bareTransfers({ nodes: { alice, bob } }: Pair, count: number): Promise<number> {
  const ledger = alice.node.get(Ledger);
  const signer = ledgerSigner(alice.node.get(Identity));
  return sideBySide(count, AT_ONCE, async (index) => {
    const transfer = { to: bob.id, amount: 1n, memo: `bench ${index}` };
    const outcome = await ledger.submit(await ledger.prepareUsdcTransfer(transfer, signer));
    if (outcome.status !== 'confirmed') throw new Error(`a transfer ${outcome.status}`);
  });
}

function reached({ client }: Pair['nodes']['alice'], conversation: string, state: string): Promise<true> {
  const ask = async () => {
    const deal = await client.deal(conversation).catch(() => undefined);
    return deal?.state === state ? true : undefined;
  };
  return happens(`a deal is ${state}`, ask, PATIENCE);
}
