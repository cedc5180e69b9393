import assert from 'node:assert/strict';
import type { RunningNode } from '../../core/host/boot/boot-node.ts';
import { Ledger, Store } from '../../core/internal-services.ts';
import { ledgerSigner } from '../../core/ledger/ledger.ts';
import { outcomeError } from '../../core/ledger/refusal.ts';
import { collection, definePlugin, type LedgerEvent } from '../../core/plugin.ts';
import type { Tx } from '../../core/services.ts';
import { TestAgent } from '../aggregator/support/agent.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

const paid = collection<{ key: string; amount: string; times: number }>('paid', { schema: () => [] });
/** A node looks at the history of the ledger when it starts, and then every half minute. */
const TWO_LOOKS = 75_000;
let failing: string | undefined;
const follow = {
  ledgerEvents: { lease_paid: true, agent_opened: true },
  setup: () => ({
    ledgerEvents: {
      lease_paid: {
        reads: ({ key }: LedgerEvent<'lease_paid'>) => [paid.ref(key)],
        apply(tx: Tx, { key, amount }: LedgerEvent<'lease_paid'>) {
          const { times = 0 } = tx.get(paid.ref(key)) ?? {};
          tx.put(paid.ref(key), { key, amount: `${amount + 0n}`, times: times + 1 });
          if (failing === key) throw new Error('out of ink');
        },
      },
      agent_opened: { apply() {} },
    },
  }),
} as const;
const plugin = definePlugin({ name: 'leases', api: '2.1', node: follow, aggregator: follow });

describe('a plugin that follows the events of the ledger', function () {
  this.timeout(240_000);
  let mesh: Mesh<'ann'>;
  let tries = 0;
  before(async () => {
    mesh = await startMesh({
      nodes: ['ann'],
      usdc: {},
      plugins: { ann: [plugin], aggregator: [plugin] },
    });
  });
  after(() => mesh?.stop());

  async function leased(name: string, epochs = 1): Promise<string> {
    const agent = new TestAgent(name);
    await mesh.localnet.faucet.sol(agent.id, 1_000_000_000n);
    await mesh.localnet.faucet.usdc(agent.id, 10_000_000n);
    const ledger = mesh.aggregatorNode.get(Ledger);
    const step = { type: 'pay_lease', key: agent.id, epochs, maxAmount: 1_000_000n, payments: 0 } as const;
    const outcome = await ledger.submit(await ledger.settlement!.prepare(step, [ledgerSigner(agent.identity)]));
    if (outcome.status !== 'confirmed') throw outcomeError(outcome);
    return agent.id;
  }
  const own = (node: RunningNode, key: string) => node.get(Store).space('leases').get(paid.ref(key));
  const nodes = () => [mesh.aggregatorNode, mesh.nodes.ann.node];

  it('notes each once, on an aggregator and on a node, in its own space', async () => {
    // Nobody can pay the same first lease twice, not even a second try.
    const key = await leased(`one of try ${++tries}`);
    for (const node of nodes()) {
      const row = await happens(`it is noted at ${nodes().indexOf(node)}`, () => own(node, key), TWO_LOOKS);
      assert.deepEqual([row.key, row.times, BigInt(row.amount) >= 0n], [key, 1, true]);
    }
  });

  it('that fails loses its part of that event alone; the ledger is read on, and its health tells', async () => {
    failing = new TestAgent('two').id;
    const [broken, next] = [await leased('two'), await leased('three')];
    // Its store is in memory: it reads all of the history again, in one transaction.
    await mesh.nodes.ann.restart();
    for (const node of nodes()) {
      assert.equal((await happens('the next is noted', () => own(node, next), TWO_LOOKS)).times, 1);
      assert.equal(await own(node, broken), undefined);
      const { body } = await fetchJson(`${node.url}/health`);
      assert.deepEqual(body.plugins.leases, {
        state: 'degraded',
        detail: 'ledgerEvents lease_paid failed, so it lacks what it was told',
      });
    }
    const { body } = await fetchJson(`${mesh.aggregatorNode.url}/ledger`);
    assert.equal(body.gaps, 0);
    assert.notEqual((await fetchJson(`${mesh.aggregatorNode.url}/agents/${broken}/stake`)).body.lease_status, 'none');
  });
});

async function fetchJson(url: string): Promise<{ body: any }> {
  return { body: await (await fetch(url)).json() };
}
