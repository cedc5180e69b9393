import { spawn } from 'node:child_process';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end; its output is kept, not shown. */
export function run(
  program: string,
  args: readonly string[],
  options: { cwd?: string; input?: string } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: options.cwd, stdio: 'pipe' });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', (error) => reject(new Error(`${program} could not be started: ${error.message}`)));
    child.on('close', (code, signal) =>
      resolve({
        code: code ?? (signal ? 128 : 1),
        out: Buffer.concat(out).toString(),
        err: Buffer.concat(err).toString(),
      }),
    );
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });
}

/** As `run`; throws with the end of what the program said when it fails. */
export async function runOrThrow(program: string, args: readonly string[], cwd?: string): Promise<string> {
  const { code, out, err } = await run(program, args, cwd === undefined ? {} : { cwd });
  if (code !== 0)
    throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${(err || out).trim().slice(-1_000)}`);
  return out;
}
