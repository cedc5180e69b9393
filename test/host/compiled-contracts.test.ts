import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Catalogue } from '../../core/contracts/catalogue.ts';
import type { Check } from '../../core/contracts/compiled.ts';
import { fills } from '../../core/contracts/engine.ts';
import { explain } from '../../core/contracts/problems.ts';
import type { SchemaName } from '../../core/contracts/typed.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { plugins } from '../../plugins/index.ts';

const READINGS = ['plain', 'exact', 'input', 'query'] as const;
/** `MESH_TEST_ROUNDS=1` compares every contract in each way of reading, which takes ten seconds. */
const isWhole = process.env['MESH_TEST_ROUNDS'] !== undefined;

type Schema = { readonly examples?: readonly unknown[]; readonly default?: unknown };

describe('contracts that the build has compiled', function () {
  this.timeout(60_000);
  const catalogue = Catalogue.read(join(packageRoot, 'schemas'));
  const named = [...catalogue.documents].flatMap(([document, { $defs = {} }]: [string, { $defs?: object }]) =>
    Object.entries($defs).map(([name, schema]): [string, string, Schema] => [document, name, schema]),
  );

  for (const [at, reading] of READINGS.entries()) {
    it(`say the same as the compiler, and change a value the same way: ${reading}`, () => {
      const compiler = catalogue.compiler(reading);
      let refused = 0;
      for (const [index, [document, name, schema]] of named.entries()) {
        if (fills(reading) && schema.default !== undefined) continue;
        if (!isWhole && index % READINGS.length !== at) continue;
        const compiled = catalogue.check(name as SchemaName, reading);
        const compiledNow = compiler.getSchema(`/${document}#/$defs/${name}`) as Check;
        for (const value of [...(schema.examples ?? []), ...[undefined, null, 0, '', 'x', [], {}]].flatMap(damaged)) {
          const is = outcome(compiled, value);
          assert.deepEqual(is, outcome(compiledNow, value), `${name}: ${JSON.stringify(value)}`);
          if (!is.fits) refused += 1;
        }
      }
      assert.ok(refused > 500, `${refused} values were refused`);
    });
  }

  it('are there for the settings of a node, and for what its plugins declare', async () => {
    assert.ok(catalogue.isCompiled({ schema: (await plugins['skills']!()).config!.schema }) === false);
    const { routes } = (await plugins['webhooks']!()).node as { routes: Record<string, { spec: { body?: object } }> };
    const bodies = Object.values(routes).flatMap(({ spec }) => (spec.body ? [spec.body as { schema: object }] : []));
    assert.ok(bodies.length > 0);
    for (const body of bodies) if (typeof body !== 'string') assert.ok(catalogue.isCompiled(body));
    assert.match(`${catalogue.check('settings', 'input')}`, /^function validate|^function \w+\(/);
  });
});

/** The value, and what it becomes with one fault: a member that is missing, unknown, too large or of another type. */
function damaged(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  if (Array.isArray(value)) return [value, [...value, ...value], ...value.slice(0, 1).map((item) => [item, 7])];
  const members = Object.entries(value);
  return [
    value,
    { ...value, unknown: 1 },
    ...members.flatMap(([name, member]) => [
      Object.fromEntries(members.filter(([other]) => other !== name)),
      { ...value, [name]: typeof member === 'string' ? 7 : 'x' },
      { ...value, [name]: typeof member === 'number' ? 1e9 : typeof member === 'string' ? `${member}!` : null },
      { ...value, [name]: `${member}` },
    ]),
  ];
}

function outcome(check: Check, given: unknown) {
  const value = structuredClone(given);
  const fits = check(value) === true;
  return { fits, value, problems: fits ? [] : (check.errors ?? []).map((error) => explain(error as never)) };
}
