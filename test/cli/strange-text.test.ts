import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prettyLine } from '../../core/platform/pretty-line.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { mesh as run } from './terminal.ts';

/** Clears the screen, fills the clipboard, sets the title in eight bits, turns the text and begins a line. */
const EVIL = '\u001b[2J\u001b]52;c;cm0gLXJm\u0007\u009b31m\u202etxet\u2066\r\n9  FORGED  LINE\u2028\u007f';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const HARM = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

describe('what strangers write, in a terminal', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let at: string[] = [];
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'] });
    const { alice } = mesh.nodes;
    at = ['--url', alice.url, '--secret', alice.secret];
  });
  after(() => mesh?.stop());

  it('neither moves the cursor nor makes lines of its own in the inbox, or in a deal', async () => {
    const { alice, bob } = mesh.nodes;
    await bob.client.message({ recipient: alice.id, text: EVIL });
    const { conversation_id } = await bob.client.propose({ recipient: alice.id, message: EVIL, amount_usdc: '1' });
    await happens('both are there', async () => (await alice.client.inboxPage({})).frames.length >= 2 || undefined);
    for (const line of [['inbox'], ['inbox', '--follow'], ['deals'], ['deals', conversation_id], ['status']]) {
      const { code, out } = await run([...line, ...at]);
      assert.equal(code, 0);
      assert.doesNotMatch(out, HARM, line.join(' '));
      assert.doesNotMatch(out, /^\W*9 {2}FORGED/m);
    }
    assert.match((await run(['deals', conversation_id, ...at])).out, /asks for +\\u001b\[2J.*\\r\\n9 {2}FORGED/);
    const { out } = await run(['inbox', '--json', ...at]);
    assert.doesNotMatch(out, HARM);
    assert.equal(JSON.parse(out)[0].payload.text, EVIL);
  });

  it('is spelt out where a server refuses with it', async () => {
    const server = createServer((_, response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ detail: EVIL, code: EVIL }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      for (const line of [['agents'], ['agents', '--json'], ['agents', '--verbose'], ['inbox', '--secret', 'x']]) {
        const { code, out, error } = await run([...line, '--url', url]);
        assert.equal(code, 1);
        assert.doesNotMatch(out + error, HARM);
        // A code that is none is not repeated.
        if (line.includes('--json')) assert.equal(JSON.parse(out).code, 'http_400');
      }
    } finally {
      server.close();
    }
  });

  it('makes no line of its own in a log for people', async () => {
    const entry = { level: 40, time: 0, msg: EVIL, why: EVIL, one: '\u009b31m', [EVIL]: 1 };
    for (const line of [entry, { ...entry, err: { stack: `Error: ${EVIL}\n    at here` } }]) {
      const text = prettyLine(JSON.stringify(line));
      assert.doesNotMatch(text, HARM);
      assert.equal(text.trimEnd().split('\n').length, 'err' in line ? 4 : 1);
    }
    const folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
    try {
      const file = join(folder, 'mesh.log');
      await writeFile(file, `${JSON.stringify(entry)}\nnot JSON \u001b[2J\u009b\n`);
      for (const more of [[], ['--json']]) {
        const { out } = await run(['logs', '--log-file', file, ...more]);
        assert.doesNotMatch(out, HARM);
        assert.equal(out.split('\n').length, 2);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('leaves the colours of mesh itself', async () => {
    const { out } = await run(['status', ...at], {}, { colours: true });
    assert.ok(
      ['32mok', '33mdegraded'].some((how) => out.startsWith(`\u001b[${how}\u001b[0m`)),
      out,
    );
  });
});
