import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

const TOML = '[skill]\nname = "weather"\ndescription = "Tells the weather."\nversion = "0.2.0"\n';

/** The rows of the specification about skills, by its own paths and names, and those that existing clients send. */
describe('skills in the words of the specification', function () {
  this.timeout(60_000);
  let folder = '';
  let mesh: Mesh<'one' | 'bare'>;
  let one: Member;
  let bare: Member;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-words-'));
    mesh = await startMesh({
      nodes: ['one', 'bare'],
      isolated: true,
      own: { one: { plugins: { skills: { workspace: folder } } } },
    });
    ({ one, bare } = mesh.nodes);
  });
  after(async () => {
    await mesh.stop();
    await rm(folder, { recursive: true });
  });

  it('POST /skill/write takes `name` and `content_b64`', async () => {
    const content_b64 = Buffer.from(TOML).toString('base64');
    const { status, body } = await one.post('/skill/write', { name: 'weather', content_b64 });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.ok, body.name], [true, 'weather']);
    assert.equal(await readFile(join(folder, 'skills', 'weather', 'SKILL.toml'), 'utf8'), TOML);
  });

  it('GET /skill/list answers `skills`, a list of names', async () => {
    const { status, body } = await one.get('/skill/list');
    assert.deepEqual([status, body.skills], [200, ['weather']]);
  });

  it('POST /skill/install-url takes `name` and `url`, and refuses a private host and http', async () => {
    for (const url of ['https://localhost/x', 'https://192.168.0.1/x', 'https://[::1]/x', 'http://example.org/x']) {
      const { status, body } = await one.post('/skill/install-url', { name: 'x', url });
      assert.deepEqual([status, body.code, body.fields[0].pointer], [400, 'invalid_request', '/url'], url);
    }
  });

  it('POST /skill/write takes 128 KiB at most', async () => {
    const content_b64 = Buffer.from(`${TOML}# ${'x'.repeat(131_072)}`).toString('base64');
    assert.equal((await one.post('/skill/write', { name: 'weather', content_b64 })).status, 413);
  });

  it('POST /skill/remove takes `name`', async () => {
    const { status, body } = await one.post('/skill/remove', { name: 'weather' });
    assert.deepEqual([status, body.ok, body.name], [200, true, 'weather']);
    assert.equal((await one.post('/skill/remove', { name: 'weather' })).status, 404);
    assert.deepEqual((await one.get('/skill/list')).body.skills, []);
  });

  it('changes need the API secret', async () => {
    for (const path of ['/skill/write', '/skill/install-url', '/skill/remove'])
      assert.equal((await one.post(path, { name: 'a' }, { authorization: 'Bearer no' })).status, 401, path);
  });

  it('without --skill-workspace each answers 503', async () => {
    assert.equal((await bare.get('/skill/list')).status, 503);
    assert.equal((await bare.post('/skill/remove', { name: 'a' })).status, 503);
    assert.equal((await bare.post('/skill/install-url', { name: 'a', url: 'https://example.org/a' })).status, 503);
    const { status, body } = await bare.post('/skill/write', { name: 'a', content_b64: 'YQ==' });
    assert.equal(status, 503);
    assert.match(body.detail, /--skill-workspace/);
  });
});
