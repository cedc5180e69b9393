import assert from 'node:assert/strict';
import { isConsistent } from '../../core/aggregator/agents/geography.ts';
import { happens } from '../support/happens.ts';
import { startMesh } from '../support/mesh.ts';

describe('where agents say they are', () => {
  const cases: [country: string | undefined, latency: Record<string, number> | undefined, is: boolean | undefined][] = [
    ['NG', { 'us-east': 15 }, false],
    ['NG', { 'us-east': 120, 'eu-west': 90 }, true],
    ['NG', { 'us-east': 120, 'eu-west': 9 }, false],
    ['US', { 'us-east': 4 }, true],
    ['US', { 'us-east': 81 }, false],
    ['JP', { 'eu-west': 210 }, true],
    ['JP', { 'eu-west': 20 }, false],
    ['JP', { 'asia-southeast': 1 }, undefined],
    ['AQ', { 'us-east': 100 }, undefined],
    [undefined, { 'us-east': 100 }, undefined],
    ['US', undefined, undefined],
  ];
  for (const [country, latency, expected] of cases)
    it(`is ${expected} of ${country} at ${JSON.stringify(latency)}`, () => {
      assert.equal(isConsistent({ ...(country && { country }), ...(latency && { latency }) }), expected);
    });

  it('is shown with the round trips to an aggregator that says where it stands', async function () {
    this.timeout(60_000);
    const own = { mesh: { pingSecs: 1 }, core: { mesh: { region: 'us-east', measureSecs: 1 } } };
    const mesh = await startMesh({ nodes: ['alice'], own: { aggregator: own } });
    try {
      const { alice } = mesh.nodes;
      await alice.post('/envelopes/send', {
        msg_type: 'ADVERTISE',
        payload: { capabilities: ['translate'], geo: { country: 'NG', city: 'Lagos' } },
      });
      const profile = await happens('the round trip is shown', async () => {
        const found = await mesh.aggregator.profile(alice.id).catch(() => undefined);
        return found && 'us-east' in found.latency && found.country ? found : undefined;
      });
      assert.ok(Number.isInteger(profile.latency['us-east']));
      assert.equal(profile.geo_consistent, false, 'nobody in Nigeria is a millisecond away from this machine');
      const [row] = await mesh.aggregator.agents({ country: 'NG' });
      assert.deepEqual([row?.latency, row?.geo_consistent], [profile.latency, false]);
    } finally {
      await mesh.stop();
    }
  });
});
