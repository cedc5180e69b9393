import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { NO_STANDING, withFlow } from '../../core/aggregator/flows/standing.ts';
import { type Flow, type FlowFact, newFlow, withFacts } from '../../core/aggregator/flows/sums.ts';
import { flowAgentForm, flowForm } from '../../core/aggregator/store/flow-form.ts';
import { flowRef, flows, type StoredFlow, type StoredFlowAgent } from '../../core/aggregator/store/flows.ts';
import { TestAgent } from './support/agent.ts';
import { openDomain } from './support/domain.ts';

const DAY = 86_400_000;
const NOON = 20_000.5 * DAY;
const [A, B] = ['4G2CpEc22ijfeJayNLu4KBv6gbJZSN7akFPpUj2HtJ1L', 'Hsd5hYAWTDKWUT5ZqKYRQ5Bsy5xVHx2B628o8jnJTwpr'];

const at = fc.integer({ min: 0, max: 40 * 24 }).map((hours) => NOON - hours * 3_600_000);
const fact: fc.Arbitrary<FlowFact> = fc.oneof(
  fc.record({ at, score: fc.integer({ min: -100, max: 100 }) }),
  fc.record({ at, usdc: fc.bigInt({ min: 1n, max: 10n ** 15n }) }),
);
const facts = fc.array(fact, { maxLength: 20 });

/** As it comes back from a store. */
const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

function flowOf(told: readonly FlowFact[]): Flow {
  return told.reduce((flow, one) => withFacts(flow, [one], NOON), newFlow(A, B));
}

describe('the form in which an aggregator stores flows', () => {
  it('gives back every flow as it was, with its windows, buckets and the end of the first', () => {
    fc.assert(
      fc.property(facts, (told) => {
        const flow = flowOf(told) as StoredFlow;
        const packed = asJson(flowForm.pack(flow, `${A}>${B}`));
        assert.ok(Array.isArray(packed));
        assert.deepEqual(flowForm.unpack(packed, `${A}>${B}`), flow);
      }),
    );
  });

  it('gives back what an agent gave and got as it was', () => {
    fc.assert(
      fc.property(facts, facts, (gave, got) => {
        const none = newFlow(A, B);
        const given = withFlow(NO_STANDING, 'given', none, flowOf(gave));
        const value: StoredFlowAgent = { agent_id: A, windows: withFlow(given, 'got', none, flowOf(got)) };
        const packed = asJson(flowAgentForm.pack(value, A));
        assert.ok(Array.isArray(packed));
        assert.deepEqual(flowAgentForm.unpack(packed, A), value);
      }),
    );
  });

  it('reads what was stored before there was a form, and keeps a value as it is whose id does not say whose it is', () => {
    const flow = flowOf([{ at: NOON, score: 80 }]) as StoredFlow;
    const standing: StoredFlowAgent = { agent_id: A, windows: NO_STANDING };
    assert.deepEqual(flowForm.unpack(asJson(flow), `${A}>${B}`), flow);
    assert.deepEqual(flowAgentForm.unpack(asJson(standing), A), standing);
    assert.deepEqual(flowForm.unpack(asJson(flowForm.pack(flow, 'other')), 'other'), flow);
    assert.deepEqual(flowAgentForm.unpack(asJson(flowAgentForm.pack(standing, B)), B), standing);
  });

  it('takes less than a sixth of the flow of one rating', () => {
    const flow = flowOf([{ at: NOON, score: 80 }]) as StoredFlow;
    const packed = JSON.stringify(flowForm.pack(flow, `${A}>${B}`));
    assert.ok(6 * packed.length < JSON.stringify(flow).length, packed);
  });
});

describe('lists of flows', () => {
  it('have equal ones in the order of payers, then payees', async () => {
    const { space } = await openDomain();
    const agents = ['a', 'b', 'c'].map((name) => new TestAgent(`equal ${name}`).id).sort();
    const pairs = agents.flatMap((from) => agents.filter((to) => to !== from).map((to) => ({ from, to })));
    for (const { from, to } of pairs.toReversed()) {
      const flow = withFacts(newFlow(from, to), [{ at: NOON, score: 60 }], NOON) as StoredFlow;
      await space.put(flowRef(from, to), flow);
    }
    const [first] = agents as [string];
    const inOrder = async (index: 'top' | 'from' | 'to', prefix: string[]) =>
      (await space.page(flows, { index, prefix })).map(({ value: { from, to } }) => ({ from, to }));
    assert.deepEqual(await inOrder('top', ['7d']), pairs);
    assert.deepEqual(
      await inOrder('from', [first, '7d']),
      pairs.filter(({ from }) => from === first),
    );
    assert.deepEqual(
      await inOrder('to', [first, '7d']),
      pairs.filter(({ to }) => to === first),
    );
  });
});
