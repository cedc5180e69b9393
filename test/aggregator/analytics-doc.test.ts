import assert from 'node:assert/strict';
import { behaviourClusters, coordinationOf } from '../../core/aggregator/analytics/behaviour.ts';
import { entropyOf, isFlagged, shortfallOf, type Vector, vectorOf } from '../../core/aggregator/analytics/entropy.ts';
import { calibrated, type NetworkSums, systemRisk } from '../../core/aggregator/analytics/network-sums.ts';
import { COMPONENT_NAMES } from '../../core/aggregator/analytics/parameters.ts';
import { rollingOf } from '../../core/aggregator/analytics/rolling.ts';
import { paidSamples, type Sample, samplesOf } from '../../core/aggregator/analytics/samples.ts';
import { newTally, withSample } from '../../core/aggregator/analytics/tally.ts';
import { concentrationView } from '../../core/aggregator/analytics/view.ts';
import { requiredStake } from '../../core/aggregator/ledger/required-stake.ts';
import { newStanding } from '../../core/aggregator/store/analytics.ts';
import { parseUsdc } from '../../core/platform/usdc.ts';
import { tableUnder } from '../deals/doc-tables.ts';

const rows = (heading: string) => tableUnder('analytics.md', heading);
const yes = (value: boolean) => (value ? 'yes' : 'no');
const micro = (text: string) => Math.round(1e6 * Number(text));
const short = (value: number) => String(Math.round(1e6 * value) / 1e6);
const numbers = (text: string) => text.split(' ').filter(Boolean).map(Number);

describe('docs/analytics.md', () => {
  for (const row of rows('What is counted'))
    it(`${row['Event']} is a sample of ${row['Is a sample of']}`, () => {
      const samples = samplesIn(row['Event']!, 0);
      const named = [...new Set(samples.map(({ agentId }) => agentId))];
      assert.equal(named.join(', ') || 'nobody', row['Of']);
      const told = named.map((name) => {
        const own = samples.filter(({ agentId }) => agentId === name).reduce(withSample, newTally(name, 0));
        const amounts = Object.keys(own.amounts).map((bucket) => `amount ${bucket}`);
        const others = (['partner', 'verifier'] as const).flatMap((kind) =>
          Object.keys(own[`${kind}s`]).map((other) => `${kind} ${other}`),
        );
        return `${name}: ${[...(own.moments > 0 ? ['time', 'type'] : []), ...others, ...amounts].join(', ')}`;
      });
      assert.equal(told.join('; ') || 'nothing', row['Is a sample of']);
    });

  for (const row of rows('Entropy'))
    it(`the entropy of ${row['Counts']} is ${row['Bits']}`, () => {
      const counts = Object.fromEntries(numbers(row['Counts']!).map((count, place) => [`thing ${place}`, count]));
      assert.equal(entropyOf(counts), micro(row['Bits']!));
    });

  for (const row of rows('Anomaly'))
    it(`${row['ht']}, ${row['hb']}, ${row['hs']}, ${row['hv']}: an anomaly of ${row['Anomaly']}`, () => {
      const entropies = Object.fromEntries(
        COMPONENT_NAMES.map((name) => [name, row[name] === 'null' ? null : micro(row[name]!)]),
      ) as Pick<Vector, 'ht' | 'hb' | 'hs' | 'hv'>;
      const anomaly = COMPONENT_NAMES.reduce((sum, name) => sum + shortfallOf(entropies, name), 0);
      assert.deepEqual([anomaly, yes(isFlagged({ anomaly }))], [micro(row['Anomaly']!), row['Flagged']]);
    });

  it('works its example out', () => {
    const [events, results] = [rows('An example worked out'), rows('The result')];
    const samples = events.flatMap((row) => samplesIn(row['Event']!, 1000 * Number(row['Second'])));
    for (const row of results) {
      const own = samples.filter(({ agentId }) => agentId === row['Agent']).reduce(withSample, newTally('A', 0));
      const { ht, hb, hs, anomaly, n_ht, n_hb, n_hs } = vectorOf(own);
      const text = (bits: number | null) => (bits === null ? 'null' : short(bits / 1e6));
      assert.deepEqual(
        [n_ht, text(ht), n_hb, text(hb), n_hs, text(hs), short(anomaly / 1e6)].map(String),
        ['n_ht', 'ht', 'n_hb', 'hb', 'n_hs', 'hs', 'Anomaly'].map((name) => row[name]!),
      );
    }
  });

  for (const row of rows('Over several epochs'))
    it(`anomalies of ${row['Anomalies']}`, () => {
      const found = rollingOf(numbers(row['Anomalies']!).map((anomaly) => ({ anomaly: Math.round(1e6 * anomaly) })));
      assert.deepEqual(
        [short(found.mean), short(found.variance), yes(found.isSteady), yes(found.isHigh)],
        [row['Mean'], row['Variance'], row['Low variance'], row['High']],
      );
    });

  for (const row of rows('Verifiers'))
    it(`verifiers of ${row['hv of its epochs']} bits`, () => {
      const bits = numbers(row['hv of its epochs']!);
      const sum = bits.reduce((all, one) => all + 1e6 * one, 0);
      const verified = { epochs: bits.length, sum, below: bits.filter((one) => one < 1).length, top: null };
      const found = concentrationView({ ...newStanding('A'), verified });
      assert.deepEqual([found.mean_hv, found.epochs_below_threshold, found.concentration_score].map(String), [
        row['Mean'],
        row['Below'],
        row['Concentration'],
      ]);
    });

  for (const row of rows('Clusters'))
    it(`${row['Agents']}: ${row['Clusters'] || 'no cluster'}`, () => {
      const compared = row['Agents']!.split(', ').map((text) => {
        const [, agentId, anomaly, partners] = text.match(/^(\w) (\S+) with (.*)$/)!;
        return { agentId: agentId!, anomaly: micro(anomaly!), partners: partners!.split(' '), belongs: [] };
      });
      for (const all of [compared, [...compared].reverse()])
        assert.equal(
          behaviourClusters(all)
            .map(({ agents }) => agents.join(' '))
            .join('; '),
          row['Clusters'],
        );
    });

  for (const row of rows('The network'))
    it(`${row['Flagged']} of ${row['Agents']} agents are flagged`, () => {
      const [agents, flagged] = [Number(row['Agents']), Number(row['Flagged'])];
      const sums: NetworkSums = {
        ...{ agents, flagged, anomaly: 0, ht: 0, hb: 0, hv: 0 },
        hs: flagged * micro(row['E']!),
      };
      const { anomaly, decay, coordination, systemic, source } = calibrated(sums, flagged * micro(row['K']!));
      const { share, isBroken } = systemRisk(sums);
      assert.deepEqual(
        [short(share), yes(isBroken), ...[anomaly, decay, coordination, systemic].map(short), source],
        ['Index', 'Breaker', 'β1', 'β2', 'β3', 'β4', 'Source'].map((name) => row[name]),
      );
    });

  for (const row of rows('Required stake'))
    it(`a required stake of ${row['Required']}`, () => {
      const [anomaly, coordination] = [micro(row['Anomaly']!), micro(row['C']!)];
      assert.ok(coordination === coordinationOf(1 + Math.round(10 * Number(row['C']))));
      const staked = { stake: 0n, abandoned: Number(row['Abandoned']), anomaly, coordination };
      assert.equal(String(requiredStake('A', staked).required_stake_usdc), row['Required']);
    });
});

/** `ACCEPT by A to B`, or `A paid B 1.5`. */
function samplesIn(event: string, at: number): Sample[] {
  const [, type, by, to] = event.match(/^([A-Z]+) by (\w)(?: to (\w))?$/) ?? [];
  if (type !== undefined)
    return samplesOf({
      ...{ event_type: type as 'ACCEPT', agent_id: by!, slot: 1, at },
      ...(to !== undefined && { target_agent_id: to }),
    });
  const [, requester, provider, amount] = event.match(/^(\w) paid (\w) (\S+)$/)!;
  const facts = { requester, provider, to_provider: parseUsdc(amount!)!.toString() };
  return paidSamples({ name: 'escrow_approved', signature: null, ordinal: 0, slot: 1, at, facts } as never);
}
