import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { certifierOf } from '../../core/host/wiring/certifier.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { newConversation, type TestAgent } from '../aggregator/support/agent.ts';
import { RawPeer } from '../mesh/raw-peer.ts';
import { delivered } from '../support/deals.ts';
import { network, Stranger } from '../support/stranger.ts';
import { garbage, together } from './support/hands.ts';
import { isBounded, Target } from './support/target.ts';

const HANDS = 20;
/** Hostile actions that an honest call may have to wait for, for each attacker at work. */
const TURNS = 10;
/** Envelopes a second that a node takes of one key, and as many seconds' worth at once. */
const SENDER_RATE = 100;
const BURST_SECONDS = 2;

describe('a mesh among hostile peers', function () {
  this.timeout(120_000);
  let target: Target;

  before(async () => {
    target = await Target.start();
  });
  after(() => target.stop());

  /** A peer with a key of its own and a proven session, that can say anything. */
  async function insider(url: string): Promise<RawPeer> {
    const peer = await RawPeer.connect(url.replace(/^http/, 'ws'));
    return peer.open({ certifier: certifierOf(identityFromSeed(randomBytes(32)), network), network: network.id });
  }

  /** Deals of honest agents, one after the other, until the attack is over. */
  async function settledDuring(attack: Promise<unknown>): Promise<number> {
    const { alice, bob } = target.mesh.nodes;
    let over = false;
    const end = attack.finally(() => {
      over = true;
    });
    // Reported at the end, when the honest deals are over too.
    end.catch(() => {});
    let settled = 0;
    do {
      const conversation = await delivered(alice, bob, { amount_usdc: '0' });
      await alice.dealWhen(conversation, 'settled');
      settled += 1;
    } while (!over && settled < 20);
    await end;
    return settled;
  }

  it('circuits asked for in the name of somebody else: the session ends, is counted, and nobody hears of it', async () => {
    const counted = /mesh_faults\{fault="frame"\}/;
    const { alice, bob } = target.mesh.nodes;
    const [from, to] = [parseAgentId(alice.id)!, parseAgentId(bob.id)!];
    const [hash, before] = [target.hash, await target.counted(counted)];
    const weathered = await target.weather({
      hands: HANDS,
      async run(done) {
        await together(HANDS, 100, async () => {
          const peer = await insider(target.mesh.aggregatorNode.url);
          peer.say({ type: 'circuit-open', circuit: 1, from, to });
          await peer.closed();
          assert.match(peer.reason!, /in the name of another/);
          await peer.close();
          done();
        });
      },
    });
    assert.equal((await target.counted(counted)) - before, 100);
    assert.equal(await target.counted(/^mesh_relay_circuits /), 0);
    assert.equal(target.hash, hash);
    assert.ok(weathered.waited <= TURNS * HANDS, `an honest call waited for ${weathered.waited} hostile ones`);
    assert.ok(isBounded(weathered), `the process grew by ${weathered.grown >> 20} MiB`);
  });

  it('handshakes of others played back by the hundred: none becomes a session, each is counted', async () => {
    const counted = /mesh_faults\{fault="handshake"\}/;
    const opened = /^mesh_sessions_opened /;
    const { url } = target.mesh.nodes.alice.node;
    const recorded = await insider(url);
    const hash = target.hash;
    const [faults, sessions] = [await target.counted(counted), await target.counted(opened)];
    const weathered = await target.weather({
      hands: HANDS,
      async run(done) {
        await together(HANDS, 300, async () => {
          const replay = await RawPeer.connect(url.replace(/^http/, 'ws'));
          for (const message of recorded.shaken) replay.link.send(message);
          await replay.closed();
          assert.equal(replay.reason, 'handshake failed');
          await replay.close();
          done();
        });
      },
    });
    await recorded.close();
    assert.equal((await target.counted(counted)) - faults, 300);
    assert.equal(await target.counted(opened), sessions);
    assert.equal(target.hash, hash);
    assert.ok(weathered.waited <= TURNS * HANDS, `an honest call waited for ${weathered.waited} hostile ones`);
    assert.ok(isBounded(weathered), `the process grew by ${weathered.grown >> 20} MiB`);
  });

  it('valid envelopes of one key without end: taken at the rate of one sender, and others trade meanwhile', async () => {
    const taken = /mesh_envelopes_taken_total\{msg_type="PROPOSE"\}/;
    const refused = /mesh_envelopes_refused_total\{reason="rate-limited"\}|^mesh_rate_limited /;
    const { bob } = target.mesh.nodes;
    const attacker = await Stranger.start('spammer', [bob]);
    const [proposals, before] = [await target.counted(taken), await target.counted(refused)];
    const to = { identity: { key: parseAgentId(bob.id)! } } as TestAgent;
    const payload = { amount_usdc_micro: 0n, message: 'Buy this. '.repeat(20), max_rounds: 2 };
    const answers = new Map<string, number>();
    const begin = performance.now();
    const flood = together(500, 4_000, async () => {
      const answer = await attacker.send(
        bob,
        attacker.sign('PROPOSE', { to, conversation: newConversation(), payload }),
      );
      const name = answer.outcome === 'acked' ? answer.reason : answer.outcome;
      answers.set(name, (answers.get(name) ?? 0) + 1);
    });
    const settled = await settledDuring(flood);
    const seconds = (performance.now() - begin) / 1_000;
    const accepted = answers.get('accepted') ?? 0;
    const most = SENDER_RATE * (BURST_SECONDS + seconds);
    assert.ok(accepted >= SENDER_RATE && accepted <= most, `${accepted} of one key in ${seconds} s`);
    assert.equal((await target.counted(taken)) - proposals, accepted + settled);
    assert.equal(answers.get('rate-limited'), 4_000 - accepted);
    assert.ok((await target.counted(refused)) - before >= 4_000 - accepted);
    await attacker.stop();
  });

  it('floods of envelopes and questions of proven peers are limited, and a deal goes through meanwhile', async () => {
    const { alice, bob } = target.mesh.nodes;
    const hub = target.mesh.aggregatorNode.url;
    const attackers: (Stranger & TestAgent)[] = await Promise.all(
      ['mallory', 'marvin'].map((name) => Stranger.start(name, [alice, bob], { hub })),
    );
    const flood = together(2 * HANDS, 6_000, async (index) => {
      const attacker = attackers[index % 2]!;
      if (index % 3 === 0) await attacker.locate(garbage(32));
      else await attacker.send(index % 2 ? alice : bob, garbage(300));
    });
    await settledDuring(flood);
    assert.ok((await target.counted(/mesh_envelopes_refused_total\{reason="invalid"\}/)) > 500);
    for (const attacker of attackers) await attacker.stop();
  });
});
