import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { ShiftedClock } from '../../support/shifted-clock.ts';
import { hireable } from './support/workers.ts';

const BUDGET = {
  ...{ maxPerDay: '0.3', amount: '0.1', maxPerAgent: '0.2', newPart: 1, every: 3_600, answerSecs: 600 },
  tasks: [{ message: 'Work out {word}, and answer with the result in digits.', answer: 'sum' }],
};
const sumIn = (message: string) => message.match(/\d+/g)!.reduce((sum, number) => sum + Number(number), 0);

describe('the probe buyer', function () {
  this.timeout(120_000);
  const clock = new ShiftedClock();
  let mesh: Mesh<'buyer' | 'good' | 'poor'>;
  let buyer: Member;
  before(async () => {
    mesh = await startMesh({
      clock,
      nodes: ['buyer', 'good', 'poor'],
      usdc: { buyer: '10' },
      plugins: {
        good: [hireable('good', (_, message) => `It is ${sumIn(message).toLocaleString('en-US')}.`)],
        poor: [hireable('poor', (_, message) => message)],
      },
      own: { buyer: { plugins: { probe: BUDGET } } },
    });
    ({ buyer } = mesh.nodes);
    await mesh.acquainted();
  });
  after(() => mesh.stop());

  const probes = async (): Promise<any[]> => (await buyer.get('/probe/deals')).body.probes;
  const ended = (count: number) =>
    happens(
      `${count} probes have ended`,
      async () => {
        // The node answers 600 calls a minute.
        await new Promise((later) => setTimeout(later, 200));
        const found = (await probes()).filter(({ state }) => state === 'ended');
        return found.length >= count ? found : undefined;
      },
      60_000,
    );
  const profileOf = async (agent: string) =>
    (await (await fetch(`${mesh.aggregatorNode.url}/agents/${agent}/profile`)).json()) as any;

  it('hires somebody by itself, pays on the ledger and rates what came', async () => {
    const [first] = await ended(1);
    const { agent_id, conversation_id, message, answer, expected, fits, score, deal_state, amount_usdc } = first;
    assert.deepEqual([answer, expected], ['sum', `${sumIn(message)}`]);
    const isGood = agent_id === mesh.nodes.good.id;
    assert.ok(isGood || agent_id === mesh.nodes.poor.id, agent_id);
    assert.deepEqual([fits, score, deal_state, amount_usdc], [isGood, isGood ? 90 : -40, 'settled', '0.1']);
    const deal: any = (await buyer.get(`/deals/${conversation_id}`)).body;
    assert.deepEqual([deal.escrow.outcome, deal.escrow.to_provider_usdc_micro], ['released', 100_000]);
    const rating = await happens('the rating is counted', async () => {
      const found: any = await (await fetch(`${mesh.aggregatorNode.url}/reputation/${agent_id}`)).json();
      return found.feedback_count === 1 ? found : undefined;
    });
    assert.deepEqual(rating.recent_scores, [score]);
  });

  it('lets its aggregator show when the agent last answered, by the DELIVER that it signed', async () => {
    const [{ agent_id, conversation_id }] = (await ended(1)) as [any];
    const { last_round_trip: trip } = await happens('the round trip is known', async () => {
      const found = await profileOf(agent_id);
      return found.last_round_trip ? found : undefined;
    });
    assert.deepEqual([trip.with, trip.conversation_id, trip.probe], [buyer.id, conversation_id, false]);
    assert.ok(trip.seconds >= 0 && trip.seconds < 60, `${trip.seconds}`);
    const history: any[] = ((await buyer.get(`/deals/${conversation_id}`)).body as any).history;
    assert.equal(trip.envelope_id, history.find(({ event }) => event === 'deliver').envelope_id);
    const agents: any[] = (await (await fetch(`${mesh.aggregatorNode.url}/agents`)).json()) as any[];
    assert.deepEqual(agents.find((one) => one.agent_id === agent_id).last_round_trip, trip);
  });

  it('says what is left of its budget, and stops at the caps with their names', async () => {
    const hired = async (key: string = randomUUID()): Promise<any> => {
      const { status, body } = await buyer.post('/probe/hire', undefined, { 'idempotency-key': key });
      assert.equal(status, 201, JSON.stringify(body));
      return body;
    };
    const second = await hired('the-second');
    await ended(2);
    assert.equal((await hired('the-second')).conversation_id, second.conversation_id);
    await hired();
    await ended(3);
    const { body } = await buyer.get('/probe');
    assert.deepEqual(
      [body.on, body.spent_usdc, body.left_usdc, body.max_per_agent_usdc, body.problem],
      [true, '0.3', '0', '0.2', null],
    );
    const refused = await buyer.post('/probe/hire');
    assert.deepEqual([refused.status, refused.body.code, refused.body.left_usdc], [403, 'probe_budget', '0']);
    assert.match(refused.body.detail, /plugins\.probe\.maxPerDay leaves 0 USDC/);

    const hires = (await probes()).map(({ agent_id }) => agent_id);
    for (const agent of hires) assert.ok(hires.filter((one) => one === agent).length <= 2, `${agent} in ${hires}`);
    mesh.advance(25 * 3_600);
    await hired();
    await ended(4);
    const last = await buyer.post('/probe/hire');
    assert.deepEqual([last.status, last.body.code], [409, 'probe_nobody'], JSON.stringify(last.body));
    assert.match(last.body.detail, /maxPerAgent/);
    const { usdc } = ((await buyer.get('/portfolio/balances')).body ?? {}) as any;
    assert.ok(usdc === undefined || Number(usdc) === 9.6, `${usdc}`);
  });

  it('lists its deals page by page, the last one first', async () => {
    const all = await probes();
    const paged: any[] = [];
    for (let after = ''; ; ) {
      const { body } = await buyer.get(`/probe/deals?limit=3${after && `&after=${after}`}`);
      paged.push(...body.probes);
      if (body.next === null) break;
      after = body.next;
    }
    assert.deepEqual(paged, all);
    assert.deepEqual(
      [...all].sort((one, other) => other.created_at.localeCompare(one.created_at)),
      all,
    );
  });
});
