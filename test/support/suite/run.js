// Runs test files side by side. Each worker process takes the next file when it is free, so that the long ones, which
// come first, do not leave one worker waiting for another at the end. What cannot share the processors comes last, alone.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../bin/prepare.js';

const { closingLines } = createRequire(import.meta.url)('../reporter.cjs');
const WORKER = join(root, 'test/support/suite/worker.js');
const NODE_OPTIONS = JSON.parse(readFileSync(join(root, '.mocharc.json'), 'utf8'))['node-option'];
const SLOWEST = 12;

/** Five for two processors: most tests wait for a server, a disk or a moment more than they compute. */
const WORKERS = Math.max(3, Math.ceil(2.5 * availableParallelism()));

/** Runs the files `beside` each other, then those `alone` one after the other: what each found, and whether every test passed. */
export async function runSuite({ beside, alone, write }) {
  const outcomes = [];
  const took = (outcome) => {
    outcomes.push(outcome);
    write(
      `\n${outcome.file} (${seconds(outcome.ms)}, ${seconds(outcome.processorMs)} of processor time)\n${outcome.output.trimEnd()}\n`,
    );
  };
  const started = performance.now();
  await runQueue({ queue: [...beside], workers: WORKERS, took });
  await runQueue({ queue: [...alone], workers: 1, took });
  write(report(outcomes, performance.now() - started));
  return { outcomes, passed: outcomes.every(({ failures }) => failures === 0) };
}

async function runQueue({ queue, workers, took }) {
  await Promise.all(
    Array.from({ length: Math.min(workers, queue.length) }, async () => {
      let worker;
      for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
        worker ??= new Worker();
        const outcome = await worker.run(file);
        took(outcome);
        if (outcome.crashed) worker = undefined;
      }
      const crash = await worker?.end();
      if (crash) took(crash);
    }),
  );
}

class Worker {
  #child;
  #ended;
  #last;

  constructor() {
    const execArgv = NODE_OPTIONS.map((option) => `--${option}`);
    this.#child = fork(WORKER, { cwd: root, execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#ended = new Promise((resolve) => this.#child.once('exit', (code, signal) => resolve(code ?? signal)));
  }

  async run(file) {
    const before = this.#last ? `; it had run ${this.#last} before` : '';
    this.#last = file;
    const start = performance.now();
    let output = '';
    let listen;
    const reported = new Promise((resolve) => {
      listen = (message) => {
        output += message.output ?? '';
        if (message.outcome) resolve(message.outcome);
      };
      this.#child.on('message', listen);
    });
    this.#child.send({ file }, () => {});
    const outcome = await Promise.race([
      reported,
      this.#ended.then((end) => crash(file, `ended with ${end} during it${before}`)),
    ]);
    this.#child.off('message', listen);
    return { ...outcome, file, output, ms: performance.now() - start };
  }

  /** Lets the process end; an outcome when it does not end well. */
  async end() {
    if (this.#child.connected) this.#child.disconnect();
    const end = await this.#ended;
    if (end === 0) return undefined;
    return { ...crash(this.#last, `ended with ${end} after it`), file: this.#last, output: '', ms: 0 };
  }
}

function crash(file, how) {
  const failed = [`  ${file}\n    The process that ran it ${how}.`];
  return { crashed: true, processorMs: 0, retried: [], failed, passes: 0, failures: 1, pending: 0 };
}

function report(outcomes, ms) {
  const sum = (name) => outcomes.reduce((total, outcome) => total + outcome[name], 0);
  const all = (name) => outcomes.flatMap((outcome) => outcome[name]);
  const top = (name) => [...outcomes].sort((one, other) => other[name] - one[name]).slice(0, SLOWEST);
  const failed = all('failed');
  return [
    `\n${outcomes.length} files in ${seconds(ms)}; the slowest:`,
    ...top('ms').map((outcome) => `  ${outcome.file} (${seconds(outcome.ms)})`),
    `\n${seconds(sum('processorMs'))} of processor time; the most of it:`,
    ...top('processorMs').map((outcome) => `  ${outcome.file} (${seconds(outcome.processorMs)})`),
    ...(failed.length === 0 ? [] : [`\n${failed.length} failed:`, ...failed]),
    closingLines({
      retried: all('retried'),
      passes: sum('passes'),
      failures: sum('failures'),
      pending: sum('pending'),
    }),
  ].join('\n');
}

function seconds(ms) {
  return `${(ms / 1_000).toFixed(1)} s`;
}
