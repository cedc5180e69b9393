/** `phase <newcomers>`: a node on a real socket, newcomers and silent sockets, all in this process. */
import { randomBytes } from 'node:crypto';
import { WebSocket } from 'ws';
import { createWsTransport } from '../../adapters/mesh-ws/ws-transport.ts';
import { certifierOf } from '../../core/host/wiring/certifier.ts';
import { LEAF_LIMITS } from '../../core/mesh/limits.ts';
import { createMesh } from '../../core/mesh/mesh.ts';
import type { HubAddress } from '../../core/mesh/mesh-contract.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { ready } from '../framework/ready.ts';

/** Sessions a second, and newcomers that had none within two seconds. */
export interface Welcomed {
  readonly quiet: number;
  readonly attacked: number;
  readonly refused: number;
}

const ATTACKERS = ['127.0.0.2', '127.0.0.3'];
/** How soon a silent socket that was closed comes again. */
const AGAIN = 20;
const PATIENCE = 2_000;
const WARM_UP = 50;

const network = defineNetwork({ name: 'bench' });
const count = Number(process.argv[2]);
const silent = new Set<WebSocket>();

function peer(hubs: readonly HubAddress[] = []) {
  const transport = createWsTransport();
  const mesh = createMesh({
    certifier: certifierOf(identityFromSeed(randomBytes(32)), network),
    network: network.id,
    transports: [transport],
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    name: 'peer',
    hub: false,
    hubs,
    limits: { maxBackoffMs: LEAF_LIMITS.backoffMs },
    envelopes: { view: () => undefined },
    onEnvelope: async () => 'invalid',
  });
  return { transport, mesh };
}

const node = peer();
const url = await node.transport.listen();
node.mesh.start();

/** Whether one more newcomer has a session within the time it waits. */
async function come(): Promise<boolean> {
  const { mesh } = peer([{ url }]);
  const opened = await new Promise<boolean>((resolve) => {
    const late = setTimeout(() => resolve(false), PATIENCE);
    mesh.watch({
      peerUp() {
        clearTimeout(late);
        resolve(true);
      },
    });
    mesh.start();
  });
  await mesh.close();
  return opened;
}

async function welcome(newcomers: number): Promise<{ rate: number; refused: number }> {
  const began = performance.now();
  let opened = 0;
  for (let index = 0; index < newcomers; index += 1) if (await come()) opened += 1;
  return { rate: (1_000 * opened) / (performance.now() - began), refused: newcomers - opened };
}

function wait(localAddress: string): void {
  const socket = new WebSocket(url, { localAddress });
  silent.add(socket);
  socket.on('error', () => {});
  socket.once('close', () => {
    silent.delete(socket);
    setTimeout(() => wait(localAddress), AGAIN);
  });
}

await welcome(WARM_UP);
await ready();
const quiet = await welcome(count);
for (const address of ATTACKERS) for (let index = 0; index < LEAF_LIMITS.handshakes / 2; index += 1) wait(address);
while (node.mesh.stats().handshakes < LEAF_LIMITS.handshakes) await systemClock.sleep(5);
const attacked = await welcome(count);
process.stdout.write(
  JSON.stringify({ quiet: quiet.rate, attacked: attacked.rate, refused: attacked.refused } satisfies Welcomed),
);
process.exit();
