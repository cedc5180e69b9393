/**
 * `<letters>`: an inbox of so many letters is written, the node starts anew, and one client replays it at `WS /ws/inbox?since=0`, beside the same letters read
 * in pages of 200 at `GET /inbox`. The letters are copies of one that was received, under other ids.
 */
import { WebSocket } from 'ws';
import { inboxState, letters } from '../../core/messaging/inbox-records.ts';
import { InboxService } from '../../core/node/services/inbox.ts';
import { NodeSpace } from '../../core/node/services/messaging.ts';
import { happens } from '../../test/support/happens.ts';
import { startMesh } from '../../test/support/mesh.ts';

export interface Replay {
  /** Letters a second. */
  readonly stream: number;
  readonly pages: number;
  readonly start_ms: number;
  /** Megabytes by which the resident memory was larger at most, while the stream was read. */
  readonly peak_mb: number;
}

const BATCH = 500;

const [count] = process.argv.slice(2).map(Number) as [number];
const mesh = await startMesh({
  nodes: ['alice', 'bob'],
  storage: 'lowdb',
  settings: { api: { unlimited: ['127.0.0.1'] } },
});
try {
  const { alice, bob } = mesh.nodes;
  await mesh.acquainted();
  await alice.client.message({ recipient: bob.id, text: 'Is the room next to mine free?' });
  const space = bob.node.get(NodeSpace);
  const [first] = await happens('a letter', async () => {
    const found = await space.page(letters, { after: 0, limit: 1 });
    return found.length > 0 ? found : undefined;
  });
  const { cursor: _, ...record } = first!.record;
  for (let written = 1; written < count; written += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - written) }, (_, place) => written + place);
    const inbox = bob.node.get(InboxService);
    await space.tx([inboxState], (tx) => {
      for (const number of batch)
        inbox.append(tx, { ...record, envelope_id: number.toString(16).padStart(64, '0') }, false);
    });
  }
  const began = performance.now();
  await bob.restart();
  const start_ms = performance.now() - began;
  globalThis.gc?.();
  const rss = process.memoryUsage().rss;
  let peak = 0;
  const watching = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss - rss);
  }, 20);
  const stream = await streamed(bob.url, bob.secret);
  clearInterval(watching);
  const paged = performance.now();
  let seen = 0;
  for (let since = 0; seen < count; ) {
    const { frames, next } = await bob.client.inboxPage({ since, limit: 200 });
    if (frames.length === 0) throw new Error(`the pages end at ${seen}`);
    seen += frames.length;
    since = next;
  }
  const pages = performance.now() - paged;
  const found: Replay = {
    ...{ stream: (1_000 * count) / stream, pages: (1_000 * count) / pages },
    ...{ start_ms, peak_mb: peak / 1e6 },
  };
  process.stdout.write(JSON.stringify(found));
} finally {
  await mesh.stop();
}

/** Milliseconds from the opening of the socket to the last letter. */
function streamed(url: string, secret: string): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${secret}` };
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/inbox?since=0`, { headers });
    let seen = 0;
    socket.on('message', () => {
      seen += 1;
      if (seen < count) return;
      resolve(performance.now() - began);
      socket.terminate();
    });
    socket.on('error', reject);
    socket.on('close', (code) => reject(new Error(`the stream ended with ${code} after ${seen}`)));
  });
}
