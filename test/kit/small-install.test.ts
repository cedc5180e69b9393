import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { type Locked, lockedWithIt } from './installed-with-it.ts';

const MB = 1_000_000;

describe('a node in earnest, installed without the optional packages', () => {
  const packages = withPeers(lockedWithIt({ optional: false }));

  it('takes less than 60 MB', function () {
    this.timeout(300_000);
    const build = "import('./bin/prepare.js').then(({ build }) => build({ declarations: true }))";
    assert.equal(spawnSync(process.execPath, ['-e', build], { cwd: packageRoot }).status, 0);
    const options = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const packed = spawnSync('npm', options, { cwd: packageRoot, encoding: 'utf8' });
    const [{ unpackedSize }] = JSON.parse(packed.stdout) as [{ unpackedSize: number }];
    const own = unpackedSize / MB;
    const others = packages.reduce((sum, [path]) => sum + bytesBelow(join(packageRoot, path)), 0) / MB;
    assert.ok(own > 5 && others > 20, `${own} MB and ${others} MB were counted`);
    assert.ok(own + others < 60, `the package takes ${own.toFixed(1)} MB and what it needs ${others.toFixed(1)} MB`);
  });

  it('runs no script of a package', () => {
    assert.ok(packages.length > 40);
    assert.deepEqual(
      packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path),
      [],
    );
  });

  it('has no package that wants a newer Node than 20.19', () => {
    const wanting = packages.filter(([, { engines }]) => engines?.node);
    assert.ok(wanting.length > 10);
    for (const [path, { engines }] of wanting) {
      const majors = [...engines!.node!.matchAll(/(\d+)(?:\.[\dx*]+)*/g)].map(([, major]) => Number(major));
      assert.ok(Math.min(...majors) <= 20, `${path} wants Node ${engines!.node}`);
    }
  });
});

/** With the packages that npm adds because others name them as peers: this checkout has them for itself, so the lock marks them otherwise. */
function withPeers(needed: [string, Locked][]): [string, Locked][] {
  const { packages } = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8'));
  const found = new Map(needed);
  for (const [, { peerDependencies = {}, peerDependenciesMeta = {} }] of found)
    for (const name of Object.keys(peerDependencies)) {
      const path = `node_modules/${name}`;
      if (!peerDependenciesMeta[name]?.optional && packages[path]) found.set(path, packages[path]);
    }
  return [...found];
}

/** Nested packages are entries of their own. */
function bytesBelow(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .reduce((sum, entry) => {
      const path = join(folder, entry.name);
      return sum + (entry.isDirectory() ? bytesBelow(path) : entry.isFile() ? statSync(path).size : 0);
    }, 0);
}
