import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AggregatorClient } from '../../core/client/aggregator-client.ts';
import { NodeClient } from '../../core/client/node-client.ts';
import { processIdText } from '../../core/platform/process-id.ts';
import type { SchemaTypes } from '../../schemas/types.ts';
import { happens } from '../support/happens.ts';
import { MeshProcess, ownPorts, runMesh } from '../support/mesh-process.ts';

type Deal = SchemaTypes['deal-view'];

/** When each round ends: so many milliseconds after this event. */
const KILLS: readonly (readonly [event: Record<string, string>, ms: number])[] = [
  [{ event: 'started', name: 'aggregator' }, 200],
  [{ event: 'ready' }, 400],
  [{ event: 'ready' }, 900],
  [{ event: 'started', name: 'ledger' }, 700],
  [{ event: 'step', step: 'accept' }, 0],
  [{ event: 'step', step: 'lock' }, 0],
  [{ event: 'step', step: 'deliver' }, 10],
  [{ event: 'step', step: 'deliver' }, 60],
  [{ event: 'step', step: 'approve' }, 30],
];
/** How far each state is on the way to `settled`. */
const PROGRESS = ['proposed', 'countered', 'accepted', 'delivered', 'settled'];

describe('mesh dev --data', function () {
  this.timeout(400_000);
  const started: MeshProcess[] = [];
  let folder = '';
  let ports: string[] = [];

  function start(...args: string[]): MeshProcess {
    const mesh = new MeshProcess(['dev', '--json', '--data', folder, ...ports, ...args]);
    started.push(mesh);
    return mesh;
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
    ports = await ownPorts();
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((mesh) => mesh.kill()));
    await rm(folder, { recursive: true, force: true });
  });

  it('goes on with every deal, payment and score after each kill -9', async () => {
    const deals = new Map<string, Deal>();
    let ratings = 0;
    for (const [moment, ms] of KILLS) {
      const mesh = start();
      const isUp = moment['event'] !== 'started';
      if (isUp) {
        const seen = await observe(mesh);
        keepsEverything(deals, seen.deals);
        assert.ok(seen.ratings >= ratings, `${ratings} ratings became ${seen.ratings}`);
        ratings = seen.ratings;
      }
      await mesh.event(moment);
      await new Promise((resolve) => setTimeout(resolve, ms));
      assert.equal((await mesh.stop('SIGKILL')).signal, 'SIGKILL');
      for (const deal of dealsTold(mesh)) deals.set(deal.conversation_id, deal);
      for (const event of mesh.events) if (event.event === 'score') ratings = Math.max(ratings, event['ratings']);
    }
    assert.ok(deals.size > 0);

    const last = start('--deals', '2');
    await last.event({ event: 'settled', settled: 1 });
    const seen = await observe(last);
    keepsEverything(deals, seen.deals);
    assert.ok(seen.ratings > ratings, `${ratings} ratings became ${seen.ratings}`);
    assert.equal((await last.ended).code, 0, last.err);
  });

  it('goes on under the name that the mesh had before names were kept', async () => {
    await mkdir(join(folder, 'ledger'));
    for (const _ of ['first', 'again']) {
      const mesh = start();
      assert.equal((await mesh.event({ event: 'settlement' }))['network_id'], 'local');
      assert.equal((await mesh.stop()).code, 0, mesh.err);
    }
  });

  it('tells a second mesh who uses the folder, and starts over a dead one', async () => {
    const first = start();
    await first.event({ event: 'ready' });
    const second = await runMesh(['dev', '--data', folder]);
    assert.equal(second.code, 2);
    assert.equal(
      second.err,
      `A mesh is running in ${folder}: process ${first.pid}. Stop it first, or choose another --data folder.\n`,
    );
    await first.stop('SIGKILL');
    assert.ok(existsSync(join(folder, 'mesh.lock')));
    const third = start();
    await third.event({ event: 'ready' });
    assert.equal((await third.stop()).code, 0, third.err);
    assert.equal(existsSync(join(folder, 'mesh.lock')), false);
  });

  it('is not kept out by a process that was given the pid of a dead mesh', async () => {
    const first = start();
    await first.event({ event: 'ready' });
    await first.stop('SIGKILL');
    const stranger = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)']);
    try {
      for (const name of ['mesh.lock', 'ledger/lock', 'requester/store/lock'])
        await rename(join(folder, name), first.pid, stranger.pid!);
      const second = start();
      await second.event({ event: 'ready' });
      assert.equal((await second.stop()).code, 0, second.err);
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  async function observe(mesh: MeshProcess) {
    const ready = await mesh.event({ event: 'ready' });
    const requester = new NodeClient({ url: ready['requester'].url });
    const worker = new NodeClient({ url: ready['worker'].url });
    const aggregator = new AggregatorClient({ url: ready['aggregator'] });
    const score = await aggregator.reputation(ready['worker'].agent_id);
    // The agents go on meanwhile, and a node that has just started still has to read the ledger.
    const { found, after } = await happens('no USDC is lost on the way', async () => {
      const found = await allDeals(requester);
      const [held, earned, left] = [await locked(requester, found), await usdc(worker), await usdc(requester)];
      const after = await allDeals(requester);
      const whole = left + held + earned === 1_000_000_000n;
      return whole && sum(found) <= earned && earned <= sum(after) ? { found, after } : undefined;
    });
    for (const deal of await allDeals(worker)) {
      const mine = after.find(({ conversation_id }) => conversation_id === deal.conversation_id);
      assert.ok(mine, `the requester has lost deal ${deal.conversation_id}`);
    }
    return { deals: found, ratings: score?.feedback_count ?? 0 };
  }
});

/** What the mesh has said of its deals: whatever it told is durable. */
function dealsTold(mesh: MeshProcess): Deal[] {
  return mesh.events
    .filter(({ event }) => event === 'step')
    .map(({ conversation_id, state, amount_usdc }) => ({ conversation_id, state, amount_usdc }) as Deal);
}

function keepsEverything(before: Map<string, Deal>, now: readonly Deal[]): void {
  const found = new Map(now.map((deal) => [deal.conversation_id, deal]));
  for (const [id, { state }] of before) {
    const deal = found.get(id);
    assert.ok(deal, `deal ${id} is gone; it was ${state}`);
    const [was, is] = [PROGRESS.indexOf(state), PROGRESS.indexOf(deal.state)];
    assert.ok(is >= was, `deal ${id} was ${state} and is ${deal.state}`);
  }
}

/** What was settled, in minor units. */
function sum(deals: readonly Deal[]): bigint {
  return deals
    .filter(({ state }) => state === 'settled')
    .reduce((total, { amount_usdc_micro }) => total + BigInt(amount_usdc_micro), 0n);
}

async function allDeals(node: NodeClient): Promise<Deal[]> {
  const deals: Deal[] = [];
  let before: string | null = null;
  do {
    const page: SchemaTypes['deals-page'] = await node.deals({ limit: 20, ...(before !== null && { before }) });
    deals.push(...page.deals);
    before = page.next;
  } while (before !== null);
  return deals;
}

/** What lies in escrow for these deals, bonds included, in minor units. */
async function locked(node: NodeClient, deals: readonly Deal[]): Promise<bigint> {
  const open = deals.filter(({ state }) => state === 'accepted' || state === 'delivered');
  const amounts = open.map(({ conversation_id }) =>
    node.locked(conversation_id).then(
      ({ amount_usdc_micro, bond_usdc_micro }) => BigInt(amount_usdc_micro) + BigInt(bond_usdc_micro),
      () => 0n,
    ),
  );
  return (await Promise.all(amounts)).reduce((total, amount) => total + amount, 0n);
}

async function usdc(node: NodeClient): Promise<bigint> {
  const { tokens } = await node.balances();
  return BigInt(tokens.find(({ symbol }) => symbol === 'USDC')?.amount_base ?? 0);
}

/** Lets a lock name another process, with nothing else changed. */
async function rename(path: string, from: number, to: number): Promise<void> {
  const text = await readFile(path, 'utf8');
  assert.ok(text.includes(String(from)), `${path} does not name its process`);
  const { check, ...mark } = JSON.parse(text);
  assert.ok(check, `${path} has no checksum`);
  await writeFile(path, processIdText({ ...mark, pid: to }));
}
