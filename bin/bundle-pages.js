// Puts the pages of explorer and console into few files, as a built program serves them: each document has one style sheet and one script
// beside the one it begins with (decision 057). Sources serve them one by one, as they are written.
// `npm run pages` makes them anew below a program that runs; a reload of the page shows them.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, transform } from 'esbuild';
import { root } from './prepare.js';

const PAGES = join(root, 'plugins', 'explorer', 'public');
/** Hexadecimal letters of a hash in a name, by which browsers keep a file for good. */
const HASH = 12;

/** A link to a style sheet, a line of a document: where the root is from there, and the name. */
const SHEET = /^ *<link rel="stylesheet" href="([^"]*)explorer\/([^"]+\.css)">\n/gm;
const SCRIPT = /(<script (?:type="module" )?src="[^"]*explorer\/)([^"]+)\.js"/g;

/** Writes the pages into the folder. */
export async function bundlePages(folder) {
  const target = resolve(folder);
  mkdirSync(target, { recursive: true });
  const documents = readdirSync(PAGES)
    .filter((name) => name.endsWith('.html'))
    .map((name) => ({ name, text: readFileSync(join(PAGES, name), 'utf8') }));
  const scripts = await bundleScripts(documents, target);
  const sheets = new Map();
  for (const { name, text } of documents) {
    const own = [...text.matchAll(SHEET)];
    const names = own.map(([, , sheet]) => sheet);
    const key = names.join(' ');
    if (names.length > 0 && !sheets.has(key)) sheets.set(key, await joinSheets(names, target));
    let isFirst = true;
    const written = text
      .replace(SHEET, (line, _, sheet) => {
        if (!isFirst) return '';
        isFirst = false;
        return line.replace(sheet, sheets.get(key));
      })
      .replace(SCRIPT, (_, before, script) => `${before}${scripts.get(script)}"`);
    writeFileSync(join(target, name), written);
  }
  copyFileSync(join(PAGES, 'icon.svg'), join(target, 'icon.svg'));
}

/** The scripts that documents name, each with all that it imports, now or when it is needed. By their names without ending. */
async function bundleScripts(documents, target) {
  const names = new Set(documents.flatMap(({ text }) => [...text.matchAll(SCRIPT)].map(([, , script]) => script)));
  const { outputFiles } = await build({
    absWorkingDir: PAGES,
    entryPoints: [...names].map((name) => `${name}.js`),
    outdir: target,
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    sourcemap: 'external',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const textOf = (name) => outputFiles.find(({ path }) => path === join(target, name)).text;
  return new Map(
    [...names].map((name) => {
      const text = textOf(`${name}.js`);
      const made = hashed(name, 'js', text);
      writeFileSync(join(target, made), `${text}//# sourceMappingURL=${made}.map\n`);
      writeFileSync(join(target, `${made}.map`), textOf(`${name}.js.map`));
      return [name, made];
    }),
  );
}

async function joinSheets(names, target) {
  const all = names.map((name) => readFileSync(join(PAGES, name), 'utf8')).join('\n');
  const { code } = await transform(all, { loader: 'css', minify: true, legalComments: 'none' });
  const made = hashed(names.at(-1).replace(/\.css$/, ''), 'css', code);
  writeFileSync(join(target, made), code);
  return made;
}

function hashed(name, ending, text) {
  return `${name}-${createHash('sha256').update(text).digest('hex').slice(0, HASH)}.${ending}`;
}

if (process.argv[1] === import.meta.filename) {
  const folder = join(root, 'dist', 'pages');
  rmSync(folder, { recursive: true, force: true });
  await bundlePages(folder);
}
