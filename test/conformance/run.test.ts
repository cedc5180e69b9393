import assert from 'node:assert/strict';
import { run } from '../../conformance/provide/command.ts';
import { packageRoot } from '../../core/platform/package-root.ts';

describe('npm run conformance', function () {
  this.timeout(60_000);
  const asked = (...args: string[]) =>
    run(process.execPath, ['--import', 'ts-blank-space/register', 'conformance/run.ts', ...args], { cwd: packageRoot });

  it('says what to fetch for a judge that is in no registry', async () => {
    const { code, err } = await asked('a2a');
    assert.equal(code, 2);
    assert.match(err, /is left out: the kit is in no registry: git clone .* and give its folder by --tck/);
  });

  it('names its judges, and a flag that it has not', async () => {
    assert.match((await asked('nobody')).err, /There is no such judge\. Judges: .*Agent2Agent/);
    const { code, err } = await asked('--nothing');
    assert.deepEqual([code, err.includes("'--nothing'")], [2, true]);
  });
});
