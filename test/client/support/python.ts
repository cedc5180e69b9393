import { type ChildProcessWithoutNullStreams as ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageRoot } from '../../../core/platform/package-root.ts';

/** Whether this machine can run the Python client. */
export function hasPython(): boolean {
  const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.version_info >= (3, 9))'], {
    encoding: 'utf8',
  });
  return status === 0 && stdout.trim() === 'True';
}

/** Says on the terminal that a suite is left out, and leaves it out. */
export function needsPython(context: Mocha.Context): void {
  if (hasPython()) return;
  process.stderr.write('NOT TESTED: the Python client, because this machine has no python3 of version 3.9 or newer\n');
  context.skip();
}

/**
 * Runs a script that finds `given` and everything of the client under their own names, and gives what it puts into `result`.
 */
export async function runPython(script: string, given: object = {}): Promise<any> {
  const lines = [
    'import base64, json, sys, threading, time',
    'import agent_mesh',
    'from agent_mesh import *',
    'given = json.load(sys.stdin)',
    'result = None',
    script,
    'print(json.dumps(result))',
  ];
  const { code, stdout, stderr } = await python(['-c', lines.join('\n')], JSON.stringify(given));
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** One process of Python that runs a script for many cases, one after the other: `given` is the case, `result` the answer. */
export class PythonSession {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(script: string) {
    const lines = [
      'import base64, json, sys, threading, time',
      'import agent_mesh',
      'from agent_mesh import *',
      'def answer(given):',
      ...script.split('\n').map((line) => `    ${line}`),
      '    return result',
      'for line in sys.stdin: print(json.dumps(answer(json.loads(line))), flush=True)',
    ];
    this.#child = begun(['-c', lines.join('\n')]);
    this.#child.stderr!.pipe(process.stderr);
    this.#lines = createInterface(this.#child.stdout!)[Symbol.asyncIterator]();
  }

  ask(given: object): Promise<any> {
    const asked = this.#last.then(async () => {
      this.#child.stdin!.write(`${JSON.stringify(given)}\n`);
      const { value, done } = await this.#lines.next();
      if (done) throw new Error('the process of Python has ended');
      return JSON.parse(value);
    });
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  end(): void {
    this.#child.stdin!.end();
  }
}

export function python(
  args: readonly string[],
  stdin = '',
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = begun(args, env);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

function begun(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const PYTHONPATH = join(packageRoot, 'clients', 'python');
  return spawn('python3', ['-B', '-W', 'error', ...args], { env: { ...process.env, PYTHONPATH, ...env } });
}
