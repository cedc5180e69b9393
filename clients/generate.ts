// `npm run clients`: writes both clients from docs/openapi-*.json. `--check` only compares; a test does the same.
import { readFileSync, writeFileSync } from 'node:fs';
import { clientFiles } from './generate/files.ts';

const isCheck = process.argv.includes('--check');
for (const [path, text] of await clientFiles()) {
  const file = new URL(`../${path}`, import.meta.url);
  if (!isCheck) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) throw new Error(`${path} is stale: run \`npm run clients\``);
}
