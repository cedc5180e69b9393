import assert from 'node:assert/strict';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { newConversation, TestAgent } from '../aggregator/support/agent.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { network, Stranger } from '../support/stranger.ts';

const NOBODY = '00'.repeat(32);
/** A point of small order on Ed25519: a signature for it needs no secret. */
const FORGEABLE = 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a';
const NOWHERE = '00'.repeat(16);
const offer = { amount_usdc_micro: 1n, message: 'Count.', max_rounds: 2 };

describe('names that name nothing', () => {
  let mesh: Mesh<'node'>;
  let mallory: Stranger;
  before(async () => {
    mesh = await startMesh({ nodes: ['node'] });
    mallory = await Stranger.start('mallory', [mesh.nodes.node]);
  });
  after(async () => {
    await mallory.stop();
    await mesh.stop();
  });

  const keyed = (key: Uint8Array) => ({ identity: { key } }) as TestAgent;

  async function refused(path: string, body: object, pointer: string): Promise<void> {
    const answer = await mesh.nodes.node.call('POST', path, body);
    const [field] = answer.body.fields ?? [];
    assert.deepEqual([answer.status, answer.body.code, field?.pointer], [400, 'invalid_request', pointer], path);
    assert.match(field.message, /^is (all zeros|no key)/);
  }

  /** What the aggregator makes of an envelope that was reported. */
  async function ingested(envelope_b64: string): Promise<string> {
    const answer = await fetch(`${mesh.aggregatorNode.url}/ingest/envelopes`, {
      method: 'POST',
      body: JSON.stringify({ items: [{ envelope_b64 }] }),
      headers: { 'content-type': 'application/json' },
    });
    const { results } = (await answer.json()) as { results: { status: string }[] };
    return results[0]!.status;
  }

  const send = { msg_type: 'REJECT', payload: { reason: 'no' } };
  const propose = { amount_usdc: '1', message: 'Count.' };
  const recipient = new TestAgent('somebody', Date.now, network).id;

  it('a recipient of zeros, or one that anybody can sign for, is refused with its field', async () => {
    for (const nobody of [NOBODY, '1'.repeat(32), FORGEABLE]) {
      await refused('/negotiate/propose', { ...propose, recipient: nobody }, '/recipient');
      await refused('/envelopes/send', { ...send, recipient: nobody }, '/recipient');
    }
    const to = keyed(Buffer.from(FORGEABLE, 'hex'));
    const wire = mallory.sign('PROPOSE', { to, conversation: newConversation(), payload: offer });
    assert.equal(await ingested(wire.whole.envelope_b64), 'invalid');
  });

  it('the conversation of zeros is refused with its field, and is invalid on the wire', async () => {
    await refused('/negotiate/propose', { ...propose, recipient, conversation_id: NOWHERE }, '/conversation_id');
    await refused('/envelopes/send', { ...send, recipient, conversation_id: NOWHERE }, '/conversation_id');
    const to = keyed(parseAgentId(mesh.nodes.node.id)!);
    const wire = mallory.sign('PROPOSE', { to, conversation: NOWHERE, payload: offer });
    assert.deepEqual(await mallory.send(mesh.nodes.node, wire), { outcome: 'acked', reason: 'invalid' });
    assert.equal(await ingested(wire.whole.envelope_b64), 'invalid');
    const { deals } = await mesh.nodes.node.client.deals({});
    assert.deepEqual(deals, []);
  });

  it('an epoch that has no nonces is refused with its field', async () => {
    for (const rest of ['/envelopes', '/leaves', '']) {
      for (const epoch of ['2147483648', '9999999999', '2100000000']) {
        const answer = await fetch(`${mesh.aggregatorNode.url}/epochs/${mallory.id}/${epoch}${rest}`);
        const body = (await answer.json()) as { fields?: { pointer: string }[] };
        assert.deepEqual([answer.status, body.fields?.[0]?.pointer], [400, '/epoch'], `${epoch}${rest}`);
      }
    }
    const last = await fetch(`${mesh.aggregatorNode.url}/epochs/${mallory.id}/2099999999/envelopes`);
    assert.deepEqual([last.status, await last.json()], [200, []]);
  });
});
