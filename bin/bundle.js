// `node bin/bundle.js <folder>`: puts the program into a few files, with the packages that every start needs. Node would read
// and link a thousand modules otherwise, which was more than half of a start. What entries share is in chunks of its own, so
// that a class is the same one whether it comes from `agent-mesh` or from `agent-mesh/plugin`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { root } from './prepare.js';

const ENTRIES = [
  'core/cli/mesh.ts',
  'core/index.ts',
  'core/plugin.ts',
  'core/services.ts',
  'core/storage/adapter.ts',
  'adapters/index.ts',
  'adapters/testing.ts',
  'plugins/index.ts',
];

/** Run in threads of their own, so they need files of their own. */
const WORKERS = ['core/messaging/verification/verify-worker.ts', 'core/aggregator/reputation/score-worker.ts'];

/** Stay packages of their own: what few nodes load and then when they need it, and what benches alone load. */
const EXTERNAL = ['@solana/web3.js', 'ioredis', 'litesvm', 'bufferutil', 'utf-8-validate'];

/** Packages that are not ES modules ask for Node's own modules by `require`. */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

/** Bundles entries, named from the root of the package, into the folder under the same paths. Gives the files it read. */
export async function bundle(entries, folder) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entries, ...WORKERS],
    outdir: resolve(folder),
    outbase: root,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: EXTERNAL,
    banner: { js: REQUIRE },
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}

/** The licences of all packages among the inputs, which ask to travel with their code. */
function notices(inputs) {
  const packages = inputs.flatMap((input) => input.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []);
  return [...new Set(packages)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
    const texts = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...texts].join('\n\n');
  });
}

if (process.argv[1] === import.meta.filename) {
  const [folder = 'dist'] = process.argv.slice(2);
  const inputs = await bundle(ENTRIES, join(root, folder));
  writeFileSync(join(root, folder, 'LICENSES.txt'), `${notices(inputs).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
}
