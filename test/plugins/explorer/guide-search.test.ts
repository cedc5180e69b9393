import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../core/platform/package-root.ts';
import { GuideIndex } from '../../../plugins/explorer/guides/guide-index.ts';
import { PluginAggregator } from '../support/aggregator.ts';

const GUIDE = `# Of \`deals\`

Who pays locks the amount. [A bond](program.md#bond-in-the-address) comes back.

## How disputes end

| State | Then |
|---|---|
| decided | paid out |

\`\`\`sh
# no heading of the guide
mesh dispute --offer-bps 6000
\`\`\`

## Nothing below
`;

describe('the search in the guides', () => {
  let folder: string;
  let index: GuideIndex;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-guides-'));
    await mkdir(join(folder, 'decisions'));
    await writeFile(join(folder, 'deals.md'), GUIDE);
    await writeFile(
      join(folder, 'wallet.md'),
      '# The wallet\n\nThe setting maxPerDay bounds a day, `max_fee` a step.\n',
    );
    await writeFile(join(folder, 'decisions', '007-bonds.md'), '# 007: money\n\nA bond, a bond, a bond.\n');
    await writeFile(join(folder, 'decisions', 'README.md'), '# Decisions about bonds\n');
    index = await GuideIndex.read(pathToFileURL(`${folder}/`));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const places = (query: string, limit = 12) =>
    index.find(query, limit).sections.map(({ guide, heading }) => `${guide}: ${heading}`);

  it('finds words of the text, of code and of tables by their beginnings, and no addresses', () => {
    assert.deepEqual(places('locks'), ['deals: Of deals']);
    assert.deepEqual(places('PAI out'), ['deals: How disputes end']);
    assert.deepEqual(places('bps 6000'), ['deals: How disputes end']);
    assert.deepEqual(places('address'), []);
    assert.deepEqual(places('amount decided'), []);
  });

  it('finds names as they stand and by their parts', () => {
    for (const query of ['maxPerDay', 'maxperday', 'per day', 'max_fee', 'fee'])
      assert.deepEqual(places(query), ['wallet: The wallet'], query);
  });

  it('puts headings before text, and guides before decisions', () => {
    assert.deepEqual(places('bond'), ['deals: Of deals', 'decision-007-bonds: 007: money']);
    assert.deepEqual(places('of deals', 1), ['deals: Of deals']);
  });

  it('gives the title and some of the text around the words, and says how many there are', () => {
    const { sections, found } = index.find('dispute', 1);
    assert.equal(found, 1);
    assert.deepEqual([sections[0]!.title, sections[0]!.heading], ['Of deals', 'How disputes end']);
    assert.match(sections[0]!.excerpt, /mesh dispute --offer-bps 6000/);
    assert.ok(sections[0]!.excerpt.length <= 166);
  });

  it('takes strange words', () => {
    for (const query of ['', '   ', '(((', '__proto__', 'constructor', '\u202e', '<script>', 'x'.repeat(128)])
      assert.deepEqual(places(query), [], query);
  });

  it('is quick enough for a read: the index of all guides in steps, a search in a millisecond', async () => {
    const all = await GuideIndex.read(pathToFileURL(`${join(packageRoot, 'docs')}/`));
    const began = process.cpuUsage();
    for (let round = 0; round < 100; round += 1) all.find('the dispute bond settings', 12);
    const { user } = process.cpuUsage(began);
    assert.ok(user / 100 < 20_000, `${user / 100} us a search`);
    assert.ok(all.find('kill -9 store', 12).found > 0);
    for (const letter of 'abcdefghijklmnopqrstuvwxyz') all.find(`${letter}e`, 40);
  });

  it('answers over HTTP, bounded', async () => {
    const aggregator = await PluginAggregator.start();
    try {
      const { status, body } = await aggregator.call('GET /guide-sections?q=idempotency%20key&limit=3');
      assert.equal(status, 200);
      assert.ok(body.sections.length > 0 && body.sections.length <= 3 && body.found >= body.sections.length);
      for (const path of [
        '/guide-sections',
        '/guide-sections?q=',
        `/guide-sections?q=${'x'.repeat(129)}`,
        '/guide-sections?q=x&limit=41',
      ])
        assert.equal((await aggregator.call(`GET ${path}`)).status, 400, path);
    } finally {
      await aggregator.stop();
    }
  });
});
