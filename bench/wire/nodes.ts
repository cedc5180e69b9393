/** `nodes <folder> <rounds> <messages> <round trips>`: two whole nodes on each adapter, in turns. */
import { join } from 'node:path';
import { median } from '../framework/median.ts';
import { ready } from '../framework/ready.ts';
import { scriptFile } from '../framework/script.ts';
import { warmUp } from '../framework/warm.ts';
import { Asked } from './asked.ts';

/** Medians: envelopes per second, microseconds from a send to its acknowledgement, and of CPU of both nodes per envelope. */
export type Delivered = Readonly<
  Record<string, { readonly rate: number; readonly trip: number; readonly cpu: number }>
>;

const [folder, ...numbers] = process.argv.slice(2) as [string, ...string[]];
const [rounds, messages, trips] = numbers.map(Number) as [number, number, number];
/** Rounds in which code is compiled, and messages in one. */
const WARM_UP = { least: 4, most: 8 };
const WARM_MESSAGES = 200;
const script = scriptFile('wire/node-peer.js');

async function pair(adapter: string) {
  const receiver = await Asked.start(script, [adapter, join(folder, `${adapter}-1`)]);
  const to = await receiver.ask('connect', undefined);
  const sender = await Asked.start(script, [adapter, join(folder, `${adapter}-2`), to.url]);
  await sender.ask('connect', to);
  const cpu = async () => (await receiver.ask('cpu')) + (await sender.ask('cpu'));
  return { receiver, sender, to, cpu };
}

const [memory, lowdb] = await Promise.all([pair('memory'), pair('lowdb')]);
const pairs = { memory, lowdb };

const turns = Object.values(pairs).map(({ sender, to, cpu }) => async () => {
  const before = await cpu();
  await sender.ask('stream', to, WARM_MESSAGES, true);
  return 1 / ((await cpu()) - before);
});
await warmUp(turns, WARM_UP);
await ready();
const found: Record<string, { rate: number[]; trip: number[]; cpu: number[] }> = {};
for (let round = 0; round < rounds; round += 1) {
  for (const [adapter, { sender, to, cpu }] of Object.entries(pairs)) {
    found[adapter] ??= { rate: [], trip: [], cpu: [] };
    const before = await cpu();
    found[adapter].rate.push((messages * 1_000) / (await sender.ask('stream', to, messages, true)));
    found[adapter].cpu.push(((await cpu()) - before) / messages);
    found[adapter].trip.push(await sender.ask('roundTrip', to, trips, true));
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
