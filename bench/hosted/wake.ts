/**
 * `<rounds>`: a node is stopped while 100 messages of five agents, as many as a queue holds, are left for it; it starts, and is done when the aggregator has heard that it is awake and holds
 * nothing. Aggregator and nodes keep their stores on disk, and share this process. The five senders are given a standing, and again when it is counted.
 */
import { randomBytes } from 'node:crypto';
import { agents as rows } from '../../core/aggregator/store/agents.ts';
import { Store } from '../../core/internal-services.ts';
import { letters } from '../../core/messaging/inbox-records.ts';
import { NodeSpace } from '../../core/node/services/messaging.ts';
import type { LocalAgent } from '../../core/services.ts';
import { mailboxes } from '../../plugins/push/records.ts';
import { innkeeper } from '../../test/support/agents.ts';
import { happens } from '../../test/support/happens.ts';
import { startMesh } from '../../test/support/mesh.ts';
import { median } from '../framework/median.ts';

export interface Wake {
  /** The median of the rounds, and the longest. */
  readonly ms: number;
  readonly longest_ms: number;
  /** Of that, until the node listens. */
  readonly start_ms: number;
}

const SENDERS = 5;
const EACH = 20;
const PATIENCE = 120_000;

const [rounds] = process.argv.slice(2).map(Number) as [number];
const keeper = innkeeper();
const mesh = await startMesh({
  nodes: ['inn', 'phone'],
  plugins: { inn: [keeper.plugin] },
  storage: 'lowdb',
  settings: { api: { unlimited: ['127.0.0.1'] } },
  own: { phone: { plugins: { push: { sleepOnStop: true } } } },
});
try {
  await mesh.acquainted();
  const { phone } = mesh.nodes;
  const { agents } = keeper.got;
  const senders: LocalAgent[] = [];
  for (let n = 0; n < SENDERS; n += 1) senders.push(await agents.add({ signer: agents.signerOf(randomBytes(32)) }));
  const [times, starts]: [number[], number[]] = [[], []];
  const recipient = phone.id;
  const boxes = mesh.aggregatorNode.get(Store).space('push');
  for (let round = 0; round < rounds; round += 1) {
    await phone.stop();
    await Promise.all(senders.map(trusted));
    for (let n = 0; n < EACH; n += 1)
      await Promise.all(
        senders.map((one) => one.send('MESSAGE', { text: `${round} ${n}` }, { recipient, sealed: true })),
      );
    const all = async () => {
      if ((await waiting()) === SENDERS * EACH) return true;
      // Scores are counted again when something of the senders is reported, and nobody has rated them.
      await Promise.all(senders.map(trusted));
      return undefined;
    };
    await happens('all are left', all, PATIENCE);
    const began = performance.now();
    await phone.start();
    const started = performance.now();
    const space = phone.node.get(NodeSpace);
    const expected = (round + 1) * SENDERS * EACH;
    // Some come over the mesh, since their senders see that the node is back.
    await happens('all are here', async () => {
      const [newest] = await space.page(letters, { limit: 1 });
      const [{ sleeping, pending }] = (await phone.get('/push')).body.aggregators;
      return (newest?.id === expected && sleeping === false && pending === 0) || undefined;
    });
    times.push(performance.now() - began);
    starts.push(started - began);
  }
  const found: Wake = { ms: median(times), longest_ms: Math.max(...times), start_ms: median(starts) };
  process.stdout.write(JSON.stringify(found));

  async function waiting(): Promise<number> {
    return (await boxes.get(mailboxes.ref(recipient)))?.entries.length ?? 0;
  }
} finally {
  await mesh.stop();
}

async function trusted({ id }: LocalAgent): Promise<void> {
  const space = mesh.aggregatorNode.get(Store).space('aggregator');
  const ref = rows.ref(id);
  await happens(
    'the aggregator knows a sender',
    async () => {
      const { value } = await space.tx([ref], (tx) => {
        const row = tx.get(ref);
        if (row && row.standing.rank <= 0) tx.put(ref, { ...row, standing: { ...row.standing, rank: 1 } });
        return row !== undefined;
      });
      return value || undefined;
    },
    PATIENCE,
  );
}
