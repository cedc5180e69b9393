/** `nodes <folder> <rounds> <messages> <round trips>`: two whole nodes on each adapter, in turns. */
import { join } from 'node:path';
import { median } from '../framework/median.ts';
import { Asked } from './asked.ts';

/** Medians: envelopes per second, microseconds from a send to its acknowledgement, and of CPU of both nodes per envelope. */
export type Delivered = Readonly<
  Record<string, { readonly rate: number; readonly trip: number; readonly cpu: number }>
>;

const [folder, ...numbers] = process.argv.slice(2) as [string, ...string[]];
const [rounds, messages, trips] = numbers.map(Number) as [number, number, number];
const script = join(import.meta.dirname, 'node-peer.js');

async function pair(adapter: string) {
  const receiver = await Asked.start(script, [adapter, join(folder, `${adapter}-1`)]);
  const to = await receiver.ask('connect', undefined);
  const sender = await Asked.start(script, [adapter, join(folder, `${adapter}-2`), to.url]);
  await sender.ask('connect', to);
  const cpu = async () => (await receiver.ask('cpu')) + (await sender.ask('cpu'));
  return { receiver, sender, to, cpu };
}

const pairs = { memory: await pair('memory'), lowdb: await pair('lowdb') };
const found: Record<string, { rate: number[]; trip: number[]; cpu: number[] }> = {};
for (let round = 0; round <= rounds; round += 1) {
  for (const [adapter, { sender, to, cpu }] of Object.entries(pairs)) {
    found[adapter] ??= { rate: [], trip: [], cpu: [] };
    const before = await cpu();
    const rate = (messages * 1_000) / (await sender.ask('stream', to, messages, true));
    const used = ((await cpu()) - before) / messages;
    const trip = await sender.ask('roundTrip', to, trips, true);
    if (round === 0) continue;
    found[adapter].rate.push(rate);
    found[adapter].cpu.push(used);
    found[adapter].trip.push(trip);
  }
}
const delivered: Delivered = Object.fromEntries(
  Object.entries(found).map(([adapter, { rate, trip, cpu }]) => [
    adapter,
    { rate: median(rate), trip: median(trip), cpu: median(cpu) },
  ]),
);
console.log(JSON.stringify(delivered));
for (const { receiver, sender } of Object.values(pairs)) {
  sender.close();
  receiver.close();
}
