import assert from 'node:assert/strict';
import { DAY, HOUR, VirtualMesh } from './support/mesh.ts';

describe('an ADVERTISE on virtual time', () => {
  it('is repeated once a day, as it was said last, and by nobody who has said nothing', async function () {
    this.timeout(120_000);
    const mesh = new VirtualMesh({ seed: 'advertise', agents: 2, beaconSecs: 21_600, pingSecs: 21_600 });
    await mesh.start();
    const [speaker, hearer] = [mesh.agent(0), mesh.agent(1)];
    await mesh.time.pass(HOUR);
    await mesh.time.until(speaker.client.advertise({ capabilities: ['translate'] }));
    await mesh.time.pass(HOUR);
    await mesh.time.until(speaker.client.advertise({ capabilities: ['proofread'] }));
    await mesh.time.pass(2.5 * DAY);
    const { frames } = await mesh.time.until(hearer.client.inboxPage({ limit: 200 }));
    const heard = frames.filter(({ msg_type }) => msg_type === 'ADVERTISE');
    assert.deepEqual(
      heard.map(({ payload }: any) => payload.capabilities),
      [['translate'], ...Array(3).fill(['proofread'])],
    );
    const times = heard.slice(2).map(({ timestamp }) => Date.parse(timestamp));
    // Jobs of a day come a tenth earlier or later, so that nodes that were started together do not speak together.
    for (const [index, time] of times.slice(1).entries())
      assert.ok(Math.abs(time - times[index]! - DAY) <= DAY / 10, `${time - times[index]!} ms after the one before`);
    const { frames: own } = await mesh.time.until(speaker.client.inboxPage({ limit: 200 }));
    assert.ok(!own.some(({ msg_type }) => msg_type === 'ADVERTISE'));
    await mesh.stop();
  });
});
