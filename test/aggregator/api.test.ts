import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import type { SchemaName } from '../../core/plugin.ts';
import { bootAggregator } from './support/aggregator.ts';

const file = JSON.parse(readFileSync(join(packageRoot, 'schemas/aggregator.json'), 'utf8'));
const schemas = Object.entries(file.$defs) as [SchemaName, { examples?: unknown[] }][];

/** Every route of the aggregator's first slice, as the specification writes it. */
const ROUTES: [method: string, path: string][] = [
  ['post', '/ingest/envelopes'],
  ['get', '/version'],
  ['get', '/agents'],
  ['get', '/agents/search'],
  ['get', '/agents/search/name'],
  ['get', '/agents/search/id'],
  ['get', '/agents/{agent_id}/profile'],
  ['get', '/reputation/{agent_id}'],
  ['get', '/leaderboard'],
  ['get', '/activity'],
  ['get', '/ws/activity'],
  ['get', '/ws/ledger'],
  ['get', '/stats/network'],
  ['get', '/registry'],
  ['get', '/interactions'],
  ['get', '/interactions/by/{agent_id}'],
  ['get', '/disputes/{agent_id}'],
];

describe('the API of an aggregator', () => {
  it('has every route in its OpenAPI document, open to everyone, with a summary', async () => {
    const aggregator = await bootAggregator();
    try {
      const { paths } = await aggregator.read('/openapi.json');
      for (const [method, path] of ROUTES) {
        const operation = paths[path]?.[method];
        assert.ok(operation?.summary, `${method} ${path}`);
        assert.deepEqual(operation.security ?? [], [], `${method} ${path}`);
      }
    } finally {
      await aggregator.stop();
    }
  });

  const contracts = loadContracts();
  for (const [name, { examples = [] }] of schemas) {
    it(`has a schema ${name} that compiles${examples.length > 0 ? ' and fits its examples' : ''}`, () => {
      assert.equal(contracts.fault(name), undefined);
      for (const example of examples) assert.deepEqual(contracts.problems(name, structuredClone(example)), []);
    });
  }

  it('has an example of everything that is asked and answered', () => {
    const shown = new Set(schemas.filter(([, { examples }]) => examples).map(([name]) => name as string));
    const needed = schemas
      .map(([name]) => name as string)
      .filter((name) => /-(query|request|reply|profile)$/.test(name));
    assert.deepEqual(
      needed.filter((name) => !shown.has(name)),
      [],
    );
  });
});
