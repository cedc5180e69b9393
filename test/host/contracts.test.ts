import assert from 'node:assert/strict';
import { aggregatorProfile } from '../../core/aggregator/index.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { operations } from '../../core/host/boot/operations.ts';
import { contractsOf, faceOf } from '../../core/host/loader/declarations.ts';
import type { Loaded } from '../../core/host/loader/load.ts';
import { nodeProfile } from '../../core/node/index.ts';
import { type Endpoint, MeshError, type Plugin, typed } from '../../core/plugin.ts';

describe('contracts', () => {
  const contracts = loadContracts();
  const Order = typed<{ to: string; amount: number; tags?: string[]; kind?: string; note?: string }>({
    type: 'object',
    required: ['to', 'amount'],
    additionalProperties: false,
    properties: {
      to: { $ref: 'common.json#/$defs/agent-id' },
      amount: { type: 'integer', minimum: 1, maximum: 9 },
      tags: { type: 'array', maxItems: 3, items: { type: 'string', minLength: 1 } },
      note: { type: 'string', minLength: 2, maxLength: 4 },
      kind: { enum: ['buy', 'sell'], default: 'buy' },
    },
  });
  const to = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';

  it('returns a value that fits and leaves it alone', () => {
    const order = { to, amount: 3 };
    assert.equal(contracts.validate(Order, order), order);
    assert.deepEqual(Object.keys(order), ['to', 'amount']);
  });

  it('fills in defaults of what comes in', () => {
    assert.equal(contracts.validate(Order, { to, amount: 3 }, 'input').kind, 'buy');
  });

  it('fills in defaults of what is large too, and tells only its first problem', () => {
    assert.equal(contracts.validate(Order, { to, amount: 3 }, 'large').kind, 'buy');
    const wrong = { to, amount: 3, tags: [1, 2, 3] };
    assert.equal(contracts.problems(Order, wrong, 'input').length, 3);
    assert.deepEqual(contracts.problems(Order, wrong, 'large'), [{ pointer: '/tags/0', message: 'must be a string' }]);
  });

  it('makes text of a query what the schema says', () => {
    const query = contracts.validate(Order, { to, amount: '3', tags: 'one' }, 'query');
    assert.deepEqual(query, { to, amount: 3, tags: ['one'], kind: 'buy' });
    assert.deepEqual(contracts.problems(Order, { to, amount: '' }, 'query'), [
      { pointer: '/amount', message: 'must be an integer' },
    ]);
  });

  const cases: [string, unknown, string, RegExp][] = [
    ['a missing field', { to }, '/amount', /^is required$/],
    ['an unknown field', { to, amount: 1, 'a/b': 1 }, '/a~1b', /^is not a known field$/],
    ['a wrong type', { to, amount: '1' }, '/amount', /^must be an integer$/],
    ['a number out of range', { to, amount: 10 }, '/amount', /<= 9/],
    ['a wrong form', { to: '0x', amount: 1 }, '/to', /expected: An agent: 32 bytes/],
    ['a text that is too short', { to, amount: 1, note: 'a' }, '/note', /^must have at least 2 characters$/],
    ['a text that is too long', { to, amount: 1, note: 'abcde' }, '/note', /^must have at most 4 characters$/],
    ['an empty item', { to, amount: 1, tags: [''] }, '/tags/0', /^must have at least 1 character$/],
    ['a list that is too long', { to, amount: 1, tags: ['a', 'b', 'c', 'd'] }, '/tags', /^must have at most 3 items$/],
    ['a value outside a list', { to, amount: 1, kind: 'x' }, '/kind', /must be one of buy, sell/],
    ['no object at all', [], '', /^must be an object$/],
  ];
  for (const [name, value, pointer, message] of cases) {
    it(`names the field of ${name}`, () => {
      const [problem] = contracts.problems(Order, value);
      assert.equal(problem?.pointer, pointer);
      assert.match(problem?.message ?? '', message);
    });
  }

  it('compiles every schema of this package', () => {
    const files = [...contracts.documents].filter(([name]) => name.endsWith('.json'));
    const names = files.flatMap(([, { $defs = {} }]: [string, { $defs?: object }]) => Object.keys($defs));
    assert.ok(names.length > 100);
    for (const name of names as 'agent-id'[]) contracts.problems(name, undefined);
  }).timeout(60_000);

  const ours = { node: nodeProfile, aggregator: aggregatorProfile } as const;
  for (const [profile, faces] of Object.entries(ours) as ['node' | 'aggregator', readonly Plugin[]][]) {
    it(`compiles what core declares for ${profile}, because no start does`, () => {
      for (const plugin of [operations, ...faces]) {
        const { routes = {} } = faceOf({ plugin } as Loaded, profile);
        const declared = (Object.values(routes) as Endpoint[]).flatMap(contractsOf);
        if (plugin.config) declared.push(['configuration', plugin.config]);
        for (const [part, contract] of declared) {
          assert.equal(contracts.fault(contract), undefined, `${plugin.name}: ${part}`);
        }
      }
    }).timeout(60_000);
  }

  it('throws invalid_request with at most twenty problems', () => {
    const wrong = { to, amount: 1, tags: Array.from({ length: 100 }, (_, i) => i) };
    assert.throws(
      () => contracts.validate(Order, wrong),
      (error: MeshError) => error instanceof MeshError && error.details.fields?.length === 20,
    );
  });

  it('says why a contract cannot be used', () => {
    assert.equal(contracts.fault('agent-id'), undefined);
    assert.match(contracts.fault('nope' as 'agent-id') ?? '', /no schema named nope/);
    assert.match(contracts.fault(typed({ type: 'nope' })) ?? '', /schema is invalid/);
    assert.match(contracts.fault(typed({ $ref: 'common.json#/$defs/nope' })) ?? '', /can't resolve/);
  });

  it('takes schemas of plugins by their id, once', () => {
    const own = loadContracts();
    own.add({ $id: 'weather/city', type: 'string', minLength: 2 });
    assert.equal(own.fault(typed({ $ref: 'weather/city' })), undefined);
    assert.equal(own.problems(typed({ $ref: 'weather/city' }), 'x').length, 1);
    assert.throws(() => own.add({ $id: 'weather/city' }), /already there/);
  });
});
