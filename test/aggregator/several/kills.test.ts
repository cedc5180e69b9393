import assert from 'node:assert/strict';
import { describeRedis } from '../../support/redis-server.ts';
import { counted, Fleet, type Member } from './fleet.ts';
import { checkExact, Follower, Reports } from './traffic.ts';

/** Kills in a run; `MESH_TEST_ROUNDS` for a longer one. */
const ROUNDS = Number(process.env['MESH_TEST_ROUNDS'] ?? 3);

for (const size of [2, 3]) {
  describeRedis(`${size} aggregators on one Redis, killed at any moment`, function () {
    this.timeout(60_000 + ROUNDS * 20_000);
    let fleet: Fleet;

    before(async () => {
      fleet = await Fleet.open();
    });
    after(() => fleet?.close());

    it('lose nothing that was acknowledged, count nothing twice, and show every event once', async () => {
      const names = Array.from({ length: size }, (_, n) => `member ${n}`);
      for (const name of names) await fleet.start(name);
      await fleet.settled();
      let turn = 0;
      const door = () => {
        const members = [...fleet.members];
        turn += 1;
        return members[turn % members.length]!.url;
      };
      const reports = new Reports('killed', door, 8);
      const followers = [new Follower(door), new Follower(door)];
      let writers = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const writer = await fleet.writer();
        await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 1_500));
        // Every other time it is the writer.
        const others: Member[] = [...fleet.members].filter((member) => member !== writer);
        const victim = round % 2 === 0 ? writer : others[Math.floor(Math.random() * others.length)]!;
        if (victim === writer) writers += 1;
        await victim.end('SIGKILL');
        await fleet.start(victim.name);
      }
      await fleet.settled();
      await new Promise((resolve) => setTimeout(resolve, 500));
      await reports.end();
      assert.equal(writers, Math.ceil(ROUNDS / 2));
      assert.ok(reports.acknowledged.length > 20 * ROUNDS, `${reports.acknowledged.length} deals`);
      let handed = 0;
      for (const member of fleet.members) handed += await counted(member, 'mesh_handed_items_total', 'answered');
      assert.ok(handed > 0, 'the writer was handed what others verified');
      await checkExact(fleet, reports.acknowledged, followers);
    });
  });
}
