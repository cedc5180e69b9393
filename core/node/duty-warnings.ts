import type { Log } from '../platform/log.ts';
import type { Health } from '../plugin.ts';

/** Warnings that an operator must look at, until each is over: said in the log when it begins and when it ends, and by the health of the node. */
export class DutyWarnings {
  readonly #log: Log;
  readonly #raised = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** `sentence` says what is wrong and what to do. Repeating it says nothing new. */
  raise(name: string, sentence: string): void {
    if (this.#raised.get(name) === sentence) return;
    this.#raised.set(name, sentence);
    this.#log.error({ alarm: name }, sentence);
  }

  clear(name: string): void {
    if (this.#raised.delete(name)) this.#log.info({ alarm: name }, 'over');
  }

  get all(): readonly string[] {
    return [...this.#raised.values()];
  }

  health(): Health {
    return this.#raised.size === 0 ? { state: 'ok' } : { state: 'degraded', detail: this.all.join(' ') };
  }
}
