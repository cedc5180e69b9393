import { median } from '../framework/median.ts';
import { ask, Caller, percentile } from './load.ts';

/** Answers calls over HTTP. */
export interface Server {
  readonly url: string;
  /** Processor time so far. */
  usage(): Promise<{ readonly cpu: NodeJS.CpuUsage }>;
}

/** Medians of all turns. */
export interface Told {
  readonly per_s: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Microseconds of processor time for one answer. */
  readonly cpu: number;
}

const CONNECTIONS = 4;

/** One server that is asked for the same again and again, a turn at a time. */
export class Side {
  readonly #server: Server;
  readonly #callers: readonly Caller[];
  readonly #paths: readonly string[];
  #asked = 0;
  #turns: Told[] = [];

  private constructor(server: Server, callers: readonly Caller[], paths: readonly string[]) {
    this.#server = server;
    this.#callers = callers;
    this.#paths = paths;
  }

  static async open(server: Server, paths: readonly string[]): Promise<Side> {
    const callers = await Promise.all(Array.from({ length: CONNECTIONS }, () => Caller.open(server.url)));
    return new Side(server, callers, paths);
  }

  /** Asks over all connections for `ms` milliseconds. */
  async turn(ms: number): Promise<Told> {
    const before = await this.#server.usage();
    const { took, waits } = await ask(this.#callers, () => this.#paths[this.#asked++ % this.#paths.length]!, ms);
    const after = await this.#server.usage();
    const cpu = (microseconds(after.cpu) - microseconds(before.cpu)) / waits.length;
    const told = { per_s: (1_000 * waits.length) / took, p99: percentile(waits, 0.99), cpu };
    this.#turns.push(told);
    return told;
  }

  /** What came before was warming up. */
  forget(): void {
    this.#turns = [];
  }

  close(): Told {
    for (const caller of this.#callers) caller.close();
    const middle = (of: (turn: Told) => number) => median(this.#turns.map(of));
    return { per_s: middle((turn) => turn.per_s), p99: middle((turn) => turn.p99), cpu: middle((turn) => turn.cpu) };
  }
}

function microseconds({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}
