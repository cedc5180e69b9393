/** `phase <rounds> <messages> <round trips>`: three peers of each kind; every figure in turns, the median of each side. */
import { join } from 'node:path';
import { packageRoot } from '../../core/package-root.ts';
import { median } from '../framework/median.ts';
import { Asked } from './asked.ts';
import type { Address } from './work.ts';

/** Per figure and side: messages per second with the CPU of all three processes per message, or microseconds. */
export type Measured = Readonly<
  Record<string, Readonly<Record<Side, { readonly value: number; readonly cpu: number }>>>
>;
type Side = 'ours' | 'libp2p';

interface Trio {
  readonly peers: readonly Asked[];
  readonly sender: Asked;
  readonly direct: Address;
  readonly relayed: Address;
}

const [rounds, messages, trips] = process.argv.slice(2).map(Number) as [number, number, number];

/** A hub, a receiver that is reached over it, and a sender connected to the hub. */
async function trio(start: (...args: string[]) => Promise<Asked>): Promise<Trio> {
  const hub = await start('1', 'hub');
  const direct = await hub.ask('connect', undefined);
  const receiver = await start('2', 'leaf', direct.url);
  const relayed = await receiver.ask('connect', direct);
  const sender = await start('3', 'leaf', direct.url);
  await sender.ask('connect', direct);
  return { peers: [hub, receiver, sender], sender, direct, relayed };
}

const here = import.meta.dirname;
const sides: Readonly<Record<Side, Trio>> = {
  ours: await trio((...args) => Asked.start(join(here, 'mesh-peer.js'), args)),
  libp2p: await trio((...args) => Asked.start(join(packageRoot, 'bench/wire/libp2p-peer.js'), [here, ...args])),
};

type Work = (trio: Trio) => Promise<{ value: number; count: number }>;
const streamed =
  (route: 'direct' | 'relayed', signed: boolean, count: number): Work =>
  async (side) => ({ value: (count * 1_000) / (await side.sender.ask('stream', side[route], count, signed)), count });
const answered =
  (route: 'direct' | 'relayed', signed: boolean): Work =>
  async (side) => ({ value: await side.sender.ask('roundTrip', side[route], trips, signed), count: trips });

const works: Readonly<Record<string, Work>> = {
  signed_rate: streamed('direct', true, messages),
  opaque_rate: streamed('direct', false, 4 * messages),
  signed_round_trip: answered('direct', true),
  opaque_round_trip: answered('direct', false),
  relayed_rate: streamed('relayed', false, 2 * messages),
  relayed_signed_rate: streamed('relayed', true, messages),
  relayed_round_trip: answered('relayed', false),
};

async function cpuOf({ peers }: Trio): Promise<number> {
  const each = await Promise.all(peers.map((peer) => peer.ask('cpu')));
  return each.reduce((sum, cpu) => sum + cpu, 0);
}

const chosen = process.env['BENCH_WIRE_ONLY']?.split(',');
const found: Record<string, Record<Side, { value: number; cpu: number }[]>> = {};
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, work] of Object.entries(works)) {
    if (chosen && !chosen.includes(name)) continue;
    found[name] ??= { ours: [], libp2p: [] };
    for (const side of ['ours', 'libp2p'] as const) {
      const before = await cpuOf(sides[side]);
      const { value, count } = await work(sides[side]);
      const cpu = ((await cpuOf(sides[side])) - before) / count;
      if (round > 0) found[name][side].push({ value, cpu });
    }
  }
}

const middle = (of: { value: number; cpu: number }[]) => ({
  value: median(of.map(({ value }) => value)),
  cpu: median(of.map(({ cpu }) => cpu)),
});
const measured: Measured = Object.fromEntries(
  Object.entries(found).map(([name, { ours, libp2p }]) => [name, { ours: middle(ours), libp2p: middle(libp2p) }]),
);
console.log(JSON.stringify(measured));
for (const { peers } of Object.values(sides)) for (const peer of peers) peer.close();
