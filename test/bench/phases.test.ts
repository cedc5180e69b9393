import assert from 'node:assert/strict';
import { join } from 'node:path';
import { run } from '../../conformance/provide/command.ts';
import { packageRoot } from '../../core/platform/package-root.ts';

/** Measures that play a whole mesh, as small as they go: each comes to its end, and its figures are numbers above 0. */
describe('a phase of a bench', function () {
  this.timeout(120_000);
  for (const [phase, ...sizes] of [
    ['hosted/wake.ts', '1'],
    ['blobs/phase.ts', '8'],
    ['x402/buying-phase.ts', '1', '4'],
  ] as const) {
    it(`ends with its figures: ${phase}`, async () => {
      const file = join(packageRoot, 'bench', phase);
      const { code, out, err } = await run(process.execPath, ['--import', 'ts-blank-space/register', file, ...sizes], {
        cwd: packageRoot,
      });
      assert.equal(code, 0, err);
      for (const [name, value] of Object.entries(JSON.parse(out)))
        assert.ok(typeof value === 'number' && value > 0, `${name}: ${value}`);
    });
  }
});
