import assert from 'node:assert/strict';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { mesh } from '../../cli/terminal.ts';
import { base64, skillToml, Workshop } from './support/workshop.ts';

const MOST = 131_072;

describe('the skills of a node', function () {
  this.timeout(30_000);
  let shop: Workshop;
  before(async () => {
    shop = await Workshop.open();
  });
  after(() => shop.close());

  it('writes a skill, lists it with what its file says, and removes it', async () => {
    const text = `prompts = ["Be brief."]\n${skillToml('sums', 'author = "ann"\ntags = ["csv", "numbers"]')}
[[tools]]
name = "sum"
description = "Sums a column."
kind = "shell"
command = "sum {file}"
[tools.args]
file = "path of the file"
`;
    const { status, body } = await shop.write('sums', text);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body, { ok: true, name: 'sums', version: '1.0.0', bytes: text.length, created: true });
    assert.equal(await shop.text('sums'), text);
    const { skills, details } = await shop.list();
    assert.deepEqual(skills, ['sums']);
    const [{ updated_at, ...shown }] = details;
    assert.ok(Date.now() - Date.parse(updated_at) < 60_000);
    assert.deepEqual(shown, {
      ...{ name: 'sums', title: 'sums', description: 'It does sums.', version: '1.0.0', author: 'ann' },
      ...{ tags: ['csv', 'numbers'], tools: ['sum'], url: null, bytes: text.length, problem: null },
    });
    assert.deepEqual((await shop.remove('sums')).body, { ok: true, name: 'sums' });
    assert.deepEqual(await shop.list(), { skills: [], details: [] });
    assert.equal((await shop.remove('sums')).status, 404);
    assert.deepEqual(await readdir(shop.at()), []);
  });

  it('takes the content under the names that clients use, with line breaks, URL-safe, and the name from the file', async () => {
    const text = skillToml('named-inside', 'tags = ["é?>"]');
    const folded = base64(text).replaceAll(/.{20}/g, '$&\n');
    for (const body of [
      { content_b64: folded },
      { content: Buffer.from(text).toString('base64url') },
      { body_b64: base64(text) },
      { contentB64: base64(text) },
    ]) {
      const answer = await shop.call('POST /skill/write', body);
      assert.deepEqual([answer.status, answer.body.name], [200, 'named-inside'], JSON.stringify(answer.body));
      assert.equal(await shop.text('named-inside'), text);
    }
    const spoken = await shop.call('POST /skill/write', { content_b64: base64(skillToml('Named Inside')) });
    assert.deepEqual([spoken.status, spoken.body.fields[0].pointer], [400, '/name']);
    assert.equal((await shop.write('spoken', skillToml('Named Inside'))).status, 200);
    assert.deepEqual((await shop.list()).details.map(({ name, title }) => [name, title]).at(-1), [
      'spoken',
      'Named Inside',
    ]);
    for (const name of ['spoken', 'named-inside']) await shop.remove(name);
  });

  const NAMES = ['', '.', '..', '../up', 'a/b', 'a\\b', '/etc', '-a', '_a', 'A', 'a b', 'a.b', 'é', 'a\u0000', 'a\n'];
  for (const name of [...NAMES, 'x'.repeat(65)]) {
    it(`refuses the name ${JSON.stringify(name)} in each call, and touches nothing`, async () => {
      for (const answer of [
        await shop.write(name, skillToml('x')),
        await shop.install('https://skills.example/x', name),
        await shop.remove(name),
      ]) {
        assert.deepEqual([answer.status, answer.body.fields?.[0].pointer], [400, '/name'], JSON.stringify(answer.body));
      }
      assert.deepEqual(await readdir(shop.at()), []);
    });
  }

  it('takes a name of 64 characters', async () => {
    const name = `0${'a_-'.repeat(21)}`;
    assert.equal((await shop.write(name, skillToml('long'))).status, 200);
    assert.equal((await shop.remove(name)).status, 200);
  });

  const BAD: [what: string, content: string | Uint8Array, said: RegExp][] = [
    ['no TOML', 'name = ', /line 1/],
    ['no UTF-8', Uint8Array.of(0x5b, 0xff, 0x5d), /no UTF-8/],
    ['a NUL', '[skill]\nname = "a\u0000"\n', /line 2/],
    ['no table skill', 'name = "a"\n', /skill is required/],
    ['no name', '[skill]\ndescription = "d"\n', /skill\.name is required/],
    ['no description', '[skill]\nname = "a"\n', /skill\.description is required/],
    ['a name that is a number', '[skill]\nname = 1\ndescription = "d"\n', /skill\.name must be/],
    ['a name of two lines', '[skill]\nname = "a\\nb"\ndescription = "d"\n', /skill\.name/],
    ['tags that are no list', skillToml('a', 'tags = "csv"\n'), /skill\.tags must be/],
    ['a version that is a number', '[skill]\nname = "a"\ndescription = "d"\nversion = 1.0\n', /skill\.version must be/],
    [
      'a tool without a kind',
      skillToml('a', '[[tools]]\nname = "t"\ndescription = "d"\n'),
      /tools\.0\.kind is required/,
    ],
    [
      'two tools of one name',
      skillToml('a', '[[tools]]\nname = "t"\ndescription = "d"\nkind = "shell"\n'.repeat(2)),
      /two tools named t/,
    ],
    ['a key of a prototype', skillToml('a', '__proto__ = { a = 1 }\n'), /./],
    ['a thousand levels', `a = ${'['.repeat(1_000)}${']'.repeat(1_000)}\n${skillToml('a')}`, /./],
  ];
  for (const [what, content, said] of BAD) {
    it(`refuses a file with ${what}, and keeps the old one`, async () => {
      assert.equal((await shop.write('kept', skillToml('kept'))).status, 200);
      const { status, body } = await shop.write('kept', content);
      assert.deepEqual([status, body.code, body.fields?.[0].pointer], [422, 'invalid_skill', '/content_b64']);
      assert.match(body.detail, said);
      assert.equal(await shop.text('kept'), skillToml('kept'));
      assert.deepEqual(await readdir(shop.at('kept')), ['SKILL.toml']);
    });
  }

  it('refuses what is no base64, and what is missing', async () => {
    for (const [body, pointer] of [
      [{ name: 'kept', content_b64: 'ab!d' }, '/content_b64'],
      [{ name: 'kept', content: ' \n' }, '/content'],
      [{ name: 'kept' }, '/content_b64'],
      [{ name: 'kept', content_b64: 5 }, '/content_b64'],
    ] as const) {
      const answer = await shop.call('POST /skill/write', body);
      assert.deepEqual([answer.status, answer.body.fields?.[0].pointer], [400, pointer], JSON.stringify(answer.body));
    }
    assert.equal(await shop.text('kept'), skillToml('kept'));
  });

  it('takes 128 KiB and not a byte more', async () => {
    const filled = (bytes: number) => {
      const head = skillToml('big', '# ');
      return head + 'x'.repeat(bytes - head.length);
    };
    assert.deepEqual((await shop.write('big', filled(MOST))).body.bytes, MOST);
    const over = await shop.write('big', filled(MOST + 1));
    assert.deepEqual([over.status, over.body.code], [413, 'payload_too_large']);
    assert.equal((await shop.write('big', filled(2 * MOST))).status, 413);
    assert.equal((await stat(shop.at('big', 'SKILL.toml'))).size, MOST);
    await shop.remove('big');
  });

  it('shows what stands in the folder by hand: a bad file with its fault, a folder without one not at all', async () => {
    await mkdir(shop.at('by-hand'));
    await mkdir(shop.at('empty'));
    await writeFile(shop.at('notes'), 'no folder');
    await writeFile(shop.at('by-hand', 'SKILL.toml'), 'oops');
    const { skills, details } = await shop.list();
    assert.deepEqual(skills, ['by-hand', 'kept']);
    assert.match(details[0].problem, /line 1/);
    await writeFile(shop.at('by-hand', 'SKILL.toml'), skillToml('by hand'));
    assert.deepEqual((await shop.list()).details[0].title, 'by hand');
    await writeFile(shop.at('by-hand', 'SKILL.toml'), 'x'.repeat(MOST + 1));
    assert.match((await shop.list()).details[0].problem, /more than 131072 bytes/);
    const answer = await shop.write('notes', skillToml('notes'));
    assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
  });

  it('asks for the secret, but lets this machine read', async () => {
    for (const line of ['POST /skill/write', 'POST /skill/install-url', 'POST /skill/remove'])
      assert.equal((await shop.call(line, { name: 'kept' }, { authorization: 'Bearer no' })).status, 401, line);
    assert.equal((await shop.call('GET /skill/list', undefined, {})).status, 200);
  });

  it('has room for 256 skills', async () => {
    for (let count = (await readdir(shop.at())).length; count < 257; count++)
      await mkdir(shop.at(`filled-${count}`), { recursive: true });
    const { status, body } = await shop.write('one-more', skillToml('one-more'));
    assert.deepEqual([status, body.code], [403, 'quota_exceeded'], JSON.stringify(body));
    assert.equal((await shop.write('kept', skillToml('kept', '# new\n'))).status, 200);
  });
});

describe('a node without a skill workspace', () => {
  it('says in each call how to start it with one', async () => {
    const shop = await Workshop.open({ workspace: false });
    try {
      for (const [line, body] of [
        ['GET /skill/list', undefined],
        ['POST /skill/write', { name: 'a', content_b64: base64(skillToml('a')) }],
        ['POST /skill/install-url', { url: 'https://skills.example/a' }],
        ['POST /skill/remove', { name: 'a' }],
      ] as const) {
        const answer = await shop.call(line, body);
        assert.deepEqual([answer.status, answer.body.code], [503, 'skill_workspace_missing'], line);
        assert.match(answer.body.detail, /--skill-workspace .*NODE_SKILL_WORKSPACE/);
      }
    } finally {
      await shop.close();
    }
  });
});

describe('mesh skills', () => {
  it('lists them with their faults', async () => {
    const shop = await Workshop.open();
    try {
      const list = async (...args: string[]) => (await mesh(['skills', '--url', shop.node.url, ...args])).out;
      assert.match(await list(), /has no skills/);
      await shop.write('sums', skillToml('sums'));
      await mkdir(shop.at('broken'));
      await writeFile(shop.at('broken', 'SKILL.toml'), 'oops');
      assert.match(await list(), /^broken +- +The SKILL\.toml is refused: line 1.*\nsums +1\.0\.0 +It does sums\.$/m);
      assert.deepEqual(JSON.parse(await list('--json')).skills, ['broken', 'sums']);
    } finally {
      await shop.close();
    }
  });
});
