import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../core/platform/package-root.ts';
import { roundsOf } from '../storage/dice.ts';

describe('the money of services under faults and kills', function () {
  this.timeout(300_000);

  it('a short play ends clean', async () => {
    const cli = join(packageRoot, 'test', 'money', 'cli.ts');
    const args = [
      '--import',
      'ts-blank-space/register',
      cli,
      '--play',
      'services',
      '--rounds',
      String(roundsOf(30)),
      '--seed',
      '3',
      '--json',
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: packageRoot });
    const { violations, worlds } = JSON.parse(stdout);
    assert.deepEqual(violations, []);
    assert.ok(worlds[0].counts.kills > 0, JSON.stringify(worlds[0].counts));
    assert.ok(worlds[0].counts['withdraw 202'] > 0, JSON.stringify(worlds[0].counts));
  });
});
