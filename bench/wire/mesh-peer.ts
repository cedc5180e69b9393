/** A peer of our mesh: `mesh-peer <seed> <hub?> <url of its hub?>`. */
import { createWsTransport } from '../../adapters/mesh-ws/ws-transport.ts';
import { certifierOf } from '../../core/host/wiring/certifier.ts';
import { createMesh } from '../../core/mesh/mesh.ts';
import { fromHex, toHex } from '../../core/platform/bytes.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { median } from '../framework/median.ts';
import { Letters, OPAQUE } from './letters.ts';
import { type Address, PER_TURN, serve, UNANSWERED } from './work.ts';

/** What a hub lets through is no question of speed. */
const ANY = 1e9;

const [seed, role, hub] = process.argv.slice(2);
const letters = new Letters(Number(seed));
const transport = createWsTransport();
const own: Address = { url: await transport.listen(), key: toHex(letters.identity.key) };
const id = new Uint8Array(32);
const mesh = createMesh({
  certifier: certifierOf(letters.identity, letters.network),
  network: letters.network.id,
  transports: [transport],
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  name: `peer ${seed}`,
  hub: role === 'hub',
  hubs: hub === undefined ? [] : [{ url: hub }],
  limits: { envelopeRate: ANY, byteRate: ANY, relayByteRate: ANY },
  envelopes: { view: () => undefined },
  onEnvelope: async (envelope) =>
    envelope[0] === OPAQUE[0] || (await letters.judge(envelope)) ? 'accepted' : 'invalid',
});
mesh.start();

async function send(to: Uint8Array, signed: boolean): Promise<void> {
  const sent = await mesh.deliver(to, signed ? letters.write(to) : OPAQUE, id);
  if (sent.outcome !== 'acked' || sent.reason !== 'accepted') throw new Error(JSON.stringify(sent));
}

function keyOf(address: Address): Uint8Array {
  return fromHex(address.key, 32)!;
}

serve({
  async connect(to) {
    const key = to && keyOf(to);
    while (key && !mesh.peers().some((peer) => toHex(peer.key) === to.key)) await systemClock.sleep(5);
    return own;
  },
  stream(to, count, signed) {
    const key = keyOf(to);
    const began = performance.now();
    let sent = 0;
    let answered = 0;
    let scheduled = false;
    return new Promise((resolve, reject) => {
      function answer(): void {
        answered += 1;
        if (answered === count) resolve(performance.now() - began);
        else schedule();
      }
      function schedule(): void {
        if (scheduled || sent === count || sent - answered >= UNANSWERED) return;
        scheduled = true;
        setImmediate(turn);
      }
      function turn(): void {
        scheduled = false;
        for (let some = 0; some < PER_TURN && sent < count && sent - answered < UNANSWERED; some += 1) {
          sent += 1;
          send(key, signed).then(answer, reject);
        }
        schedule();
      }
      turn();
    });
  },
  async roundTrip(to, count, signed) {
    const key = keyOf(to);
    const times: number[] = [];
    for (let time = 0; time < count; time += 1) {
      const began = performance.now();
      await send(key, signed);
      times.push((performance.now() - began) * 1_000);
    }
    return median(times);
  },
  async cpu() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
});
