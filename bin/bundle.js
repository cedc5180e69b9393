// `node bin/bundle.js <folder>`: puts the program into a few files, with the packages that every start needs. Node would read
// and link a thousand modules otherwise, which was more than half of a start. What entries share is in chunks of its own, so
// that a class is the same one whether it comes from `agent-mesh` or from `agent-mesh/plugin`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundleRecount } from '../clients/recount/bundle.js';
import { bundlePages } from './bundle-pages.js';
import { provideContracts } from './contracts.js';
import { root } from './prepare.js';

const ENTRIES = [
  'core/cli/mesh.ts',
  'core/client/index.ts',
  'core/index.ts',
  'core/plugin.ts',
  'core/services.ts',
  'core/storage/adapter.ts',
  'adapters/index.ts',
  'adapters/testing.ts',
  'plugins/index.ts',
  'plugins/billing/settlement/index.ts',
];

/** Run in threads of their own, so they need files of their own. */
const WORKERS = ['core/messaging/verification/verify-worker.ts', 'core/aggregator/reputation/score-worker.ts'];

/** Stay packages of their own: what few nodes load and then when they need it, and what benches alone load. */
const EXTERNAL = ['@solana/web3.js', 'ioredis', 'litesvm', 'bufferutil', 'utf-8-validate'];

/** Packages that are not ES modules ask for Node's own modules by `require`. */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

/** Runs in browsers too: neither it nor a chunk it imports may ask for a module of Node. */
const PORTABLE = 'core/client/index.ts';

/** Bundles entries, named from the root of the package, into the folder under the same paths, and the pages beside them. Gives the files it read. */
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
  await bundlePages(join(folder, 'pages'));
  if (entries.includes(PORTABLE)) makePortable(join(resolve(folder), PORTABLE.replace(/\.ts$/, '.js')));
  return Object.keys(metafile.inputs);
}

/**
 * Takes what is Node's out of a file and the chunks it takes names from: the banner, and the bare imports of chunks, which
 * keep an order of evaluation that the client does not need. The lines stay, so that source maps still fit.
 */
function makePortable(file) {
  const text = readFileSync(file, 'utf8')
    .replace(REQUIRE, '//')
    .replace(/^import "[^"]+";$/gm, '//');
  writeFileSync(file, text);
  for (const [, path] of text.matchAll(/^(?:import )?[{}].* from "(\.[^"]+)";$/gm)) {
    makePortable(join(dirname(file), path));
  }
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
  provideContracts(join(root, folder, 'contracts'));
  inputs.push(...(await bundleRecount(join(root, folder, 'browser'))));
  writeFileSync(join(root, folder, 'LICENSES.txt'), `${notices(inputs).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
}
