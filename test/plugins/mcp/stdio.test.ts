import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { packageRoot } from '../../../core/platform/package-root.ts';
import { mcpPlugin } from '../../../plugins/mcp/index.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';

const COMMAND = [join(packageRoot, 'bin', 'mesh.js'), 'mcp'];

describe('mesh mcp', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'plain'>;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'plain'], plugins: { alice: [mcpPlugin] } });
  });
  after(() => mesh?.stop());

  for (const mode of ['legacy', 'auto'] as const)
    it(`lets a host speak with the node over a pipe: ${mode}`, async () => {
      const { url, secret } = mesh.nodes.alice;
      const args = [...COMMAND, '--url', url, '--secret', secret];
      const transport = new StdioClientTransport({
        command: process.execPath,
        args,
        cwd: packageRoot,
        stderr: 'ignore',
      });
      const client = new Client({ name: 'a-test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(transport);
      try {
        assert.equal(client.getNegotiatedProtocolVersion(), mode === 'auto' ? '2026-07-28' : '2025-11-25');
        const { tools } = await client.listTools();
        assert.equal(tools.length, 11);
        const found = (await client.callTool({ name: 'agent', arguments: {} })) as any;
        assert.equal(found.structuredContent.agent_id, mesh.nodes.alice.id);
        const answers = await Promise.all(
          Array.from({ length: 100 }, () => client.callTool({ name: 'deals', arguments: { limit: 1 } })),
        );
        assert.ok(answers.every((one) => !(one as any).isError));
      } finally {
        await client.close();
      }
    });

  async function run(
    args: readonly string[],
    input = '',
  ): Promise<{ code: number | null; out: string; error: string }> {
    const child = spawn(process.execPath, [...COMMAND, ...args], { cwd: packageRoot });
    const [out, error]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (bytes) => void out.push(bytes));
    child.stderr.on('data', (bytes) => void error.push(bytes));
    child.stdin.end(input);
    const [code] = await once(child, 'close');
    return { code, out: Buffer.concat(out).toString(), error: Buffer.concat(error).toString() };
  }

  it('says in words why it cannot', async () => {
    const none = await run(['--url', 'http://127.0.0.1:9']);
    assert.equal(none.code, 1);
    assert.match(none.error, /no node answers at http:\/\/127\.0\.0\.1:9/);
    const plain = await run(['--url', mesh.nodes.plain.url]);
    assert.equal(plain.code, 1);
    assert.match(plain.error, /has no plugin mcp; add "mcp": \{\}/);
  });

  it('answers what cannot be handed on, and goes on', async () => {
    const { url } = mesh.nodes.alice;
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const { code, out } = await run(['--url', url, '--secret', 'wrong'], `not json\n${list}\n`);
    assert.equal(code, 0);
    const [first, second] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([first.id, first.error.code], [null, -32_700]);
    assert.equal(second.id, 1);
    assert.match(second.error.message, /--secret/);
  });

  describe('with a node that is none', () => {
    let answers: (response: ServerResponse) => void;
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      request.resume();
      if (request.method === 'GET') response.writeHead(405).end();
      else answers(response);
    });
    before((listening) => void server.listen(0, '127.0.0.1', listening));
    after((closed) => {
      server.closeAllConnections();
      server.close(closed);
    });
    const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    const hostile: readonly [string, RegExp, (response: ServerResponse) => void][] = [
      [
        'sends the call elsewhere',
        /sends callers elsewhere/,
        (to) => to.writeHead(307, { location: `${url()}/steal` }).end(),
      ],
      ['answers with a page', /did not answer/, (to) => to.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
      [
        'cuts its answer',
        /did not answer/,
        (to) => void to.writeHead(200, { 'content-length': '9' }).write('{', () => to.destroy()),
      ],
      ['has no end', /more than 16777216 bytes/, (to) => endless(to, 'application/json')],
      ['has an event without end', /more than 16777216 characters/, (to) => endless(to, 'text/event-stream')],
    ];
    for (const [what, words, behave] of hostile)
      it(`says so when it ${what}`, async () => {
        asked.splice(0);
        answers = behave;
        const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
        const { code, out } = await run(['--url', url(), '--secret', 'secret-of-this-test'], `${list}\n`);
        assert.equal(code, 0);
        const { id, error } = JSON.parse(out);
        assert.equal(id, 1);
        assert.match(error.message, words);
        assert.doesNotMatch(error.message, /secret-of-this-test/);
        assert.deepEqual(asked, ['GET /mcp', 'POST /mcp']);
      });

    function endless(response: ServerResponse, type: string): void {
      response.writeHead(200, { 'content-type': type });
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    }
  });
});
