import assert from 'node:assert/strict';
import { Store } from '../../../core/internal-services.ts';
import { accounts, holds, house } from '../../../plugins/hosting/records.ts';
import { type Doom, Lives } from '../../money/lives.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { ask, Guest } from './support/hosted.ts';

/** Before and after each commit of a call. */
const DOOMS: readonly Doom[] = [1, 2, 3, 4, 5, 6].flatMap((at) =>
  [false, true].map((after) => ({ seam: 'commit', at, after }) as const),
);
const FEE = 10_000n;

describe('a host that is killed at every step', function () {
  this.timeout(180_000);
  const clock = new BriskClock();
  let lives: Lives;
  let mesh: Mesh<'inn' | 'far'>;
  let inn: Member;
  let far: Member;
  before(async () => {
    lives = new Lives(clock, () => {});
    mesh = await startMesh({
      clock,
      nodes: ['inn', 'far'],
      own: {
        inn: {
          plugins: { hosting: { hostAgents: true, feeBps: 50, registrationsPerMinute: 6_000 } },
          api: { unlimited: ['127.0.0.1'] },
        },
      },
      adapters: (name) => lives.begin(name),
    });
    ({ inn, far } = mesh.nodes);
  });
  after(() => mesh?.stop());

  /** Calls, dies at some step, and starts again. Whether the call was answered before. */
  async function dies<T>(doom: Doom, call: () => Promise<T>): Promise<T | undefined> {
    const life = lives.of('inn');
    life.arm(doom);
    const answer = await Promise.race([call().catch(() => undefined), pause(3_000)]);
    life.die();
    await inn.stop().catch(() => undefined);
    // The claim of the killed process on its call has run out.
    mesh.advance(20);
    await inn.start();
    return answer || undefined;
  }
  const all = async () => (await inn.get('/hosted/agents?limit=200')).body.agents as any[];

  it('registers whole agents or none: each is on the mesh again, and an answered one keeps its token', async () => {
    for (const doom of DOOMS.slice(0, 8)) {
      const answered = await dies(doom, () => ask(inn.url, 'POST /hosted/register'));
      if (answered?.status === 200) {
        const guest = new Guest(() => inn, answered.body.agent_id, answered.body.token);
        await guest.does('GET /hosted/deals');
      }
      for (const { agent_id } of await all()) {
        const { body } = await inn.post(`/hosted/agents/${agent_id}/token`);
        await new Guest(() => inn, agent_id, body.token).does('GET /hosted/deals');
      }
    }
  });

  it('takes a credit once for its key, whenever it dies', async () => {
    const ann = await Guest.register(() => inn);
    for (const [index, doom] of DOOMS.entries()) {
      const credit = () =>
        inn.post(`/hosted/agents/${ann.id}/credit`, { amount_usdc: '1' }, { 'idempotency-key': `credit-${index}` });
      await dies(doom, credit);
      const { body } = await happens('it is answered', async () => {
        const answer = await credit();
        return answer.status === 200 ? answer : undefined;
      });
      assert.equal(body.balance_usdc, `${index + 1}`, JSON.stringify(doom));
    }
  });

  it('takes the fee of an offer once when it was sent, and never when it was not', async () => {
    const ann = await Guest.register(() => inn);
    await inn.post(`/hosted/agents/${ann.id}/credit`, { amount_usdc: '5' });
    let sure = 0;
    for (const [index, doom] of DOOMS.entries()) {
      const offer = { recipient: far.id, message: `offer ${index}`, amount_usdc: '2', escrow: false };
      const isKeyed = index % 2 === 0;
      const key = { 'idempotency-key': `offer-${index}` };
      const propose = () => ann.call('POST /hosted/negotiate/propose', offer, isKeyed ? key : {});
      await dies(doom, propose);
      if (isKeyed)
        await happens('it is answered', async () => {
          const { status } = await propose();
          return status === 200 || undefined;
        });
      sure += isKeyed ? 1 : 0;
    }
    const settled = await happens('every fee is settled', async () => {
      clock.shift(10_000);
      const space = inn.node.get(Store).space('hosting');
      if ((await space.count(holds, 'due')) > 0) return undefined;
      const { deals } = await ann.does('GET /hosted/deals?limit=200');
      const { frames } = await far.client.inboxPage({ limit: 200 });
      const arrived = frames.filter(({ sender, msg_type }) => sender === ann.id && msg_type === 'PROPOSE').length;
      return arrived === deals.length ? { sent: deals.length, space } : undefined;
    });
    assert.ok(settled.sent >= sure, `${settled.sent} of ${DOOMS.length} were sent`);
    const { lines } = await ann.does('GET /hosted/statement?limit=200');
    const fees = lines.filter(({ kind }: any) => kind === 'fee');
    assert.equal(fees.length, settled.sent);
    assert.equal(new Set(fees.map(({ envelope_id }: any) => envelope_id)).size, settled.sent);
    const { available, held } = (await settled.space.get(accounts.ref(ann.id)))!;
    assert.deepEqual([BigInt(available), held], [5_000_000n - FEE * BigInt(settled.sent), '0']);
    assert.equal(await settled.space.total(house.ref('fees')), FEE * BigInt(settled.sent));
  });
});

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
}
