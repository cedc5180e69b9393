import assert from 'node:assert/strict';
import { BeaconTimes } from './support/beacon-times.ts';
import { DAY, HOUR, MINUTE, SECOND, VirtualMesh } from './support/mesh.ts';
import { trader } from './support/trader.ts';
import { tripwires } from './support/tripwires.ts';

/** After so long the state of fifty agents is compared with that of their like. */
const AWHILE = 6 * HOUR;
const DAYS = Number(process.env['MESH_VIRTUAL_DAYS'] ?? 3);

/** A mesh that trades; whoever made it stops it. */
async function trading(
  seed: string,
  agents: number,
  hubs: number,
  every: number,
  pingSecs = HOUR / SECOND,
  beacons?: BeaconTimes,
): Promise<VirtualMesh> {
  const mesh: VirtualMesh = new VirtualMesh({
    ...{ seed, agents, hubs, pingSecs },
    plugins: (member) => [trader(() => mesh, member, { every }), ...(beacons?.of(member) ?? [])],
  });
  await mesh.start();
  return mesh;
}

/** A day of a small mesh, one of whose agents is restarted on the way; what is left of them. */
async function lived(seed: string): Promise<{ hash: string; history: string; events: number }> {
  const mesh = await trading(seed, 5, 1, 3 * HOUR);
  await mesh.time.pass(12 * HOUR);
  await mesh.agent(3).stop();
  await mesh.time.pass(2 * HOUR);
  await mesh.agent(3).start();
  await mesh.time.pass(10 * HOUR);
  const history = await mesh.time.until(mesh.aggregator.activity({ limit: 200 }));
  const hash = mesh.hash();
  await mesh.stop();
  return { hash, history: JSON.stringify(history), events: history.length };
}

describe('a whole mesh on virtual time', () => {
  it('ends in the same state with the same seed, and in another with another', async function () {
    this.timeout(300_000);
    const [first, again, other] = [await lived('one'), await lived('one'), await lived('two')];
    assert.ok(first.events > 50, `only ${first.events} things happened`);
    assert.equal(again.hash, first.hash);
    assert.equal(again.history, first.history);
    assert.notEqual(other.hash, first.hash);
  });

  it(`lets fifty agents live for ${DAYS} days, each announcing itself every hour`, async function () {
    this.timeout(900_000);
    const beacons = new BeaconTimes();
    const mesh = await trading('fifty', 50, 2, DAY, (6 * HOUR) / SECOND, beacons);
    const [start, before] = [mesh.time.now(), process.cpuUsage()];
    await mesh.time.pass(AWHILE);
    const onTheWay = mesh.hash();
    await mesh.time.pass(DAYS * DAY - AWHILE);
    const { user, system } = process.cpuUsage(before);
    const { agent_count } = await mesh.time.until(mesh.aggregator.stats());
    const [newest] = await mesh.time.until(mesh.aggregator.activity({ limit: 1 }));
    const cost = `${mesh.time.turns} turns, ${newest!.id} events, ${Math.round((user + system) / 1e6)} s of a core`;
    process.stdout.write(`      ${DAYS} days: ${cost}\n`);
    assert.ok(agent_count >= 50 && newest!.id > 50);
    for (const { id, name } of mesh.agents) {
      const [heard, silence] = [beacons.count(id), beacons.longestSilence(id, start, mesh.time.now())];
      assert.ok(heard > 0.95 * 24 * DAYS, `${name} was heard ${heard} times`);
      // One that is sent while a session is renewed may be lost; two in a row are not.
      assert.ok(silence < 3 * HOUR, `${name} was silent for ${Math.round(silence / MINUTE)} minutes`);
    }
    await mesh.stop();

    const again = await trading('fifty', 50, 2, DAY, (6 * HOUR) / SECOND, new BeaconTimes());
    await again.time.pass(AWHILE);
    assert.equal(again.hash(), onTheWay, 'the same seed, the same state');
    await again.stop();
  });

  it('asks the machine for no time, no timer, no chance and no thread', async function () {
    this.timeout(300_000);
    const mesh = await trading('wired', 4, 1, 3 * HOUR);
    const wires = tripwires();
    try {
      await mesh.time.pass(12 * HOUR);
      await mesh.agent(1).stop();
      await mesh.time.pass(HOUR);
    } finally {
      wires.remove();
    }
    await mesh.stop();
    assert.deepEqual([...wires.tripped], []);
  });
});
