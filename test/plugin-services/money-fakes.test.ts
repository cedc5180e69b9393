import assert from 'node:assert/strict';
import { fakeDeals, fakePayments, fakeTransactions, sampleDeal, testNode, value } from '../../adapters/testing.ts';
import { definePlugin, MeshError, route, typed } from '../../core/plugin.ts';
import { Deals, Payments } from '../../core/services.ts';

/** Accepts what it can afford to be paid for, and tips whoever asks. */
const waiter = definePlugin({
  name: 'waiter',
  api: '2.0',
  permissions: ['deals:read', 'deals:act', 'money:spend'],
  node: {
    uses: { deals: Deals, payments: Payments },
    routes: {
      tip: route('POST /tip/:to', {
        auth: 'api',
        params: { to: 'agent-id' },
        reply: typed<{ status: string; left: string }>({ type: 'object' }),
        errors: ['spending_cap', 'insufficient_funds'],
      }),
      open: route('GET /open', { auth: 'open', reply: 'deals-page' }),
    },
    setup: ({ deals, payments }, { defer }) => {
      defer(
        deals.follow(async ({ conversation_id, state, allowed_actions }) => {
          if (allowed_actions.includes('accept')) await deals.accept({ conversation_id }, { operationId: state });
        }),
      );
      return {
        routes: {
          open: () => deals.page({ state: 'proposed' }),
          async tip({ params: { to } }) {
            const { status } = await payments.transfer({ key: to, to, amount: 60_000_000n });
            return { status, left: String((await payments.balances()).usdc) };
          },
        },
      };
    },
  },
});

describe('the fakes of Deals and Payments', () => {
  it('let a plugin be tested without other nodes and without a ledger', async () => {
    const deals = fakeDeals();
    const payments = fakePayments();
    const services = [value(Deals, deals.service), value(Payments, payments.service)];
    const node = await testNode(waiter, { services });
    try {
      const deal = sampleDeal();
      await deals.change(deal);
      const { conversation_id } = deal;
      assert.deepEqual(deals.taken, [{ step: 'accept', request: { conversation_id }, operationId: 'proposed' }]);
      assert.deepEqual((await node.call('GET /open')).body, { deals: [deal], next: null });
      await deals.change(sampleDeal({ state: 'accepted', allowed_actions: ['deliver'] }));
      assert.deepEqual((await node.call('GET /open')).body, { deals: [], next: null });
      await assert.rejects(deals.service.get('ff'), { code: 'not_found' });
      deals.refuse(new MeshError('rate_limited'));
      await assert.rejects(deals.service.reject({ conversation_id }), { code: 'rate_limited' });

      const tip = (to: string) => node.call(`POST /tip/${to}`);
      payments.refuse(new MeshError('spending_cap'));
      assert.equal((await tip(deal.requester)).body.code, 'spending_cap');
      assert.deepEqual((await tip(deal.requester)).body, { status: 'final', left: '40000000' });
      assert.deepEqual((await tip(deal.requester)).body, { status: 'final', left: '40000000' });
      assert.equal((await tip(deal.provider)).body.code, 'insufficient_funds');
      assert.equal(payments.paid.length, 1);
    } finally {
      assert.deepEqual(await node.stop(), []);
    }
  });
});

describe('the fake of Transactions', () => {
  it('takes what is not refused, once under a key', async () => {
    const { service, signed, report } = fakeTransactions();
    const request = { key: 'a', transaction: 'AA==', spend: { lamports: 1n } };
    const sent = await service.send(request);
    assert.deepEqual(await service.send(request), sent);
    assert.deepEqual(await service.find('a'), { signature: sent.signature, status: 'final' });
    await assert.rejects(service.send({ ...request, transaction: 'AQ==' }), { code: 'idempotency_mismatch' });
    report({ lamports: -5n, refusals: ['takes 5 lamports, and 1 is allowed'] });
    assert.equal((await service.inspect('AA==')).lamports, -5n);
    await assert.rejects(service.sign({ ...request, key: 'b' }), { code: 'transaction_refused' });
    assert.deepEqual(signed, [request]);
  });
});
