// Puts the program that counts a score again into one file for browsers. The modules of Node and those of ours that need them are
// replaced by those in the folder `browser`; all others are the very ones that the aggregator runs.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const replaced = {
  'core/protocol/envelopes/keccak.ts': 'keccak.ts',
  'core/protocol/identity/verify.ts': 'verify.ts',
  'core/messaging/verification/verifier.ts': 'verifier.ts',
  'core/platform/sodium.ts': 'sodium.ts',
};
const ofNode = { 'node:crypto': 'crypto.ts', 'node:net': 'net.ts' };
const own = (file) => join(here, 'browser', file);

const browser = {
  name: 'browser',
  setup({ onResolve }) {
    onResolve({ filter: /^node:(crypto|net)$/ }, ({ path }) => ({ path: own(ofNode[path]) }));
    onResolve({ filter: /\/(keccak|verify|verifier|sodium)\.ts$/ }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path).replaceAll('\\', '/');
      const found = Object.keys(replaced).find((name) => file.endsWith(name));
      return found && { path: own(replaced[found]) };
    });
  },
};

const shared = {
  absWorkingDir: join(here, '..', '..'),
  bundle: true,
  minify: true,
  platform: 'browser',
  target: 'es2022',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** Writes `recount.js`, a worker, and `signatures.js`, a module, into the folder; gives the names of what it read. */
export async function bundleRecount(folder) {
  const made = await Promise.all([
    build({
      ...shared,
      entryPoints: [join(here, 'program.ts')],
      outfile: join(resolve(folder), 'recount.js'),
      format: 'iife',
      inject: [own('buffer.ts')],
      define: { global: 'globalThis' },
      plugins: [browser],
    }),
    build({
      ...shared,
      entryPoints: [join(here, 'signatures.ts')],
      outfile: join(resolve(folder), 'signatures.js'),
      format: 'esm',
    }),
  ]);
  return made.flatMap(({ metafile }) => Object.keys(metafile.inputs));
}
