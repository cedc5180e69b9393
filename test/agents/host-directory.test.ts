import assert from 'node:assert/strict';
import { Verifier } from '../../core/messaging/verification/verifier.ts';
import { HostDirectory } from '../../core/node/agents/host-directory.ts';
import { toBase64 } from '../../core/platform/bytes.ts';
import type { BeaconPayload } from '../../core/protocol/envelopes/payloads/payloads.ts';
import { formatAgentId } from '../../core/protocol/identity/ids.ts';
import { identityOf, network } from '../messaging/support.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { nodeSpace } from '../support/space.ts';

type Claim = NonNullable<BeaconPayload['hosted']>[number];

const DAY = 86_400;
const [inn, thief, ann, ben] = [identityOf('inn'), identityOf('thief'), identityOf('ann'), identityOf('ben')];

/** The claim of an agent that a host acts for it, signed by `signer`. */
function claim(agent: typeof ann, host: typeof inn, not_after: number, signer = agent): Claim {
  const fields = { host_key: host.key, recovery_key: agent.key, not_after };
  const signature = signer.signDomain('host/1', network, fields);
  const { address } = agent;
  return { agent_id: address, recovery_key: address, not_after, signature_b64: toBase64(signature) };
}

describe('which node acts for an agent', () => {
  const clock = new BriskClock();
  const soon = Math.floor(clock.now() / 1_000) + 30 * DAY;
  const beacon = (...hosted: Claim[]): BeaconPayload => ({ name: 'inn', hubs: [], hosted });
  let directory: HostDirectory;
  beforeEach(async () => {
    directory = new HostDirectory({ space: await nodeSpace(clock), network, verifier: new Verifier(), clock });
  });

  async function hostOf(agent: typeof ann): Promise<string | undefined> {
    const host = await directory.hostOf(agent.key);
    return host && formatAgentId(host);
  }

  it('is known when both have signed it', async () => {
    assert.equal(await hostOf(ann), undefined);
    assert.deepEqual(await directory.heard(inn.address, beacon(claim(ann, inn, soon))), [ann.address]);
    assert.equal(await hostOf(ann), inn.address);
    assert.deepEqual(await directory.agentsOf(inn.address), [ann.address]);
    assert.deepEqual(await directory.heard(inn.address, beacon(claim(ann, inn, soon))), [], 'nothing new');
  });

  it('is nobody’s word alone', async () => {
    const forged = [
      claim(ann, thief, soon, thief),
      claim(ben, inn, soon),
      { ...claim(ann, inn, soon), not_after: soon + 1 },
    ];
    assert.deepEqual(await directory.heard(thief.address, beacon(...forged)), []);
    assert.equal(await hostOf(ann), undefined);
    assert.equal(await hostOf(ben), undefined);
  });

  it('is the first one, as long as its claim holds; then another', async () => {
    await directory.heard(inn.address, beacon(claim(ann, inn, soon)));
    await directory.heard(thief.address, beacon(claim(ann, thief, soon + DAY)));
    assert.equal(await hostOf(ann), inn.address);
    clock.shift(31 * DAY * 1_000);
    assert.equal(await hostOf(ann), undefined);
    await directory.heard(thief.address, beacon(claim(ann, thief, soon + 60 * DAY)));
    assert.equal(await hostOf(ann), thief.address);
  });

  /** A succession of ann's, signed by ann and the key that goes on for it. */
  function succession(old: typeof ann, next: typeof ann, time: number) {
    const fields = { old_key: old.key, new_key: next.key, time };
    const by = (signer: typeof ann) => toBase64(signer.signDomain('succession/1', network, fields));
    return {
      ...{ agent_id: old.address, successor: next.address, time },
      ...{ signature_b64: by(old), accepted_b64: by(next) },
    };
  }

  const later = () => Math.floor(clock.now() / 1_000) + 30 * DAY;

  it('is closed to a key that was replaced; its last words in deals are taken for an hour', async () => {
    await directory.heard(inn.address, beacon(claim(ann, inn, later())));
    const time = Math.floor(clock.now() / 1_000);
    const [before, after] = [(time - 1) * 1_000_000, time * 1_000_000];
    assert.equal(await directory.isClosed(ann.address, 'MESSAGE', after), false);
    const moved = succession(ann, ben, time);
    assert.deepEqual(await directory.heardSuccessions(thief.address, { name: '', hubs: [], successions: [moved] }), [
      moved,
    ]);
    assert.equal(await directory.isClosed(ann.address, 'DELIVER', before), false);
    assert.equal(await directory.isClosed(ann.address, 'DELIVER', after), true);
    assert.equal(await directory.isClosed(ann.address, 'PROPOSE', before), true);
    assert.equal(await directory.isClosed(ann.address, 'MESSAGE', before), true);
    clock.shift(3_600_000);
    assert.equal(await directory.isClosed(ann.address, 'DELIVER', before), true);
  });

  it('forgets claims that nobody tells any more before a key that was replaced, and of those the oldest', async () => {
    const small = { space: await nodeSpace(clock), network, verifier: new Verifier(), clock, most: 3 };
    directory = new HostDirectory(small);
    const old = Array.from({ length: 5 }, (_, index) => identityOf(`old ${index}`));
    const time = Math.floor(clock.now() / 1_000);
    await directory.heard(inn.address, beacon(claim(old[0]!, inn, later())));
    const terms = (agent: typeof ann) => ({ host: inn.address, recovery_key: agent.address, not_after: later() });
    await directory.succeeded(succession(old[0]!, ben, time), terms(old[0]!));
    for (let index = 0; index < 5; index += 1) {
      clock.shift(1_000);
      await directory.heard(inn.address, beacon(claim(identityOf(`guest ${index}`), inn, later())));
    }
    assert.equal(await directory.successorOf(old[0]!.address), ben.address);
    assert.equal((await directory.agentsOf(inn.address)).length, 4, 'three claims and the key that was replaced');
    for (const agent of old.slice(1)) {
      clock.shift(1_000);
      await directory.succeeded(succession(agent, identityOf(`next of ${agent.address}`), time), terms(agent));
    }
    assert.equal(await directory.successorOf(old[0]!.address), undefined);
    assert.equal((await directory.agentsOf(inn.address)).length, 6);
  });

  it('is verified 2,048 times at once for one host, and 256 times an hour from then on', async () => {
    const later = Math.floor(clock.now() / 1_000) + 30 * DAY;
    const many = Array.from({ length: 128 }, (_, index) => claim(identityOf(`guest ${index}`), inn, later));
    for (let round = 0; round < 16; round += 1) {
      const wrong = many.map((one) => ({ ...one, not_after: later + 1 + round }));
      assert.deepEqual(await directory.heard(inn.address, beacon(...wrong)), []);
    }
    assert.deepEqual(await directory.heard(inn.address, beacon(many[0]!)), []);
    clock.shift(3_600_000);
    assert.deepEqual(await directory.heard(inn.address, beacon(many[0]!)), [many[0]!.agent_id]);
  });
});
