/**
 * `<blobs>`: so many blobs of 1 MiB are uploaded to an aggregator on files and read again, eight at a time, in turns with as many copies by a server that does nothing else. The first
 * turn warms up. Both servers and their client share this process.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PluginAggregator } from '../../test/plugins/support/aggregator.ts';
import { sideBySide } from '../framework/side-by-side.ts';
import { plainCopy } from './plain-copy.ts';

/** All in MiB per second. */
export interface Carried {
  readonly uploads: number;
  readonly plain_uploads: number;
  readonly downloads: number;
  readonly plain_downloads: number;
}

const SIZE = 1_048_576;
const AT_ONCE = 8;
/** Within the 10 MiB that an agent of no standing may keep. */
const OF_AGENT = 10;
const TURNS = 4;

const count = Number(process.argv[2]);
const folder = await mkdtemp(join(tmpdir(), 'mesh-bench-'));
const plain = await plainCopy(folder);
const aggregator = await PluginAggregator.start({
  storage: { use: 'lowdb' },
  settings: { api: { unlimited: ['127.0.0.1'] } },
});
try {
  const took = { uploads: 0, plain_uploads: 0, downloads: 0, plain_downloads: 0 };
  for (let turn = 0; turn <= TURNS; turn += 1) {
    const blobs = Math.ceil(count / TURNS);
    const agents = Array.from({ length: Math.ceil(blobs / OF_AGENT) }, (_, n) => aggregator.agent(`${turn} ${n}`));
    await aggregator.introduce(...agents);
    const contents = Array.from({ length: blobs }, () => randomBytes(SIZE));
    const cids: string[] = [];
    const names: string[] = [];
    const ms = {
      plain_uploads: await sideBySide(blobs, AT_ONCE, async (at) => {
        const response = await fetch(plain.url, { method: 'POST', body: contents[at]! });
        names[at] = await response.text();
      }),
      uploads: await sideBySide(blobs, AT_ONCE, async (at) => {
        const as = agents[at % agents.length]!;
        const { status, body } = await aggregator.call('POST /blobs', { body: contents[at]!, as });
        assert.equal(status, 201, JSON.stringify(body));
        cids[at] = body.cid;
      }),
      plain_downloads: await sideBySide(blobs, AT_ONCE, (at) => read(`${plain.url}/${names[at]}`)),
      downloads: await sideBySide(blobs, AT_ONCE, (at) => read(`${aggregator.url}/blobs/${cids[at]}`)),
    };
    if (turn === 0) continue;
    for (const name of Object.keys(took) as (keyof Carried)[]) took[name] += ms[name];
  }
  const perSecond = (ms: number) => (1_000 * TURNS * Math.ceil(count / TURNS)) / ms;
  const carried: Carried = {
    uploads: perSecond(took.uploads),
    plain_uploads: perSecond(took.plain_uploads),
    downloads: perSecond(took.downloads),
    plain_downloads: perSecond(took.plain_downloads),
  };
  process.stdout.write(JSON.stringify(carried));
} finally {
  await aggregator.stop();
  await plain.stop();
  await rm(folder, { recursive: true, force: true });
}

async function read(url: string): Promise<void> {
  const response = await fetch(url);
  assert.equal((await response.arrayBuffer()).byteLength, SIZE);
}
