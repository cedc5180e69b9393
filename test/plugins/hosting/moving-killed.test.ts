import assert from 'node:assert/strict';
import { type Doom, Lives } from '../../money/lives.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { Guest } from './support/hosted.ts';

const HOST = {
  plugins: { hosting: { hostAgents: true, registrationsPerMinute: 6_000 } },
  api: { unlimited: ['127.0.0.1'] },
};
const DOOMS: readonly Doom[] = [1, 2, 3, 4].flatMap((at) =>
  [false, true].map((after) => ({ seam: 'commit', at, after }) as const),
);

describe('a move between hosts that are killed at every step', function () {
  this.timeout(180_000);
  const clock = new BriskClock();
  let lives: Lives;
  let mesh: Mesh<'inn' | 'manor'>;
  let inn: Member;
  let manor: Member;
  before(async () => {
    lives = new Lives(clock, () => {});
    mesh = await startMesh({
      ...{ clock, nodes: ['inn', 'manor'], own: { inn: HOST, manor: HOST } },
      adapters: (name) => lives.begin(name),
    });
    ({ inn, manor } = mesh.nodes);
  });
  after(() => mesh?.stop());

  it('is done once, whenever one of the two hosts is killed', async () => {
    for (const doom of DOOMS) {
      const [old, next] = [await Guest.register(() => inn), await Guest.register(() => manor)];
      await dies('inn', inn, doom, () => old.call('POST /hosted/move', { successor: next.id }));
      const notice = await happens('the notice', async () => {
        const { status, body } = await old.call('POST /hosted/move', { successor: next.id });
        return status === 200 ? body : undefined;
      });
      const taking = () => next.call('POST /hosted/take-over', notice);
      await dies('manor', manor, doom, taking);
      // The other host dies while it is told.
      await dies('inn', inn, doom, taking);
      const done = await happens('it is taken over', async () => {
        const { status, body } = await next.call('POST /hosted/take-over', notice);
        return status === 200 ? body : undefined;
      });
      assert.deepEqual([done.agent_id, done.successor], [old.id, next.id]);
      assert.equal((await next.does('GET /hosted/session')).name, notice.name);
      const { body } = await happens('the old host is told', async () => {
        // A host that was down hears it from the BEACONs of the other, which come every five minutes.
        mesh.advance(60);
        const answer = await old.call('GET /hosted/session');
        return answer.body.successor === next.id ? answer : undefined;
      });
      assert.equal(body.agent_id, old.id);
      assert.equal(await old.refused('POST /hosted/move', { successor: inn.id }), '409 conflict');
    }
  });

  async function dies(name: string, member: Member, doom: Doom, call: () => Promise<unknown>): Promise<void> {
    const life = lives.of(name);
    life.arm(doom);
    const pause = new Promise((resolve) => setTimeout(resolve, 1_000));
    await Promise.race([call().catch(() => undefined), pause]);
    life.die();
    await member.stop().catch(() => undefined);
    mesh.advance(20);
    await member.start();
  }
});
