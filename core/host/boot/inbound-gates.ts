import type { GateQuestion, GateVerdict, InboundGate } from '../../messaging/extension-points.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Count, Metrics } from '../../platform/metrics.ts';
import { placeOf } from '../../platform/place-of.ts';
import type { MessageName } from '../../plugin.ts';

/** Milliseconds a gate has for its answer. */
const DEADLINE = 2_000;
/** Questions that one gate may have before it; whoever comes then is put off without a question. */
const MOST_ASKED = 256;
/** Milliseconds after which a question that was never answered makes room for another one. */
const FORGOTTEN = 30_000;

const VERDICTS: readonly unknown[] = ['accepted', 'restricted', 'blocked'] satisfies GateVerdict[];

interface StandingGate {
  readonly plugin: string;
  readonly name: string;
  /** Undefined: all. */
  readonly types: readonly string[] | undefined;
  readonly ask: InboundGate;
  readonly log: Log;
  /** Questions without an answer. */
  asked: number;
  /** The end of a sentence about the gate; undefined while it answers. */
  trouble: string | undefined;
}

/** The gates of all plugins in boot order. Each is asked for itself, has a deadline, and is closed when it fails. */
export class InboundGates {
  readonly #gates: StandingGate[] = [];
  readonly #clock: Clock;
  readonly #count: Count;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    this.#count = metrics.counter(
      'mesh_inbound_gate_total',
      'Answers of the gates of plugins; `failed`, `late` and `crowded` count as restricted.',
      ['plugin', 'gate', 'answer'],
    );
  }

  add(gate: Pick<StandingGate, 'plugin' | 'name' | 'types' | 'ask' | 'log'>): void {
    this.#gates.push({ ...gate, asked: 0, trouble: undefined });
  }

  async admit(sender: string, type: MessageName, host?: string): Promise<GateVerdict> {
    for (const gate of this.#gates) {
      if (gate.types && !gate.types.includes(type)) continue;
      const verdict = await this.#ask(gate, { sender, type, ...(host !== undefined && { host }) });
      if (verdict !== 'accepted') return verdict;
    }
    return 'accepted';
  }

  /** Its fault, as the detail of a plugin's health. */
  trouble(plugin: string): string | undefined {
    const ill = this.#gates.find((gate) => gate.plugin === plugin && gate.trouble !== undefined);
    return ill && `the gate ${ill.name} ${ill.trouble}, so it is closed`;
  }

  async #ask(gate: StandingGate, question: Omit<GateQuestion, 'signal'>): Promise<GateVerdict> {
    if (gate.asked >= MOST_ASKED) return this.#closed(gate, 'crowded', `has ${MOST_ASKED} questions without an answer`);
    const late = new AbortController();
    gate.asked += 1;
    const answered = once(() => {
      gate.asked -= 1;
    });
    const forget = this.#clock.after(FORGOTTEN, answered);
    const answer = Promise.resolve()
      .then(() => gate.ask({ ...question, signal: late.signal }))
      .finally(() => {
        forget();
        answered();
      });
    let cancel = () => {};
    const deadline = new Promise<typeof LATE>((resolve) => {
      cancel = this.#clock.after(DEADLINE, () => resolve(LATE));
    });
    try {
      const verdict = await Promise.race([answer, deadline]);
      if (verdict === LATE) {
        late.abort(new Error('the answer is too late'));
        return this.#closed(gate, 'late', `did not answer within ${DEADLINE / 1_000} seconds`);
      }
      if (!VERDICTS.includes(verdict)) return this.#closed(gate, 'failed', 'answered no verdict');
      this.#count({ plugin: gate.plugin, gate: gate.name, answer: verdict });
      if (gate.trouble !== undefined) gate.log.info({ gate: gate.name }, 'the gate answers again');
      gate.trouble = undefined;
      return verdict;
    } catch (error) {
      return this.#closed(gate, 'failed', 'threw', error);
    } finally {
      cancel();
    }
  }

  #closed(gate: StandingGate, answer: string, trouble: string, error?: unknown): GateVerdict {
    const { plugin, name, log } = gate;
    this.#count({ plugin, gate: name, answer });
    // Anybody can knock: only the first failure is a line of the log, the counter has the others.
    if (gate.trouble === undefined)
      log.error({ gate: name, ...(error !== undefined && { err: error, at: placeOf(error) }) }, `the gate ${trouble}`);
    gate.trouble = trouble;
    return 'restricted';
  }
}

const LATE = Symbol('late');

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}
