import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { happens } from '../support/happens.ts';

const run = promisify(execFile);

/** In the table of connections that Linux shows. */
const ESTABLISHED = '01';

/** Why this machine can make no network namespaces with NAT between them; undefined where it can. */
export async function lacksNamespaces(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'needs Linux';
  for (const [program, ...args] of [
    ['unshare', '-rn', 'true'],
    ['nsenter', '--version'],
    ['ip', '-V'],
    ['nft', '--version'],
  ] as const) {
    const why = await run(program, args).then(
      () => undefined,
      (error: unknown) => String(error).split('\n')[0],
    );
    if (why !== undefined) return `needs ${program}: ${why}`;
  }
  const rules = 'add table ip nat; add chain ip nat out { type nat hook postrouting priority 100 ; }';
  return run('unshare', ['-rn', 'sh', '-c', `ip link add va type veth peer name vb && nft '${rules}'`]).then(
    () => undefined,
    (error: unknown) => `needs veth and nf_nat: ${String(error).split('\n').slice(0, 2).join(' ')}`,
  );
}

/** A network namespace, which lives as long as the process in it that sleeps. */
export class Namespace {
  readonly #sleeper: ChildProcess;

  private constructor(sleeper: ChildProcess) {
    this.#sleeper = sleeper;
  }

  /** A fresh one with a user namespace of its own, or within that of another. */
  static async make(within?: Namespace): Promise<Namespace> {
    const [program, ...args] = within ? [...within.enter, 'unshare', '-n'] : ['unshare', '-rn'];
    const sleeper = spawn(program!, [...args, 'sleep', 'infinity'], { stdio: 'ignore' });
    const made = new Namespace(sleeper);
    const own = readlinkSync('/proc/self/ns/net');
    await happens('a network namespace', async () => {
      const name = readFileSync(`/proc/${made.pid}/comm`, 'utf8').trim();
      return (name === 'sleep' && readlinkSync(`/proc/${made.pid}/ns/net`) !== own) || undefined;
    });
    await made.sh('ip link set lo up; echo 1 > /proc/sys/net/ipv4/ip_forward');
    return made;
  }

  get pid(): number {
    return this.#sleeper.pid!;
  }

  /** The words before a command that shall run here. */
  get enter(): string[] {
    return ['nsenter', '-t', `${this.pid}`, '-U', '--preserve-credentials', '-n'];
  }

  async sh(script: string): Promise<string> {
    const [program, ...args] = this.enter;
    const { stdout } = await run(program!, [...args, 'sh', '-ec', script]);
    return stdout;
  }

  /** A cable from here to another one, with an address at each end: `10.0.0.1/24`. */
  async connect(to: Namespace, [name, address]: readonly [string, string], [theirs, at]: readonly [string, string]) {
    await this.sh(
      `ip link add ${name} type veth peer name ${theirs} netns ${to.pid}; ip addr add ${address} dev ${name}; ip link set ${name} up`,
    );
    await to.sh(`ip addr add ${at} dev ${theirs}; ip link set ${theirs} up`);
  }

  /** The addresses at the other ends of the open connections to a port here, of IPv4. */
  connectionsTo(port: number): string[] {
    const [, ...rows] = readFileSync(`/proc/${this.pid}/net/tcp`, 'utf8').trim().split('\n');
    return rows.flatMap((row) => {
      const [, local, remote, state] = row.trim().split(/\s+/) as [string, string, string, string];
      if (Number.parseInt(local.split(':')[1]!, 16) !== port || state !== ESTABLISHED) return [];
      const bytes = Buffer.from(remote.split(':')[0]!, 'hex').reverse();
      return bytes.join('.');
    });
  }

  async end(): Promise<void> {
    if (this.#sleeper.exitCode !== null || this.#sleeper.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#sleeper.once('exit', resolve));
    this.#sleeper.kill('SIGKILL');
    await ended;
  }
}
