import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type Bundled, bundled } from '../support/bundled.ts';
import { roundsOf } from './dice.ts';
import { StoreDirectory } from './directory.ts';
import { entries, openSmall, recent, sum, tasks, writeEntry } from './writer.ts';

const ROUNDS = roundsOf(20);

interface Line {
  readonly by: string;
  readonly id: number;
}

describe('a writer that dies', function () {
  this.timeout(120_000);
  let writer: Bundled;
  let store: StoreDirectory;

  before(async () => {
    writer = await bundled('test/storage/writer.ts');
  });
  after(() => writer.remove());
  beforeEach(async () => {
    store = await StoreDirectory.make();
  });
  afterEach(() => store.remove());

  /** Starts a writer, and gives the lines it printed before it ended. */
  async function run(
    round: string,
    kill: (lines: () => number, pid: number) => void,
    shell?: string,
  ): Promise<string[]> {
    const args = [writer.path, store.path, round];
    const [command, ...rest] = shell
      ? ['sh', '-c', `${shell}; exec "$0" "$@"`, process.execPath, ...args]
      : [process.execPath, ...args];
    const child = spawn(command!, rest, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, MESH_TEST_WRITER: '1' },
    });
    let out = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    kill(() => out.length, child.pid!);
    await once(child, 'close');
    // A line that is not whole was cut by the kill, and means nothing.
    return out.split('\n').slice(0, -1);
  }

  function parse(lines: string[]): Line[] {
    return lines.map((line) => ({ by: line.split(' ')[0]!, id: Number(line.split(' ')[1]) }));
  }

  /** Checks that the store is the result of whole transactions, and holds all of these. */
  async function check(acknowledged: readonly Line[]): Promise<number> {
    const opened = await openSmall(store.path);
    const space = opened.space('core');
    const all = [];
    for (let page = await space.page(entries, { after: 0, limit: 1_000 }); page.length > 0; ) {
      all.push(...page);
      page = await space.page(entries, { after: page.at(-1)!.id, limit: 1_000 });
    }
    assert.deepEqual(
      all.map(({ id }) => id),
      all.map((_, i) => i + 1),
    );
    for (const { by, id } of acknowledged) assert.equal(all[id - 1]?.record.by, by);
    assert.equal(await space.total(sum), BigInt(all.length));
    assert.deepEqual(
      await space.drain(recent.ref('all')),
      all.slice(-10).map(({ record }) => record.by),
    );
    let counted = 0;
    for (const { id, value } of await space.page(tasks)) {
      const [latest] = await space.page(entries, { posting: id, limit: 1 });
      assert.equal(value.last, latest?.record.by);
      counted += value.count;
    }
    assert.equal(counted, all.length);
    await opened.close();
    return all.length;
  }

  it(`loses nothing acknowledged in ${ROUNDS} kills, and never gives an id again`, async () => {
    const acknowledged: Line[] = [];
    let midCheckpoint = 0;
    let total = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const lines = await run(`${round}`, (printed, pid) => {
        const started = Date.now();
        const timer = setInterval(() => {
          if (printed() === 0 && Date.now() - started < 10_000) return;
          clearInterval(timer);
          setTimeout(() => process.kill(pid, 'SIGKILL'), (round * 7) % 60);
        }, 2);
      });
      assert.ok(lines.length > 0, `round ${round} wrote nothing`);
      acknowledged.push(...parse(lines));
      const files = await readdir(store.path);
      if (files.filter((name) => /^journal|tmp$/.test(name)).length > 1) midCheckpoint++;
      if (round % 10 === 9) {
        const count = await check(acknowledged);
        assert.ok(count >= acknowledged.length && count > total);
        total = count;
      }
    }
    assert.equal(new Set(acknowledged.map(({ id }) => id)).size, acknowledged.length);
    assert.ok(midCheckpoint >= ROUNDS / 10, `${midCheckpoint} kills hit a checkpoint`);
  });

  it('takes no write after the disk was full once, shows what is there, and recovers all of it', async function () {
    if (process.platform === 'win32') return this.skip();
    const lines = await run('0', () => {}, "trap '' XFSZ; ulimit -f 48");
    assert.match(lines.at(-1)!, /^poisoned poisoned 10$/);
    const acknowledged = parse(lines.slice(0, -1));
    assert.ok(acknowledged.length > 10);
    assert.ok((await check(acknowledged)) >= acknowledged.length);
    const opened = await openSmall(store.path);
    await writeEntry(opened.space('core'), '1.0.0');
    await opened.close();
  });
});
