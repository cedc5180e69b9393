import assert from 'node:assert/strict';
import { agents } from '../../core/aggregator/store/agents.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { newConversation, TestAgent } from './support/agent.ts';
import { type Domain, openDomain } from './support/domain.ts';

describe('an aggregator on a network of version 1', () => {
  const network = defineNetwork({ name: 'public', version: 1 });
  let domain: Domain;
  before(async () => {
    domain = await openDomain(network);
  });
  after(() => domain.store.close());

  it('indexes whole envelopes, whose nonces begin again and conflict with nothing', async () => {
    const [asker, worker] = ['asker', 'worker'].map(
      (name) => new TestAgent(name, () => domain.clock.now(), network),
    ) as [TestAgent, TestAgent];
    const conversation = newConversation();
    const offer = { amount_usdc_micro: 5n, message: 'x', max_rounds: 2 };
    const propose = asker.sign('PROPOSE', { to: worker, conversation, payload: offer, nonce: 1 });
    const accept = worker.sign('ACCEPT', {
      to: asker,
      conversation,
      payload: { amount_usdc_micro: 5n } as never,
      nonce: 1,
    });
    const content = { conversation_id: conversation, content_type: 'text/plain', inline_b64: 'b2s=' };
    const deliver = worker.sign('DELIVER', { to: asker, conversation, payload: content as never, nonce: 1 });
    const payload = {
      conversation_id: conversation,
      target_agent: worker.id,
      score: 80,
      outcome: 2,
      is_dispute: false,
      role: 0,
    } as const;
    const feedback = asker.sign('FEEDBACK', { conversation, payload, nonce: 1 });
    assert.deepEqual(await domain.take(propose, accept, deliver, feedback), Array(4).fill('accepted'));
    assert.deepEqual(await domain.take(propose, accept, deliver, feedback), Array(4).fill('duplicate'));
    assert.deepEqual((await domain.space.get(agents.ref(worker.id)))!.standing.scores, [80]);
  });

  it('takes no receipts', async () => {
    const agent = new TestAgent('version two', () => domain.clock.now());
    const bytes = new Uint8Array(Buffer.from(agent.beacon('x').receipt.receipt_b64, 'base64'));
    const [result] = await domain.ingest([{ kind: 'receipt', bytes }], { ip: '127.0.0.1' });
    assert.deepEqual([result!.status, /version 2/.test(result!.detail!)], ['invalid', true]);
  });
});
