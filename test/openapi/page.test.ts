import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { commandFor } from '../../core/host/openapi/page/command.ts';
import { html, prose } from '../../core/host/openapi/page/html.ts';
import { describeInHtml } from '../../core/host/openapi/page/page.ts';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import { apiDocument, operationsOf } from '../spec/api-document.ts';
import { startProcess } from '../spec/processes.ts';
import { testNode } from '../support/node.ts';

const shell = promisify(execFile);

describe('the page at /docs', () => {
  for (const profile of ['node', 'aggregator'] as const) {
    it(`of the ${profile} profile shows every operation, parameter, status and schema of the document`, () => {
      const document = apiDocument(profile);
      const page = describeInHtml(document);
      for (const { spec, path } of operationsOf(document)) {
        const section = page.slice(page.indexOf(`id="${spec.operationId}"`)).split('</section>')[0]!;
        assert.ok(section.includes(path), path);
        for (const { name } of spec.parameters) assert.ok(section.includes(`<code>${name}</code>`), `${path} ${name}`);
        for (const status of Object.keys(spec.responses).filter((one) => Number(one) >= 400)) {
          assert.ok(section.includes(`<th>${status}</th>`), `${path} ${status}`);
        }
        for (const name of (spec.security ?? []).flatMap((one: object) => Object.keys(one))) {
          assert.ok(section.includes(`href="#auth-${name}"`), path);
        }
      }
      for (const name of Object.keys(document.components.schemas))
        assert.ok(page.includes(`id="schema-${name}"`), name);
    });

    it(`of the ${profile} profile has no link that leads nowhere, and nothing from elsewhere`, () => {
      const page = describeInHtml(apiDocument(profile));
      for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(page.includes(`id="${target}"`), target);
      assert.doesNotMatch(page, /<(script|img|link|iframe)|url\(|@import/i);
      assert.doesNotMatch(page, /undefined|\[object Object\]|NaN/);
    });
  }

  it('is served as HTML that may load and run nothing', async () => {
    const { node, stop } = await startProcess('aggregator');
    try {
      const response = await fetch(`${node.url}/docs`);
      const page = await response.text();
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      const policy = response.headers.get('content-security-policy')!;
      const style = /<style>([\s\S]*)<\/style>/.exec(page)![1]!;
      const hash = createHash('sha256').update(style).digest('base64');
      assert.match(policy, /default-src 'none'/);
      assert.ok(policy.includes(`style-src 'sha256-${hash}'`));
      assert.ok(page.includes(`curl ${node.url}/leaderboard`));
    } finally {
      await stop();
    }
  });

  it('has lines that work in a shell as they are', async () => {
    const { node, stop } = await startProcess('node');
    try {
      const document: any = await (await fetch(`${node.url}/openapi.json`)).json();
      const lines = ['GET /identity', 'POST /negotiate/propose', 'GET /deals'];
      for (const one of operationsOf(document).filter(({ line }) => lines.includes(line))) {
        const command = commandFor({ method: one.method.toLowerCase(), path: one.path, operation: one.spec }, node.url);
        const env = { ...process.env, API_SECRET: node.apiSecret };
        const { stdout } = await shell('sh', ['-c', `${command} -s -o /dev/null -w '%{http_code}'`], { env });
        assert.equal(stdout, '200', command);
      }
    } finally {
      await stop();
    }
  });

  it('shows what plugins say as text, never as markup', async () => {
    const nasty = `<script>alert("1")</script>'&`;
    const plugin = definePlugin({
      name: 'nasty',
      api: '2.0',
      node: {
        routes: {
          get: route('POST /nasty', {
            auth: 'api',
            summary: nasty,
            body: typed<object>({
              type: 'object',
              description: nasty,
              properties: { a: { type: 'string', description: nasty, default: nasty, enum: [nasty] } },
              examples: [{ a: nasty }],
            }),
          }),
        },
        setup: () => ({ routes: { get() {} } }),
      },
    });
    const node = await testNode({ plugins: [plugin] });
    try {
      const page = await (await fetch(`${node.url}/docs`)).text();
      assert.ok(page.includes('/nasty'));
      assert.doesNotMatch(page, /<script/);
    } finally {
      await node.stop();
    }
  });

  it('escapes everything that is put into HTML', () => {
    assert.equal(html`<b>${'<&>"\''}</b>`.text, '<b>&#60;&#38;&#62;&#34;&#39;</b>');
    assert.equal(html`${['a', html`<i>${'<'}</i>`, undefined, false, 0]}`.text, 'a<i>&#60;</i>0');
    assert.equal(prose('see `a<b` there').text, 'see <code>a&#60;b</code> there');
  });

  it('quotes for the shell what the shell would read otherwise', () => {
    const operation = {
      parameters: [{ in: 'path', name: 'id', example: "a b/c'" }],
      requestBody: { content: { 'application/json': { example: { text: `it's $HOME` } } } },
      security: [{ api: [] }],
    };
    assert.equal(
      commandFor({ method: 'put', path: '/things/{id}', operation }, 'http://127.0.0.1:1'),
      `curl -X PUT 'http://127.0.0.1:1/things/a%20b%2Fc'\\''' -H "authorization: Bearer $API_SECRET" -H 'content-type: application/json' -d '{"text":"it'\\''s $HOME"}'`,
    );
  });

  it('names the credential that the guard asks for', () => {
    const bare = { parameters: [], security: [{ agent: [] }] };
    assert.equal(
      commandFor({ method: 'get', path: '/mine', operation: bare }, 'http://a'),
      'curl http://a/mine -H "authorization: Bearer $AGENT_TOKEN"',
    );
    assert.equal(
      commandFor({ method: 'get', path: '/all', operation: { parameters: [] } }, 'http://a'),
      'curl http://a/all',
    );
  });
});
