/**
 * `<cuts>`: a client reads one stream of letters through a line that is cut after a random number of bytes, until it has been cut so often.
 * It shall give the letters that an uncut stream gives, each once and in the same order.
 */
import { NodeClient } from '../../core/client/node-client.ts';
import { CuttingProxy } from '../../test/support/cutting-proxy.ts';
import { startMesh } from '../../test/support/mesh.ts';

export interface Resumed {
  readonly cuts: number;
  readonly frames: number;
  /** Frames that were missing, came twice or out of order. */
  readonly missing: number;
  readonly seconds: number;
}

/** Bytes that a connection passes at most: some letters. */
const MOST_BYTES = 4_096;
/** Cuts after which it tells how far it is. */
const STEP = 100;
const TEXT = 'x'.repeat(256);

const [wanted] = process.argv.slice(2).map(Number) as [number];
const mesh = await startMesh({ nodes: ['writer', 'reader'], settings: { api: { unlimited: ['127.0.0.1'] } } });
const { writer, reader } = mesh.nodes;
const proxy = await CuttingProxy.to(reader.url, MOST_BYTES);
try {
  let written = 0;
  let ended = false;
  let frames = 0;
  let told = 0;
  const writing = (async () => {
    // Ahead of the reader by a few, so that there is always something to cut.
    while (!ended) {
      if (written - frames > 64) await new Promise((wait) => setTimeout(wait, 5));
      else await writer.client.message({ recipient: reader.id, text: `${written++} ${TEXT}` });
    }
  })();
  const began = performance.now();
  const client = new NodeClient({ url: proxy.url, secret: reader.secret });
  const heard: number[] = [];
  for await (const frame of client.inbox({ since: 0 })) {
    if (frame.msg_type !== 'MESSAGE') continue;
    heard.push(frame.cursor);
    frames += 1;
    if (proxy.cuts >= told + STEP) {
      told = proxy.cuts;
      process.stderr.write(`  ${told} cuts, ${frames} frames\n`);
    }
    if (proxy.cuts >= wanted) break;
  }
  const seconds = (performance.now() - began) / 1_000;
  ended = true;
  await writing;
  // A line that is whole shows the same letters, whatever the order in which they arrived.
  const whole: number[] = [];
  for await (const frame of reader.client.inbox({ since: 0 })) {
    if (frame.msg_type !== 'MESSAGE') continue;
    whole.push(frame.cursor);
    if (whole.length === heard.length) break;
  }
  const missing = whole.filter((cursor, index) => heard[index] !== cursor).length;
  const found: Resumed = { cuts: proxy.cuts, frames, missing, seconds };
  process.stdout.write(JSON.stringify(found));
} finally {
  proxy.close();
  await mesh.stop();
}
