/** A whole node that writes everything down: `node-peer <adapter> <folder> <URL of its peer?>`. */
import { randomBytes } from 'node:crypto';
import { adapters } from '../../adapters/index.ts';
import { silentLog, startNode } from '../../core/index.ts';
import { Identity, Mesh } from '../../core/internal-services.ts';
import { Messaging } from '../../core/node/services/messaging.ts';
import { fromHex, toBase64, toHex } from '../../core/platform/bytes.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { codecOf } from '../../core/protocol/envelopes/payloads/codecs.ts';
import { formatAgentId } from '../../core/protocol/identity/ids.ts';
import { median } from '../framework/median.ts';
import { type Address, serve } from './work.ts';

const CONVERSATIONS = 64;
const ANY = 1_000_000;
/** With the key before it 300 bytes. */
const OPAQUE = toBase64(randomBytes(268));

const [adapter, folder, other] = process.argv.slice(2);
const node = await startNode({
  parts: { adapters, plugins: {} },
  log: silentLog,
  checkReplies: false,
  config: {
    value: {
      profile: 'node',
      listen: '127.0.0.1:0',
      dataDir: folder,
      network: { id: 'bench' },
      storage: { use: adapter },
      mesh: { hubs: other === undefined ? [] : [other], peerRate: ANY, senderRate: ANY, strangerInboxMiB: 4_096 },
      plugins: {},
    },
  },
});
const messages = node.get(Messaging);
const own: Address = { url: node.url, key: toHex(node.get(Identity).key) };
const conversations = Array.from({ length: CONVERSATIONS }, () => new Uint8Array(randomBytes(16)));
let sent = 0;

async function send({ key }: Address): Promise<void> {
  const recipient = fromHex(key, 32)!;
  const conversationId = conversations[sent % CONVERSATIONS]!;
  sent += 1;
  const body = codecOf('NOTARIZE_ASSIGN', 2).encode(
    { verifier: formatAgentId(recipient), opaque_b64: OPAQUE },
    recipient,
  );
  const { status } = await messages.send({ msgType: 'NOTARIZE_ASSIGN', recipient, conversationId, body });
  if (status !== 'delivered') throw new Error(`a message is ${status}`);
}

serve({
  async connect(to) {
    while (
      to &&
      !node
        .get(Mesh)
        .peers()
        .some(({ key }) => toHex(key) === to.key)
    )
      await systemClock.sleep(5);
    return own;
  },
  async stream(to, count) {
    const began = performance.now();
    let left = count;
    await Promise.all(
      conversations.map(async () => {
        while (left > 0) {
          left -= 1;
          await send(to);
        }
      }),
    );
    return performance.now() - began;
  },
  async roundTrip(to, count) {
    const times: number[] = [];
    for (let time = 0; time < count; time += 1) {
      const began = performance.now();
      await send(to);
      times.push((performance.now() - began) * 1_000);
    }
    return median(times);
  },
  async cpu() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
});
