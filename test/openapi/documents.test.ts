import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientFiles } from '../../clients/generate/files.ts';
import { ERRORS } from '../../core/contracts/errors.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { errorPage } from './error-page.ts';
import { printedDocument } from './printed-document.ts';

describe('the committed documents of the API', () => {
  for (const profile of ['node', 'aggregator'] as const) {
    it(`docs/openapi-${profile}.json is what mesh openapi prints; otherwise run npm run openapi`, async () => {
      const committed = readFileSync(join(packageRoot, `docs/openapi-${profile}.json`), 'utf8');
      assert.ok(committed === (await printedDocument(profile)), 'the document differs from the code');
    });
  }

  it('declare the refusals of a protocol in its own words beside problems of the same status', () => {
    const problem = 'application/problem+json';
    for (const [profile, path, method, status, types] of [
      ['aggregator', '/ard/v1/search', 'post', 400, ['application/json', problem]],
      ['aggregator', '/ard/v1/agents/{identifier}', 'get', 404, ['application/json', problem]],
      ['node', '/a2a/hire/{agent}', 'post', 400, ['application/json', 'text/event-stream', problem]],
      [
        ...(['node', '/a2a/hire/{agent}/{path}', 'get', 400] as const),
        ['application/a2a+json', 'application/json', 'text/event-stream', problem],
      ],
      ['node', '/mcp', 'post', 415, ['application/json', 'text/event-stream']],
    ] as const) {
      const { paths } = JSON.parse(readFileSync(join(packageRoot, `docs/openapi-${profile}.json`), 'utf8'));
      const { content } = paths[path][method].responses[status];
      assert.deepEqual(Object.keys(content), types, path);
      // A JSON text of a protocol is any value, and no string.
      if (path !== '/ard/v1/search') assert.notEqual(content['application/json'].schema.type, 'string', path);
    }
  });

  it('are what the clients in JavaScript and Python were written from; otherwise run npm run clients', async () => {
    for (const [path, text] of await clientFiles()) {
      assert.ok(readFileSync(join(packageRoot, path), 'utf8') === text, `${path} differs from the documents`);
    }
  });

  it('docs/errors.md has a row for every code, and is what npm run openapi writes', async () => {
    const committed = readFileSync(join(packageRoot, 'docs/errors.md'), 'utf8');
    assert.ok(committed === (await errorPage()), 'the page differs from the code: run npm run openapi');
    for (const [code, [status, title]] of Object.entries(ERRORS)) {
      assert.ok(committed.includes(`| ${status} | \`${code}\` | ${title} | `), code);
    }
  });
});
