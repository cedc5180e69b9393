import assert from 'node:assert/strict';
import { isConsistent } from '../../core/aggregator/agents/geography.ts';
import { tableUnder } from '../deals/doc-tables.ts';
import { happens } from '../support/happens.ts';
import { startMesh } from '../support/mesh.ts';

describe('where agents say they are', () => {
  const rows = (heading: string) => tableUnder('analytics.md', heading);
  const REGIONS = ['us-east', 'eu-west', 'africa-south', 'asia-southeast'] as const;
  const text = (is: boolean | undefined) => (is === undefined ? 'absent' : String(is));

  for (const row of rows('Examples of places'))
    it(`is ${row['geo_consistent']} of ${row['Country']} at ${row['Round trips']}`, () => {
      const trips = row['Round trips']!.split(', ').map((trip) => trip.split(' ') as [string, string]);
      const latency = Object.fromEntries(trips.map(([region, ms]) => [region, Number(ms)]));
      assert.equal(text(isConsistent({ country: row['Country']!, latency })), row['geo_consistent']);
    });

  for (const row of rows('Where agents say they are'))
    it(`holds the bounds of ${row['Countries']}`, () => {
      for (const country of row['Countries']!.split(' '))
        for (const region of REGIONS) {
          const [least, most] = row[region]!.split('\u2013').map(Number) as [number, number];
          const is = (ms: number) => isConsistent({ country, latency: { [region]: ms } });
          assert.deepEqual([is(least), is(most), is(most + 1)], [true, true, false], `${country} ${region}`);
          if (least > 0) assert.equal(is(least - 1), false, `${country} ${region}`);
        }
    });

  it('is not known of an agent that claims no country, or that nobody has measured', () => {
    assert.equal(isConsistent({ latency: { 'us-east': 100 } }), undefined);
    assert.equal(isConsistent({ country: 'US' }), undefined);
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
