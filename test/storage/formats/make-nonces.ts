import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * Writes what an aggregator of another checkout keeps of a deal and two BEACONs on 1 January 2026, and all that was reported:
 *
 *     node --import ts-blank-space/register test/storage/formats/make-nonces.ts CHECKOUT FOLDER
 */
const [, , checkout, folder] = process.argv;
const from = (file: string) => import(pathToFileURL(resolve(checkout!, file)).href);
const { lowdbStorage } = await from('adapters/storage-lowdb/index.ts');
const { openStore } = await from('core/storage/store.ts');
const { createIngest } = await from('core/aggregator/ingest/ingest.ts');
const { epochsOf } = await from('core/aggregator/epochs.ts');
const { Verifier } = await from('core/messaging/verification/verifier.ts');
const { loadContracts } = await from('core/contracts/contracts.ts');
const { silentLog } = await from('core/platform/log.ts');
const { systemRandom } = await from('core/platform/system-clock.ts');
const { network, signDeal, TestAgent } = await from('test/aggregator/support/agent.ts');
const { StillClock } = await from('test/aggregator/support/still-clock.ts');

const clock = new StillClock(Date.UTC(2026, 0, 1, 12));
const contracts = loadContracts();
const validate = (schema: string, value: unknown) => contracts.problems(schema, value);
const adapter = lowdbStorage({ dir: join(folder!, 'store'), clock });
const store = await openStore(adapter, { validate, clock, random: systemRandom });
const nothing = () => {};
const verifier = new Verifier();
const ingest = createIngest({
  ...{ space: store.space('aggregator'), network, epochs: epochsOf(network), verifier, clock, log: silentLog },
  handling: { keeps: () => false, keep: nothing, recorded: nothing },
  limits: { newKeysPerHour: 100, newKeysPerHourInAll: 100, itemsPerKeyPerMinute: 100 },
  ...{ counted: nothing, putOff: nothing, recorded: nothing, dropped: nothing },
});
const [ann, bob] = ['ann', 'bob'].map((name) => new TestAgent(name, () => clock.now()));
const deal = signDeal(ann, bob);
const said = [ann.beacon('ann'), ann.beacon('ann'), deal.propose, deal.accept, deal.deliver];
const twin = ann.sign('BEACON', { payload: { name: 'twin', hubs: [] }, nonce: said[0].envelope.nonce });
const told = [...said, ann.feedback(bob, deal.conversation, 80), bob.feedback(ann, deal.conversation, 60), twin];
const items = told.map(({ whole }) => whole.envelope_b64 as string);
const results = await ingest(
  items.map((text) => ({ kind: 'envelope', bytes: new Uint8Array(Buffer.from(text, 'base64')) })),
  { ip: '127.0.0.1' },
);
await store.close();
verifier.close();
writeFileSync(join(folder!, 'told.json'), `${JSON.stringify({ agents: [ann.id, bob.id], items, results }, null, 1)}\n`);
