import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters, localnet } from '../../adapters/index.ts';
import { startDevMesh } from '../../core/cli/dev/mesh.ts';
import { Narrator } from '../../core/cli/dev/narrator.ts';
import { characterOf } from '../../core/cli/dev/town/character.ts';
import { errandCalendar } from '../../core/cli/dev/town/errand-calendar.ts';
import { ERRANDS, isErrand } from '../../core/cli/dev/town/errands.ts';
import { PEOPLE } from '../../core/cli/dev/town/people.ts';
import { runTown, TOWN } from '../../core/cli/dev/town/run.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { plugins, standard } from '../../plugins/index.ts';
import { happens } from '../support/happens.ts';
import { freePort } from '../support/mesh-process.ts';

function firstOf(seed: string, count: number) {
  const calendar = errandCalendar(seed);
  return Array.from({ length: count }, () => calendar.next().value);
}

describe('a town', () => {
  it('follows from its seed', () => {
    assert.deepEqual(firstOf('1', 60), firstOf('1', 60));
    assert.notDeepEqual(firstOf('1', 60), firstOf('2', 60));
    const opening = firstOf('1', ERRANDS.length).map(({ errand }) => errand);
    assert.equal(new Set(opening).size, ERRANDS.length, 'every errand comes once before any comes twice');
  });

  it('knows its own errands from what people ask for', () => {
    for (const { message } of firstOf('1', 60)) assert.ok(isErrand(message), message);
    for (const other of ['count: the cat sat on the mat', 'Geocode my 3 offices.', '']) assert.ok(!isErrand(other));
  });

  it('has all that a mesh can show: favours, counter-offers, refusals, sloppy work, contests', () => {
    const seen = new Set<string>();
    for (const { errand, message } of firstOf('1', 300)) {
      const [from, to] = [errand.from, errand.to].map((one) => PEOPLE.find(({ name }) => name === one)!);
      const [requester, provider] = [characterOf(from!, '1'), characterOf(to!, '1')];
      const answer = provider.answer(message, errand.offer);
      seen.add(typeof answer === 'string' ? answer : 'counter');
      if (typeof answer === 'object') {
        assert.ok(answer.counter > errand.offer);
        seen.add(requester.takesPrice(message, answer.counter) ? 'takes' : 'leaves');
      }
      if (errand.offer === 0) seen.add('favour');
      if (provider.isSloppy(message)) seen.add(provider.contests(message) ? 'contests' : 'concedes');
      for (const isDisputed of [true, false]) {
        const rating = requester.rates(message, isDisputed);
        assert.ok(Number.isInteger(rating) && Math.abs(rating) <= 100 && rating > 0 === !isDisputed);
      }
    }
    const all = ['accept', 'counter', 'reject', 'takes', 'leaves', 'favour', 'contests', 'concedes'];
    assert.deepEqual([...seen].sort(), all.sort());
  });

  it('trades over the public interfaces of nine nodes, and answers a person', async function () {
    this.timeout(240_000);
    const folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
    const first = await freePort(12);
    const mesh = await startDevMesh({
      folder,
      agents: TOWN,
      ports: { node: first, aggregator: first + 9, rpc: first + 10 },
      storage: 'files',
      parts: { adapters, plugins, standard },
      startLocalnet: await localnet(),
      log: silentLog,
      signal: new AbortController().signal,
      started: () => {},
    });
    try {
      const told: string[] = [];
      const narrator = new Narrator(true, (line) => told.push(line), systemClock.now);
      const recipient = mesh.nodes.find(({ name }) => name === 'atlas-geocoder')!.agentId;
      const asked = mesh.requester.client.propose({ recipient, amount_usdc: '9', message: 'Where is Ghent?' });
      const { conversation_id } = await asked;
      const market = { mesh, narrator, clock: systemClock, seed: '1', signal: new AbortController().signal };
      assert.equal(await runTown({ ...market, deals: 4 }), 4);
      const steps = told.map((line) => JSON.parse(line)).filter(({ event }) => event === 'step');
      const kinds = new Set(steps.map(({ step }) => step));
      for (const kind of ['propose', 'accept', 'lock', 'deliver', 'approve', 'rate']) assert.ok(kinds.has(kind), kind);
      for (const { text } of steps)
        for (const [, amount] of text.matchAll(/(\S+) USDC/g)) assert.match(amount!, /^\d+\.\d{2,6}$/, text);
      assert.deepEqual(
        told.filter((line) => line.includes('"trouble"')),
        [],
      );
      // The person's own deal was answered, and nobody went on with it in that person's place.
      const own = await mesh.requester.client.deal(conversation_id);
      assert.notEqual(own.state, 'proposed');
      assert.equal(own.escrow.locked_at, undefined);
      const staked = PEOPLE.filter(({ stake }) => stake).map(({ name }) => name);
      for (const { name, client } of mesh.nodes)
        assert.equal((await client.stake()).state, staked.includes(name) ? 'active' : 'none', name);
      await happens('somebody has a score', async () => {
        const [best] = await mesh.aggregator.client.leaderboard({ limit: 1 });
        return best!.score > 0 || undefined;
      });
    } finally {
      await mesh.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
