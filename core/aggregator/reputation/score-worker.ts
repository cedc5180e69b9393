/** Runs in the thread of score-thread.ts and answers its calls. */
import { parentPort } from 'node:worker_threads';
import { Scorer } from '../../protocol/reputation/scorer.ts';
import type { ScorerAnswer, ScorerCall } from './score-thread.ts';

const scorer = new Scorer();

parentPort!.on('message', ({ method, given }: ScorerCall) => {
  parentPort!.postMessage(answerTo(method, given));
});

function answerTo(method: ScorerCall['method'], given: readonly unknown[]): ScorerAnswer {
  try {
    return { value: (scorer[method] as (...of: readonly unknown[]) => unknown)(...given) };
  } catch (error) {
    return { error };
  }
}
