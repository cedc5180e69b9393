import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BootError, bootNode, type RunningNode } from '../../host/boot/boot-node.ts';
import type { Configuration } from '../../host/config/configuration.ts';
import type { Adapters } from '../../host/wiring/adapters.ts';
import { composition } from '../../host/wiring/composition.ts';
import { DiskSpace } from '../../host/wiring/disk-provider.ts';
import { Blobs, Mesh, MeshListener, Store } from '../../internal-services.ts';
import { meshUrl } from '../../mesh/transport.ts';
import { silentLog } from '../../platform/log.ts';
import { describeProblem } from '../../platform/problem.ts';
import { definePlugin, socket, type Uses } from '../../plugin.ts';
import type { Provider } from '../../provider.ts';
import type { ClockReading } from './clock.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Milliseconds for the handshakes, and for a hub to dial back. */
const HANDSHAKES = 6_000;
const DIAL_BACK = 12_000;
const STEP = 50;

/** The door of a node and nothing else: hubs are dialled from it, and dial it back. */
const door = definePlugin({
  name: 'door',
  api: '2.0',
  node: {
    uses: { mesh: Mesh, listener: MeshListener },
    routes: { peer: socket('/mesh', { auth: 'open', summary: 'Where peers connect.' }) },
    setup: ({ mesh, listener }, { url }) => ({
      routes: { peer: (raw, { ip }) => listener.adopt(raw, ip) },
      ready: () => mesh.start(meshUrl(url())),
    }),
  },
});

export interface HubsLook {
  /** One finding for each hub that was dialled, by its mesh URL. */
  readonly hubs: ReadonlyMap<string, Finding>;
  /** Findings that belong to no single hub, such as whether the hubs can dial this node. */
  readonly findings: readonly Finding[];
  readonly clocks: readonly ClockReading[];
}

/**
 * Shakes hands with every hub and, where the node's address is free, has them dial its public URL. It does so under a key of
 * its own, which nobody has seen before: the node may be running, and must not be taken for its own twin.
 */
export async function lookAtHubs(
  { settings, folder }: Configuration,
  adapters: Adapters,
  isFree: boolean,
): Promise<HubsLook> {
  const { mesh, api, profile } = settings;
  const hubs = [...(profile === 'node' ? (mesh.aggregators ?? []) : []), ...(mesh.hubs ?? [])];
  if (hubs.length === 0) return { hubs: new Map(), findings: [nobodyDials(api.publicUrl)], clocks: [] };
  const dataDir = await mkdtemp(join(tmpdir(), 'agent-mesh-'));
  try {
    const node = await openDoor({ settings, folder }, dataDir, adapters, isFree);
    try {
      return await ask(node, api.publicUrl, isFree);
    } finally {
      await node.stop();
    }
  } catch (error) {
    if (!(error instanceof BootError)) throw error;
    const why = error.problems.map(describeProblem).join('; ');
    return { hubs: new Map(), findings: [fail('hubs', `they could not be dialled: ${why}`)], clocks: [] };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function openDoor(
  { settings, folder }: Pick<Configuration, 'settings' | 'folder'>,
  dataDir: string,
  adapters: Adapters,
  isFree: boolean,
): Promise<RunningNode> {
  const { listen, network, mesh, ledger, api } = settings;
  const value = {
    ...{ profile: 'node', listen: isFree ? listen : '127.0.0.1:0', dataDir, network, ledger },
    mesh: { ...mesh, relayServer: false },
    api: { ...(isFree && api.publicUrl !== undefined && { publicUrl: api.publicUrl }) },
  };
  const profiles = { node: [door], aggregator: [] };
  return bootNode({
    config: { value, folder },
    builtins: { profiles, plugins: {} },
    providers: (own) => withoutStore(composition({ adapters, plugins: {} }).common(own)),
    log: silentLog,
    grace: 500,
  });
}

/** Nothing of the node's own is opened: neither its store and folders, nor the services that stand on them. */
function withoutStore(providers: readonly Provider[]): Provider[] {
  const left = new Set([Store, Blobs, DiskSpace].map(({ key }) => key));
  const isLeft = ({ token, uses }: Provider) =>
    left.has(token.key) || Object.values((uses ?? {}) as Uses).some((used) => 'key' in used && left.has(used.key));
  for (let more = true; more; ) {
    const known = left.size;
    for (const provider of providers) if (isLeft(provider)) left.add(provider.token.key);
    more = left.size > known;
  }
  return providers.filter(({ token }) => !left.has(token.key));
}

async function ask(node: RunningNode, publicUrl: string | undefined, isFree: boolean): Promise<HubsLook> {
  const mesh = node.get(Mesh);
  await until(HANDSHAKES, () => mesh.hubs().every(({ connected, why }) => connected || why !== undefined));
  const remedy = 'see that it runs, that this machine can reach it, and that it is of the same network.id';
  const hubs = mesh.hubs().map(({ url, connected, why = 'it does not answer' }): [string, Finding] => {
    return [url, connected ? ok('hub', `${url} shook hands`) : fail('hub', `${url} is not reached: ${why}`, remedy)];
  });
  const isMet = mesh.hubs().some(({ connected }) => connected);
  const findings = publicUrl === undefined ? [] : [await reached(publicUrl, isMet && isFree, isMet, mesh)];
  const offset = mesh.clockOffset();
  return { hubs: new Map(hubs), findings, clocks: offset === undefined ? [] : [{ of: 'its hubs', ahead: offset }] };
}

async function reached(url: string, canAsk: boolean, isMet: boolean, mesh: Mesh): Promise<Finding> {
  if (!canAsk) {
    const why = isMet ? 'something listens at its address already' : 'no hub is there to dial it';
    return warn('public url', `${url} was not tried from outside: ${why}`, isMet ? RUNNING : undefined);
  }
  await until(DIAL_BACK, () => mesh.reachability() !== 'unknown');
  const state = mesh.reachability();
  if (state === 'reachable') return ok('public url', `a hub reached ${url} from outside`);
  if (state === 'unknown') return warn('public url', `no hub has tried ${url} yet`, 'ask again in half a minute');
  const remedy = 'check the name, the port forwarding, and that the proxy in front passes WebSocket upgrades of /mesh';
  return fail('public url', `no hub reaches ${url} from outside`, remedy);
}

const RUNNING = 'mesh_reachable at /metrics of the running node says what its hubs found';

function nobodyDials(publicUrl: string | undefined): Finding {
  if (publicUrl === undefined) return ok('hubs', 'none is configured');
  return warn('public url', `${publicUrl} was not tried from outside: no hub is configured that could dial it`);
}

async function until(ms: number, isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + ms; !isSo() && performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, STEP));
  }
}
