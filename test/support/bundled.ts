import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle } from '../../bin/bundle.js';
import { packageRoot } from '../../core/platform/package-root.ts';

export interface Bundled {
  /** The script as plain JavaScript. */
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * A script of the tests, named from the root of the package, put together as the product is: a process that need not compile
 * itself starts ten times faster. The folder is the package's own, so that its schemas and programs are found.
 */
export async function bundled(script: string): Promise<Bundled> {
  const folder = await mkdtemp(join(packageRoot, 'dist-tests-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await bundle([script], folder);
  return {
    path: join(folder, script.replace(/\.ts$/, '.js')),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
