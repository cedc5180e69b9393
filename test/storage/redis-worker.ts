import { appendLog } from '../../core/storage/declarations.ts';
import { anything, entries, openRedis, sum, tasks, writeOnce } from './redis-store.ts';

export const claims = appendLog<{ by: string }>('claims', { schema: anything, postings: () => [] });

/**
 * One of several processes on one store: adds to a shared document and to its own, claims shared operation ids, and
 * follows the log of all of them. Prints what its tail showed and how many claims it won, as JSON.
 */
async function main(url: string, name: string, rounds: number, total: number): Promise<void> {
  const store = await openRedis({ url, prefix: 'shared' });
  const space = store.space('core');
  const shared = tasks.ref('shared');
  const seen: number[] = [];
  const tail = (async () => {
    for await (const { id } of space.tail(entries, 0, new AbortController().signal)) {
      if (seen.push(id) === total) return;
    }
  })();
  let won = 0;
  async function work(n: number): Promise<void> {
    await writeOnce(space, `${name}.${n}`);
    await space.tx([shared], (tx) => {
      tx.put(shared, { count: (tx.get(shared)?.count ?? 0) + 1 });
      tx.add(sum, 1);
    });
    const claim = await space.tx([], (tx) => tx.append(claims, { by: name }), { opId: `claim.${n}` });
    if (!claim.replayed) won++;
  }
  for (let n = 0; n < rounds; n += 8) {
    await Promise.all(Array.from({ length: Math.min(8, rounds - n) }, (_, i) => work(n + i)));
  }
  await tail;
  await store.close();
  process.stdout.write(JSON.stringify({ seen, won }));
}

const [, , url, name, rounds, total] = process.argv;
if (process.env['MESH_TEST_WORKER'] && url && name) await main(url, name, Number(rounds), Number(total));
