import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { exampleOf } from '../../core/host/openapi/example.ts';
import { describeProfile } from '../../core/host/openapi/profile.ts';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import { shop } from '../support/shop.ts';
import { wire } from '../support/wire.ts';

const named = definePlugin({
  name: 'named',
  api: '2.0',
  schemas: [
    {
      $id: 'named/thing',
      type: 'object',
      required: ['agent'],
      properties: { agent: { $ref: 'common.json#/$defs/agent-id' } },
    },
  ],
  node: {
    routes: {
      put: route('PUT /named/:agent_id', {
        auth: 'api',
        summary: 'Puts a thing.',
        params: { agent_id: 'agent-id' },
        body: typed<object>({ $ref: 'named/thing' }),
        reply: 'agent-id',
        errors: ['insufficient_funds', 'ledger_unavailable', 'not_ready'],
        limit: { per: 'ip', rate: 10, window: 60 },
        feature: 'things',
        maxBody: 100,
      }),
    },
    setup: () => ({ routes: { put: ({ params }) => params.agent_id } }),
  },
});

describe('the OpenAPI document', () => {
  let document: any;
  before(async () => {
    const plugins = { shop: () => shop().plugin, wire: () => wire().plugin, named: () => named };
    document = await describeProfile('node', { profiles: { node: [], aggregator: [] }, plugins });
  });
  const operations = (): [string, any][] =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item as object).map(([method, operation]): [string, any] => [`${method} ${path}`, operation]),
    );

  it('is a well-formed OpenAPI 3.1 document', () => {
    assert.equal(document.openapi, '3.1.0');
    assert.ok(document.info.title && document.info.version);
    const ids = new Set<string>();
    for (const [line, operation] of operations()) {
      assert.ok(!ids.has(operation.operationId), line);
      ids.add(operation.operationId);
      assert.ok(Object.keys(operation.responses).length > 0, line);
      const names = [...line.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const inPath = operation.parameters.filter((parameter: any) => parameter.in === 'path');
      assert.deepEqual(
        inPath.map(({ name }: any) => name),
        names,
        line,
      );
      assert.ok(
        inPath.every(({ required }: any) => required === true),
        line,
      );
      for (const scheme of operation.security ?? []) {
        for (const name of Object.keys(scheme)) assert.ok(document.components.securitySchemes[name], name);
      }
      for (const [status, response] of Object.entries(operation.responses) as [string, any][]) {
        assert.match(status, /^([1-5]\d\d|default)$/);
        assert.ok(response.description ?? response.$ref, `${line} ${status}`);
      }
    }
    assert.deepEqual(
      document.tags.map(({ name }: any) => name),
      ['named', 'operations', 'shop', 'wire'],
    );
  });

  it('refers only to schemas it has, and they all compile', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);
    assert.ok(refs.length > 10);
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'document', components: document.components });
    for (const ref of refs) {
      if (ref === '#/components/responses/problem') continue;
      const name = /^#\/components\/schemas\/([\w.-]+)$/.exec(ref)?.[1];
      assert.ok(name && document.components.schemas[name], ref);
      assert.doesNotThrow(() => ajv.compile({ $ref: `document${ref}` }), ref);
    }
  });

  it('has an example that fits for every body', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'document', components: document.components });
    let bodies = 0;
    for (const [line, { requestBody }] of operations()) {
      for (const media of Object.values(requestBody?.content ?? {}) as any[]) {
        bodies += 1;
        assert.notEqual(media.example, undefined, line);
        const local = JSON.parse(JSON.stringify(media.schema).replaceAll('"#/components', '"document#/components'));
        assert.ok(ajv.validate(local, media.example), `${line}: ${ajv.errorsText()}`);
      }
    }
    assert.ok(bodies >= 4);
  });

  it('tells what a declaration says: guard, limit, errors, parameters, feature', () => {
    const { put } = document.paths['/named/{agent_id}'];
    assert.deepEqual([put.operationId, put.summary, put['x-feature']], ['named.put', 'Puts a thing.', 'things']);
    assert.deepEqual(put.security, [{ api: [] }]);
    assert.deepEqual(put['x-rate-limit'], { per: 'ip', rate: 10, window: 60 });
    assert.deepEqual(Object.keys(put.responses), [
      '200',
      '400',
      '401',
      '402',
      '404',
      '408',
      '413',
      '415',
      '429',
      '503',
      'default',
    ]);
    assert.match(put.responses['503'].description, /ledger_unavailable.*not_ready/);
    assert.ok(put.responses['429'].headers['Retry-After']);
    assert.equal(put.parameters[0].schema.$ref, '#/components/schemas/agent-id');
    assert.equal(put.requestBody.content['application/json'].schema.$ref, '#/components/schemas/named.thing');
    assert.equal(put.requestBody['x-max-bytes'], 100);
    const query = document.paths['/shop'].get.parameters.map(({ name, in: where }: any) => `${where} ${name}`);
    assert.deepEqual(query, ['query limit', 'query offset']);
    assert.equal(document.paths['/shop/sell'].post.parameters[0].name, 'Idempotency-Key');
  });

  it('shows streams as GET with 101 and their frames', () => {
    const echo = document.paths['/ws/echo/{room}'].get;
    assert.ok(echo.responses['101']);
    assert.deepEqual(echo['x-frame'].required, ['id']);
    assert.deepEqual(echo['x-receive'].required, ['id']);
    assert.equal(document.paths['/raw'].get['x-socket'], 'binary');
  });

  it('makes examples of every shape', () => {
    const contracts = loadContracts();
    const cases: [object, unknown][] = [
      [
        { type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 3 }, b: { type: 'string' } } },
        { a: 3 },
      ],
      [{ type: 'object', properties: { b: { type: 'string', examples: ['x'] } } }, { b: 'x' }],
      [{ oneOf: [{ const: 1 }, { const: 2 }] }, 1],
      [
        {
          allOf: [
            { properties: { a: { default: 1 } }, required: ['a'] },
            { properties: { b: { enum: ['y'] } }, required: ['b'] },
          ],
        },
        { a: 1, b: 'y' },
      ],
      [{ type: 'array', items: { type: 'boolean' } }, [true]],
      [{ type: ['string', 'null'], minLength: 6 }, 'text..'],
      [{ type: 'string', format: 'date-time' }, '2026-01-01T12:00:00.000Z'],
      [{ $ref: '#/endless' }, undefined],
    ];
    for (const [schema, expected] of cases) {
      const made = exampleOf(schema, () => ({ $ref: '#/endless' }));
      assert.deepEqual(made, expected);
      if (expected !== undefined) assert.deepEqual(contracts.problems(typed(schema), made), []);
    }
  });
});
