/** `phase <rounds> <messages> <round trips>`: three peers of each kind; every figure in turns, the median of each side. */
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { median } from '../framework/median.ts';
import { ready } from '../framework/ready.ts';
import { scriptFile } from '../framework/script.ts';
import { warmUp } from '../framework/warm.ts';
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

/** Rounds of each work in which code is compiled. */
const WARM_UP = { least: 2, most: 4 };
/** The others do nothing that these do not do. */
const WARMING = ['signed_rate', 'opaque_rate', 'opaque_round_trip', 'relayed_rate'];

/** A hub, a receiver that is reached over it, and a sender connected to the hub. */
async function trio(start: (...args: string[]) => Promise<Asked>): Promise<Trio> {
  const hub = await start('1', 'hub');
  const direct = await hub.ask('connect', undefined);
  const [receiver, sender] = await Promise.all([start('2', 'leaf', direct.url), start('3', 'leaf', direct.url)]);
  const relayed = await receiver.ask('connect', direct);
  await sender.ask('connect', direct);
  return { peers: [hub, receiver, sender], sender, direct, relayed };
}

const [ours, libp2p] = await Promise.all([
  trio((...args) => Asked.start(scriptFile('wire/mesh-peer.js'), args)),
  trio((...args) => Asked.start(join(packageRoot, 'bench/wire/libp2p-peer.js'), [scriptFile('wire'), ...args])),
]);
const sides: Readonly<Record<Side, Trio>> = { ours, libp2p };

type Work = (side: Side) => Promise<{ value: number; count: number }>;

const SIDES = ['ours', 'libp2p'] as const;

/** So many times the messages asked for that both sides need about as long. */
const streamed =
  (route: 'direct' | 'relayed', signed: boolean, times: Readonly<Record<Side, number>>): Work =>
  async (side) => {
    const count = Math.round(times[side] * messages);
    const { sender, [route]: to } = sides[side];
    return { value: (count * 1_000) / (await sender.ask('stream', to, count, signed)), count };
  };
const answered =
  (route: 'direct' | 'relayed', signed: boolean): Work =>
  async (side) => {
    const { sender, [route]: to } = sides[side];
    return { value: await sender.ask('roundTrip', to, trips, signed), count: trips };
  };

const works: Readonly<Record<string, Work>> = {
  signed_rate: streamed('direct', true, { ours: 1, libp2p: 1 }),
  opaque_rate: streamed('direct', false, { ours: 15, libp2p: 2 }),
  signed_round_trip: answered('direct', true),
  opaque_round_trip: answered('direct', false),
  relayed_rate: streamed('relayed', false, { ours: 8, libp2p: 0.6 }),
  relayed_signed_rate: streamed('relayed', true, { ours: 0.8, libp2p: 0.4 }),
  relayed_round_trip: answered('relayed', false),
};

async function cpuOf({ peers }: Trio): Promise<number> {
  const each = await Promise.all(peers.map((peer) => peer.ask('cpu')));
  return each.reduce((sum, cpu) => sum + cpu, 0);
}

async function measured(work: Work, side: Side): Promise<{ value: number; cpu: number }> {
  const before = await cpuOf(sides[side]);
  const { value, count } = await work(side);
  return { value, cpu: ((await cpuOf(sides[side])) - before) / count };
}

const only = process.env['BENCH_WIRE_ONLY']?.split(',');
const chosen = Object.entries(works).filter(([name]) => only?.includes(name) ?? true);
for (const [name, work] of chosen) {
  if (!WARMING.includes(name) && !only) continue;
  const turns = SIDES.map((side) => async () => 1 / (await measured(work, side)).cpu);
  await warmUp(turns, WARM_UP);
}
await ready();
const found: Record<string, Record<Side, { value: number; cpu: number }[]>> = {};
for (let round = 0; round < rounds; round += 1) {
  for (const [name, work] of chosen) {
    found[name] ??= { ours: [], libp2p: [] };
    for (const side of SIDES) found[name][side].push(await measured(work, side));
  }
}

const middle = (of: { value: number; cpu: number }[]) => ({
  value: median(of.map(({ value }) => value)),
  cpu: median(of.map(({ cpu }) => cpu)),
});
const medians: Measured = Object.fromEntries(
  Object.entries(found).map(([name, { ours, libp2p }]) => [name, { ours: middle(ours), libp2p: middle(libp2p) }]),
);
console.log(JSON.stringify(medians));
for (const { peers } of Object.values(sides)) for (const peer of peers) peer.close();
