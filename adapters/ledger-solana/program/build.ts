// Writes everything that is made from the declarations and the C source: src/layout.h, the tables of docs/program.md,
// and settlement.so where the compiler is installed.
import { readFileSync, writeFileSync } from 'node:fs';
import { compile, compilerVersion, REQUIRED_COMPILER } from './compile.ts';
import { renderHeader } from './layout/c-header.ts';
import { documentPath, withTables } from './layout/document.ts';
import { programFile } from './program-file.ts';

writeFileSync(new URL('./src/layout.h', import.meta.url), renderHeader());
const version = compilerVersion();
if (version === REQUIRED_COMPILER) {
  const bytes = compile();
  writeFileSync(programFile, bytes);
  process.stdout.write(`settlement.so: ${bytes.length} bytes\n`);
} else {
  process.stdout.write(
    `settlement.so is kept: it is built with clang ${REQUIRED_COMPILER}, found ${version ?? 'none'}\n`,
  );
}
writeFileSync(documentPath, withTables(readFileSync(documentPath, 'utf8')));
