import assert from 'node:assert/strict';
import type { Profile } from '../../core/plugin.ts';
import { apiDocument, DocumentSchemas, type Operation, operationsOf } from './api-document.ts';
import { SPECIFIED } from './endpoint-table.ts';

const JSON_TYPE = 'application/json';
/** Of A2A over HTTP, whose errors have a form of their own. */
const A2A_TYPE = 'application/a2a+json';
const PROBLEM_TYPE = 'application/problem+json';

for (const profile of ['node', 'aggregator'] as const) {
  const document = apiDocument(profile);
  const schemas = new DocumentSchemas(document);
  const operations = operationsOf(document);

  describe(`the API document of the ${profile} profile`, () => {
    for (const part of new Set(SPECIFIED.filter((row) => row.profile === profile).map((row) => row.part))) {
      describe(part, () => {
        for (const { line, due } of SPECIFIED.filter((row) => row.profile === profile && row.part === part)) {
          const operation = operations.find((one) => one.line === line);
          if (due || operation) it(`has ${line}`, () => assert.ok(operation));
          else it(`has ${line}`);
        }
      });
    }

    for (const operation of operations) {
      describe(operation.line, () => describeOperation(operation, document, schemas, profile));
    }

    it('has no version in any path', () => {
      assert.deepEqual(
        operations.filter(({ path }) => /^\/(api|v\d+)(\/|$)/.test(path)),
        [],
      );
    });

    it('has the same names in paths as the specification: snake_case parameters', () => {
      const names = operations.flatMap(({ path }) => [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!));
      assert.deepEqual(
        names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name)),
        [],
      );
    });

    for (const [name, schema] of Object.entries(document.components.schemas as Record<string, any>)) {
      if (!schema.examples) continue;
      it(`has a schema ${name} that fits its own examples`, () => {
        for (const example of schema.examples) assert.deepEqual(schemas.problems(schema, example), []);
      });
    }
  });
}

/** Statuses under which nothing but a head comes; a redirect is one. */
const WITHOUT_BODY = new Set(['101', '204', '304', '308']);

function describeOperation(
  { spec, path, line }: Operation,
  document: any,
  schemas: DocumentSchemas,
  profile: Profile,
): void {
  it('says in a sentence what it does', () => assert.match(spec.summary ?? '', /^[A-Z].{5,}/));

  it('says how often one caller may call it', () => {
    const { per, rate, window } = spec['x-rate-limit'] ?? {};
    assert.ok(['ip', 'principal'].includes(per) && rate > 0 && window > 0);
    assert.ok(spec.responses['429']);
  });

  it('names every segment of its path, with an example that fits', () => {
    const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
    const described = spec.parameters.filter((one: any) => one.in === 'path');
    assert.deepEqual(
      described.map(({ name }: any) => name),
      names,
    );
    for (const { schema, example } of described) assert.deepEqual(schemas.problems(schema, example), []);
  });

  it('has an example that fits for every parameter of its query and headers', () => {
    for (const { in: where, name, schema, example } of spec.parameters) {
      if (where === 'path') continue;
      assert.notEqual(example, undefined, name);
      assert.deepEqual(schemas.problems(schema, example), [], name);
    }
  });

  it('names guards that the document explains', () => {
    for (const name of (spec.security ?? []).flatMap((one: object) => Object.keys(one))) {
      const scheme = document.components.securitySchemes[name];
      assert.ok(scheme?.type && scheme.description, name);
      assert.ok(spec.responses['401'], 'answers 401');
    }
  });

  it('changes nothing without a credential or a signature', () => {
    if (line.startsWith('GET ') || line.startsWith('WS ') || SIGNED_CONTENT.has(line) || CHANGES_NOTHING.has(line))
      return;
    if (line === REGISTERS) return;
    // Its tools at an aggregator read what everybody may read.
    if (line === 'POST /mcp' && profile === 'aggregator') return;
    assert.ok(spec.security?.length > 0);
  });

  it('describes its body, with an example that fits and is not too large', () => {
    if (!spec.requestBody) return;
    assert.ok(Object.keys(spec.requestBody.content).length > 0);
    for (const [type, { schema, example }] of Object.entries(spec.requestBody.content) as [string, any][]) {
      assert.notEqual(example, undefined);
      if (type === JSON_TYPE) assert.deepEqual(schemas.problems(schema, example), []);
      assert.ok(JSON.stringify(example).length <= (spec.requestBody['x-max-bytes'] ?? 65_536));
    }
    assert.ok(spec.responses['413']);
    if (spec.requestBody.content[JSON_TYPE]) assert.ok(spec.responses['415']);
  });

  it('describes its answer, with an example that fits', () => {
    const good = Object.entries(spec.responses).filter(([status]) => Number(status) < 400) as [string, any][];
    assert.ok(good.length > 0);
    for (const [status, { content = {} }] of good) {
      if (WITHOUT_BODY.has(status)) {
        assert.deepEqual(content, {});
        continue;
      }
      // A2A and MCP answer one call with JSON or with a stream of it.
      assert.ok(Object.keys(content).length === 1 || /^[A-Z]+ \/(a2a|mcp)\b/.test(line));
      for (const [type, { schema, example }] of Object.entries(content) as [string, any][]) {
        assert.notEqual(example, undefined);
        if (type === JSON_TYPE) assert.deepEqual(schemas.problems(schema, example), []);
        else assert.equal(typeof example, /[/+]json$/.test(type) ? 'object' : 'string');
      }
    }
  });

  it('describes its frames, with an example that fits', () => {
    if (!spec['x-frame']) return;
    assert.deepEqual(schemas.problems(spec['x-frame'], spec['x-frame-example']), []);
  });

  it('names its errors, each as a problem document of its own status', () => {
    assert.ok(spec.responses['400'] && spec.responses.default);
    for (const [status, { description, content }] of Object.entries(spec.responses) as [string, any][]) {
      if (Number(status) < 400 || status === 'default' || content[JSON_TYPE] || content[A2A_TYPE]) continue;
      assert.match(description, /^`[a-z_0-9]+` \(\d{3}\): [A-Z]/);
      const { schema, example } = content[PROBLEM_TYPE];
      assert.deepEqual(schemas.problems(schema, example), []);
      assert.equal(String(example.status), status);
    }
  });
}

/** Whoever has no credential yet gets one here, within the limits of the host. */
const REGISTERS = 'POST /hosted/register';

/** What needs no credential because everything in it is signed. */
const SIGNED_CONTENT = new Set([
  'POST /ingest/envelopes',
  'POST /agents/{agent_id}/pending',
  'POST /agents/{agent_id}/claim-owner',
  'PUT /epochs/{agent_id}/{epoch}/leaves',
  'POST /latency/reports',
  'POST /registry/8004/register-submit',
]);
/** A note of it lapses after ten minutes; the specification lets everybody ask ten times a minute. */
const CHANGES_NOTHING = new Set(['POST /ard/v1/search', 'POST /registry/8004/register-prepare']);

describe('the table of endpoints', () => {
  it('names nothing twice', () => {
    const lines = SPECIFIED.map(({ profile, line }) => `${profile} ${line}`).sort();
    const health = (profile: Profile) => lines.filter((line) => line === `${profile} GET /health`).length;
    assert.deepEqual([health('node'), health('aggregator')], [1, 1]);
    assert.deepEqual([...new Set(lines)], lines);
  });
});
