import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { happens } from '../../support/happens.ts';
import { freePort, MeshProcess } from '../../support/mesh-process.ts';
import { base64, skillToml, Workshop } from './support/workshop.ts';

describe('the files of skills', function () {
  this.timeout(120_000);
  let shop: Workshop;
  /** Where nothing may ever be read, written or removed. */
  let outside = '';
  beforeEach(async () => {
    shop = await Workshop.open();
    outside = await mkdtemp(join(tmpdir(), 'mesh-outside-'));
    await writeFile(join(outside, 'SKILL.toml'), skillToml('secret'));
    await writeFile(join(outside, 'other'), 'other');
    await mkdir(shop.at(), { recursive: true });
  });
  afterEach(async () => {
    assert.deepEqual((await readdir(outside)).sort(), ['SKILL.toml', 'other']);
    assert.equal(await readFile(join(outside, 'SKILL.toml'), 'utf8'), skillToml('secret'));
    await shop.close();
    await rm(outside, { recursive: true });
  });

  async function conflicts(answer: ReturnType<Workshop['write']>): Promise<void> {
    const { status, body } = await answer;
    assert.deepEqual([status, body.code], [409, 'conflict'], JSON.stringify(body));
    assert.match(body.detail, /symbolic link/);
  }

  it('follow no link in the place of a skill: neither to write, nor to read, nor to remove', async () => {
    await symlink(outside, shop.at('linked'));
    await conflicts(shop.write('linked', skillToml('linked')));
    await conflicts(shop.remove('linked'));
    const { skills, details } = await shop.list();
    assert.deepEqual([skills, details[0].title], [['linked'], null]);
    assert.match(details[0].problem, /symbolic link/);
  });

  it('follow no link in the place of a SKILL.toml, also one that leads nowhere', async () => {
    await mkdir(shop.at('linked'));
    await symlink(join(outside, 'SKILL.toml'), shop.at('linked', 'SKILL.toml'));
    await conflicts(shop.write('linked', skillToml('linked')));
    assert.match((await shop.list()).details[0].problem, /symbolic link/);
    await rm(shop.at('linked', 'SKILL.toml'));
    await symlink(join(outside, 'new'), shop.at('linked', 'SKILL.toml'));
    await conflicts(shop.write('linked', skillToml('linked')));
    assert.equal((await shop.remove('linked')).status, 200);
  });

  it('follow no link in the place of the folder of all skills', async () => {
    await rename(shop.at(), join(shop.workspace, 'before'));
    await symlink(outside, shop.at());
    await conflicts(shop.write('a', skillToml('a')));
    await conflicts(shop.remove('a'));
    await conflicts(shop.call('GET /skill/list'));
  });

  it('are not waited for when they are pipes', async () => {
    await mkdir(shop.at('piped'));
    assert.equal(spawnSync('mkfifo', [shop.at('piped', 'SKILL.toml')]).status, 0);
    assert.match((await shop.list()).details[0].problem, /no plain file/);
    assert.equal((await shop.write('piped', skillToml('piped'))).status, 409);
  });

  it('of a skill are removed with all in its folder, but not what links in it lead to', async () => {
    await shop.write('deep', skillToml('deep'));
    await mkdir(shop.at('deep', 'a', 'b'), { recursive: true });
    await writeFile(shop.at('deep', 'a', 'b', 'run.sh'), 'echo');
    await symlink(outside, shop.at('deep', 'a', 'out'));
    await symlink(join(outside, 'other'), shop.at('deep', 'other'));
    assert.equal((await shop.remove('deep')).status, 200);
    assert.deepEqual(await readdir(shop.at()), []);
  });

  it('stay inside while somebody replaces the folder by a link and back, as fast as they can', async () => {
    const folders = [shop.at('raced'), join(shop.workspace, 'aside')] as const;
    await shop.write('raced', skillToml('raced'));
    let on = true;
    const racing = (async () => {
      while (on) {
        await rename(folders[0], folders[1]).catch(() => {});
        await symlink(outside, folders[0]).catch(() => {});
        await new Promise((later) => setImmediate(later));
        await rm(folders[0]).catch(() => {});
        await rename(folders[1], folders[0]).catch(() => {});
      }
    })();
    const statuses = new Set<number>();
    for (let round = 0; round < 300; round++)
      statuses.add((await shop.write('raced', skillToml('raced', `# ${round}\n`))).status);
    on = false;
    await racing;
    assert.ok(statuses.has(200), [...statuses].join());
    assert.deepEqual(
      [...statuses].filter((status) => ![200, 409, 503].includes(status)),
      [],
    );
  });

  it('are whole whoever writes at once: one of the files that were written', async () => {
    const texts = Array.from({ length: 24 }, (_, index) => skillToml('busy', `# ${`${index} `.repeat(2_000)}\n`));
    const seen: string[] = [];
    let on = true;
    const reading = (async () => {
      while (on) seen.push(await readFile(shop.at('busy', 'SKILL.toml'), 'utf8').catch(() => texts[0]!));
    })();
    const answers = await Promise.all(texts.map((text) => shop.write('busy', text)));
    on = false;
    await reading;
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(answers.filter(({ body }) => body.created).length, 1);
    for (const text of new Set(seen)) assert.ok(texts.includes(text), text.slice(0, 100));
    assert.ok(texts.includes(await shop.text('busy')));
    assert.deepEqual(await readdir(shop.at('busy')), ['SKILL.toml']);
  });

  it('answer that the workspace is gone when it is', async () => {
    await rm(shop.workspace, { recursive: true });
    for (const { status, body } of [
      await shop.write('a', skillToml('a')),
      await shop.remove('a'),
      await shop.call('GET /skill/list'),
    ])
      assert.deepEqual([status, body.code], [503, 'skill_workspace_unavailable'], JSON.stringify(body));
  });
});

describe('a node that is killed while it writes skills', function () {
  this.timeout(180_000);
  const ROUNDS = 6;
  const serving = (run: MeshProcess) => run.until(() => /^node \S+ at http/m.test(run.err), 'the boot report');

  it('leaves the old file or the new one, and clears away the rest when it starts again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mesh-killed-'));
    const api = `127.0.0.1:${await freePort()}`;
    const env = { NODE_SKILL_WORKSPACE: join(folder, 'agent') };
    const own = ['--data-dir', join(folder, 'data'), '--api-addr', api, '--network-id', 'killed'];
    const at = (...names: string[]) => join(folder, 'agent', 'skills', ...names);
    let run: MeshProcess | undefined;
    try {
      let last = -1;
      for (let round = 0; round < ROUNDS; round++) {
        run = new MeshProcess(['start', ...own], { env });
        await serving(run);
        const secret = (await readFile(join(folder, 'data', 'api-secret'), 'utf8')).trim();
        if (round > 0) assert.deepEqual(await readdir(at('killed')), ['SKILL.toml']);
        let acknowledged = -1;
        let next = last;
        const writing = (async () => {
          for (;;) {
            next += 1;
            const text = skillToml('killed', `# ${next} ${'x'.repeat(100_000)} ${next}\n`);
            const response = await fetch(`http://${api}/skill/write`, {
              method: 'POST',
              headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
              body: JSON.stringify({ name: 'killed', content_b64: base64(text) }),
            });
            if (response.status === 429) await new Promise((later) => setTimeout(later, 500));
            else assert.equal(response.status, 200);
            if (response.status === 200) acknowledged = next;
          }
        })().catch((error: unknown) => {
          if (error instanceof assert.AssertionError) throw error;
        });
        await happens('one is written', async () => acknowledged >= 0 || undefined);
        await new Promise((later) => setTimeout(later, round * 7));
        await run.stop('SIGKILL');
        await writing;
        const text = await readFile(at('killed', 'SKILL.toml'), 'utf8');
        const found = /# (\d+) (x+) (\d+)\n$/.exec(text);
        assert.ok(found, `the file of round ${round} is not whole: ${text.length} characters`);
        assert.deepEqual([found[1], found[2]!.length], [found[3], 100_000]);
        assert.ok(Number(found[1]) >= acknowledged, `${found[1]} stands there, ${acknowledged} was acknowledged`);
        last = next;
        // As a crash between the write and the rename leaves it.
        await writeFile(at('killed', '.SKILL.toml.00000000-0000-4000-8000-000000000000'), 'half');
        await mkdir(at('.removed.gone'), { recursive: true });
      }
      run = new MeshProcess(['start', ...own], { env });
      await serving(run);
      assert.deepEqual(await readdir(at()), ['killed']);
    } finally {
      await run?.kill();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
