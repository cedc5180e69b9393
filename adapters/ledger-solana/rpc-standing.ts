import type { Clock } from '../../core/platform/clock.ts';
import { type Log, silentLog } from '../../core/platform/log.ts';
import type { Metrics } from '../../core/platform/metrics.ts';
import type { FaultKind } from './rpc-faults.ts';

const MINUTE_MS = 60_000;
/** A fault of a method that is asked for seldom counts this long at most. */
const REMEMBERED_MS = 10 * MINUTE_MS;
/** A node that answers other calls is not silent any more when it has not missed one for so long. */
const SILENCE_MS = 10_000;
/** Mended by a node that answers again; the others are remembered for a minute, since a good answer may follow by luck. */
const PASSING: ReadonlySet<FaultKind> = new Set(['silent', 'status', 'refused']);

export interface StandingOptions {
  readonly clock: Clock;
  readonly log?: Log;
  readonly metrics?: Pick<Metrics, 'counter'>;
  /** Which of how many configured nodes this is, from 1: its URL may carry a key and is never shown. */
  readonly ordinal?: number;
  readonly of?: number;
}

interface Fault {
  readonly kind: FaultKind;
  readonly since: number;
  readonly at: number;
  readonly times: number;
}

/** How one RPC node answers: counts its calls and faults, logs each kind once a minute, and names its present fault. */
export class RpcStanding {
  readonly ordinal: number;
  /** How it is called in a sentence. */
  readonly name: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #countCall: (method: string) => void;
  readonly #countFault: (method: string, kind: FaultKind) => void;
  readonly #faults = new Map<string, Fault>();
  #answeredAt = Number.NEGATIVE_INFINITY;
  readonly #logged = new Map<FaultKind, { readonly at: number; readonly unsaid: number }>();

  constructor({ clock, log = silentLog, metrics, ordinal = 1, of = 1 }: StandingOptions) {
    this.#clock = clock;
    this.#log = log;
    this.ordinal = ordinal;
    this.name = of > 1 ? `RPC ${ordinal} of the ledger` : 'The ledger';
    const rpc = String(ordinal);
    const calls = metrics?.counter('mesh_ledger_rpc_calls_total', 'Calls to an RPC of the ledger.', ['rpc', 'method']);
    const faults = metrics?.counter('mesh_ledger_rpc_faults_total', 'Calls to an RPC of the ledger that went wrong.', [
      'rpc',
      'method',
      'kind',
    ]);
    this.#countCall = (method) => calls?.({ rpc, method });
    this.#countFault = (method, kind) => faults?.({ rpc, method, kind });
  }

  called(method: string): void {
    this.#countCall(method);
  }

  answered(method: string): void {
    this.#answeredAt = this.#clock.now();
    for (const [other, { kind, at }] of this.#faults) {
      const isMended = other === method ? PASSING.has(kind) : kind === 'silent' && this.#answeredAt - at >= SILENCE_MS;
      if (isMended) this.#faults.delete(other);
    }
  }

  /** Milliseconds since it answered anything properly. */
  get quietFor(): number {
    return this.#clock.now() - this.#answeredAt;
  }

  failed(method: string, kind: FaultKind, reason: string): void {
    this.#countFault(method, kind);
    const now = this.#clock.now();
    const known = this.#faults.get(method);
    const goesOn = known !== undefined && known.kind === kind && !isOver(known, now);
    this.#faults.set(method, {
      kind,
      since: goesOn ? known.since : now,
      at: now,
      times: goesOn ? known.times + 1 : 1,
    });
    const last = this.#logged.get(kind);
    if (last && now - last.at < MINUTE_MS) {
      this.#logged.set(kind, { at: last.at, unsaid: last.unsaid + 1 });
      return;
    }
    this.#logged.set(kind, { at: now, unsaid: 0 });
    const fields = { rpc: this.ordinal, method, kind, reason: reason.slice(0, 300), unsaid: last?.unsaid ?? 0 };
    this.#log.warn(fields, 'an RPC of the ledger gave no proper answer');
  }

  /** This node's fault as a sentence; undefined when it has none now. */
  complaint(): string | undefined {
    const now = this.#clock.now();
    for (const [method, fault] of this.#faults) if (isOver(fault, now)) this.#faults.delete(method);
    const [worst] = [...this.#faults].sort(([, one], [, other]) => other.times - one.times);
    if (!worst) return undefined;
    const [method, { kind, times, since }] = worst;
    const seconds = Math.round((now - since) / 1_000);
    return `${this.name} ${SAID[kind]} ${method} (${times === 1 ? `once, ${seconds} s ago` : `${times} times in ${seconds} s`})`;
  }
}

const SAID: Readonly<Record<FaultKind, string>> = {
  silent: 'does not answer',
  status: 'answers with an HTTP error to',
  malformed: 'gives no JSON-RPC answer to',
  refused: 'refuses',
  nonsense: 'answers nonsense to',
  behind: 'is behind in',
  disagrees: 'says something else than another RPC in',
};

function isOver({ kind, at }: Fault, now: number): boolean {
  return now - at >= (PASSING.has(kind) ? REMEMBERED_MS : MINUTE_MS);
}
