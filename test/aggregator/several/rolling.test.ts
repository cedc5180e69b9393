import assert from 'node:assert/strict';
import { systemClock } from '../../../core/platform/system-clock.ts';
import { describeRedis } from '../../support/redis-server.ts';
import { Fleet, type Member } from './fleet.ts';
import { checkExact, Follower, Reports } from './traffic.ts';

const LOOK_MS = 100;

/** Sends calls to those members alone that said at `/ready` that they want some, as a proxy does; it never tries again. */
class Balancer {
  readonly #ready = new Set<Member>();
  readonly #stop = new AbortController();
  #turn = 0;

  add(member: Member): void {
    this.#ready.add(member);
    void this.#look(member);
  }

  /** One after the other. */
  readonly door = (): string => {
    const members = [...this.#ready];
    this.#turn += 1;
    return members[this.#turn % members.length]!.url;
  };

  close(): void {
    this.#stop.abort();
  }

  async #look(member: Member): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const answer = await fetch(`${member.url}/ready`).catch(() => undefined);
      if (!answer?.ok) return void this.#ready.delete(member);
      await answer.arrayBuffer();
      await systemClock.sleep(LOOK_MS);
    }
  }
}

describeRedis('three aggregators on one Redis, restarted one after the other', function () {
  this.timeout(180_000);
  let fleet: Fleet;
  const balancer = new Balancer();

  before(async () => {
    fleet = await Fleet.open();
  });
  after(async () => {
    balancer.close();
    await fleet?.close();
  });

  it('drop no call: not one fails, and nobody tries again', async () => {
    const more = { api: { unlimited: ['127.0.0.1'], drainSecs: 3 } };
    const names = ['one', 'two', 'three'];
    for (const name of names) balancer.add(await fleet.start(name, more));
    await fleet.settled();
    const reports = new Reports('rolling', balancer.door, 6);
    const follower = new Follower(balancer.door);
    const reads: string[] = [];
    let isOver = false;
    let answered = 0;
    const reading = (async () => {
      while (!isOver) {
        const path = ['/activity?limit=5', '/stats/network', '/agents?limit=3', '/leaderboard'][answered % 4]!;
        const answer = await fetch(balancer.door() + path).catch((error: Error) => error.cause ?? error);
        if (!(answer instanceof Response && answer.ok)) reads.push(`${path}: ${answer}`);
        else await answer.arrayBuffer();
        answered += 1;
      }
    })();
    for (const member of [...fleet.members]) {
      assert.equal(await member.end('SIGTERM'), 0, `${member.name} ends well`);
      balancer.add(await fleet.start(member.name, more));
      await fleet.settled();
    }
    isOver = true;
    await reading;
    await reports.end();
    assert.deepEqual(reports.failed, []);
    assert.deepEqual(reads, []);
    assert.ok(answered > 100 && reports.acknowledged.length > 100, `${answered} and ${reports.acknowledged.length}`);
    await checkExact(fleet, reports.acknowledged, [follower]);
  });
});
