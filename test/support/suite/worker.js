// One process of the suite: runs the test files that its parent names, one after the other, and reports each.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import Mocha from 'mocha';
import 'ts-blank-space/register';
import { root } from '../../../bin/prepare.js';

const Reporter = createRequire(import.meta.url)('../reporter.cjs');
const settings = JSON.parse(readFileSync(join(root, '.mocharc.json'), 'utf8'));

let seen;
class FileReporter extends Reporter {
  close(stats) {
    const { retried, failed } = this;
    seen = { retried, failed, passes: stats.passes, failures: stats.failures, pending: stats.pending };
  }

  // The parent closes the report of all files together; here only the differences of what failed are of use.
  epilogue() {
    if (this.stats.failures > 0) super.epilogue();
  }
}

// The report of a file is shown as a whole, because other files run meanwhile.
process.stdout.write = (chunk, encoding, done) => {
  const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
  process.send({ output: text });
  (typeof encoding === 'function' ? encoding : done)?.();
  return true;
};

process.on('message', async ({ file }) => {
  const before = processorMs();
  const outcome = await run(file);
  process.send({ outcome: { ...outcome, processorMs: processorMs() - before } });
});
process.once('disconnect', () => {
  // A command under test may have left its own.
  process.exitCode = 0;
  Reporter.endWithPatience();
});

/** Of this process and of those that it started and that have ended; without the latter where the system does not tell. */
function processorMs() {
  try {
    // Behind the name in parentheses: times of its own, then of its children, in hundredths of a second.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
    return fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks) * 10, 0);
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}

async function run(file) {
  const { timeout, retries } = settings;
  const mocha = new Mocha({ timeout, retries, reporter: FileReporter, diff: true });
  mocha.addFile(resolve(root, file));
  try {
    await mocha.loadFilesAsync();
  } catch (error) {
    const failed = [`  ${file} cannot be loaded\n    ${error.stack ?? error}`];
    return { retried: [], failed, passes: 0, failures: 1, pending: 0 };
  }
  await new Promise((done) => mocha.run(done));
  mocha.dispose();
  return seen;
}
