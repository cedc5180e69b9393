import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { normaliseAgentId } from '../../../core/plugin.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { ShiftedClock } from '../../support/shifted-clock.ts';
import { Guest } from './support/hosted.ts';

const HOUR = 3_600_000;

describe('attacks on the fees of hosted messages', function () {
  this.timeout(60_000);
  const clock = new ShiftedClock();
  let mesh: Mesh<'inn' | 'far'>;
  let inn: Member;
  let far: Member;
  let ann: Guest;

  before(async () => {
    mesh = await startMesh({
      clock,
      nodes: ['inn', 'far'],
      own: { inn: { plugins: { hosting: { hostAgents: true, feeBps: 50 } } } },
    });
    ({ inn, far } = mesh.nodes);
  });
  beforeEach(async () => {
    ann = await Guest.register(() => inn, { name: 'ann' });
    await inn.post(`/hosted/agents/${ann.id}/credit`, { amount_usdc: '1' });
  });
  after(() => mesh?.stop());

  const account = async () => {
    const { available_usdc, held_usdc } = await ann.does('GET /hosted/session');
    return [available_usdc, held_usdc];
  };
  const holding = (available: string, held: string) =>
    happens(`${available} are available and ${held} held`, async () => {
      const found = await account();
      return (found[0] === available && found[1] === held) || undefined;
    });
  const offer = (amount_usdc: string, more = {}) => ({
    ...{ recipient: far.id, message: 'a haiku', amount_usdc, escrow: false },
    ...more,
  });
  const talk = () => ({ conversation_id: randomBytes(16).toString('hex') });
  const fees = async () => {
    const { lines } = await ann.does('GET /hosted/statement');
    return lines.filter(({ kind }: any) => kind === 'fee').map(({ amount_usdc }: any) => amount_usdc);
  };

  it('takes a fee of its own for another message under an idempotency key that was used a day before', async () => {
    const key = { 'idempotency-key': 'again' };
    await ann.does('POST /hosted/negotiate/propose', offer('0.0002', talk()), key);
    await holding('0.999999', '0');
    clock.shift(25 * HOUR);
    const dear = await ann.does('POST /hosted/negotiate/propose', offer('100', talk()), key);
    await far.dealWhen(dear.conversation_id, 'proposed');
    await holding('0.499999', '0');
    assert.deepEqual(await fees(), ['0.5', '0.000001']);
  });

  it('takes both fees where the message before waits still to be delivered', async () => {
    const nobody = normaliseAgentId(randomBytes(32).toString('hex'))!;
    const key = { 'idempotency-key': 'still-there' };
    await ann.does('POST /hosted/negotiate/propose', offer('0.0002', { recipient: nobody, ...talk() }), key);
    await holding('0.999999', '0.000001');
    clock.shift(25 * HOUR);
    await ann.does('POST /hosted/negotiate/propose', offer('100', talk()), key);
    await holding('0.499999', '0.000001');
    assert.deepEqual(await fees(), ['0.5']);
  });

  it('sets one fee aside for a step that many calls ask for at the same time, while the other side is away', async () => {
    const { body } = await far.post('/negotiate/propose', { ...offer('2'), recipient: ann.id });
    const { conversation_id } = body;
    await ann.dealWhen(conversation_id, 'proposed');
    await far.stop();
    const accept = () => ann.call('POST /hosted/negotiate/accept', { conversation_id });
    const answers = await Promise.all(Array.from({ length: 6 }, accept));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.deepEqual(await account(), ['0.99', '0.01']);
  });
});
