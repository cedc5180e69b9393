import type { Worker } from 'node:worker_threads';
import { startThread } from '../../platform/start-thread.ts';
import type { OrganicShare } from '../../protocol/reputation/between.ts';
import { type News, type Rescored, Scorer, type Scoring } from '../../protocol/reputation/scorer.ts';

export type AgentPairs = readonly (readonly [from: string, to: string])[];

/** A scorer, wherever it computes. Calls are answered in their order. */
export interface ScoringPlace {
  learn(news: News): Promise<void>;
  run(epoch: number, anchors: readonly string[], told: readonly string[] | null): Promise<Scoring>;
  next(limit: number): Promise<readonly Rescored[]>;
  organic(pairs: AgentPairs): Promise<readonly OrganicShare[] | undefined>;
  organicAgents(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** A call to the thread: a method of the scorer and its arguments. */
export interface ScorerCall {
  readonly method: 'learn' | 'run' | 'next' | 'organic' | 'organicAgents';
  readonly given: readonly unknown[];
}

export type ScorerAnswer = { readonly value: unknown } | { readonly error: unknown };

interface Waiting {
  readonly resolve: (value: any) => void;
  readonly reject: (reason: unknown) => void;
}

/** On this thread: for a mesh that is scored faster than a message comes back from another one. */
export function scoreHere(): ScoringPlace {
  const scorer = new Scorer();
  return {
    learn: async (news) => scorer.learn(news),
    run: async (epoch, anchors, told) => scorer.run(epoch, anchors, told),
    next: async (limit) => scorer.next(limit),
    organic: async (pairs) => scorer.organic(pairs),
    organicAgents: async () => scorer.organicAgents(),
    close: async () => {},
  };
}

/** On a thread of its own, which keeps no process alive. When it dies, all that is waited for rejects, and all after. */
export class ScoreThread implements ScoringPlace {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #over: unknown;

  constructor() {
    this.#worker = startThread('core/aggregator/reputation/score-worker', {
      message: (answer: ScorerAnswer) => {
        const { resolve, reject } = this.#waiting.shift()!;
        if ('error' in answer) reject(answer.error);
        else resolve(answer.value);
      },
      error: (error) => {
        this.#over = error;
      },
      exit: () => {
        this.#over ??= new Error('the thread that scores has ended');
        for (const { reject } of this.#waiting.splice(0)) reject(this.#over);
      },
    });
  }

  learn(news: News): Promise<void> {
    return this.#call('learn', news);
  }

  run(epoch: number, anchors: readonly string[], told: readonly string[] | null): Promise<Scoring> {
    return this.#call('run', epoch, anchors, told);
  }

  next(limit: number): Promise<readonly Rescored[]> {
    return this.#call('next', limit);
  }

  organic(pairs: AgentPairs): Promise<readonly OrganicShare[] | undefined> {
    return this.#call('organic', pairs);
  }

  organicAgents(): Promise<number | undefined> {
    return this.#call('organicAgents');
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #call<T>(method: ScorerCall['method'], ...given: readonly unknown[]): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(this.#over);
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage({ method, given } satisfies ScorerCall);
    });
  }
}
