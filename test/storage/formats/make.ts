import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemClock } from '../../../core/platform/system-clock.ts';
import { Dice } from '../dice.ts';
import { write } from '../workload.ts';

/*
 * Writes a store with the adapter of another checkout, as the stores in this folder were:
 *
 *     node --import ts-blank-space/register test/storage/formats/make.ts CHECKOUT FOLDER [killed]
 *
 * `killed` leaves it as a process that was killed would. `README.md` says which commit each one is of.
 */
const [, , checkout, folder, killed] = process.argv;
const { lowdbStorage } = await import(pathToFileURL(resolve(checkout!, 'adapters/storage-lowdb/index.ts')).href);
const sizes = { checkpointBytes: 9_000, segmentRecords: 20, hotRecords: 5 };
const adapter = lowdbStorage({ dir: resolve(folder!), clock: systemClock, ...sizes });
await adapter.open();
await write(adapter, [1, 110], new Dice(1));
if (killed) process.kill(process.pid, 'SIGKILL');
await adapter.close();
