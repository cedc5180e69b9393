import type { NodeClient } from '../../client/node-client.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Deal } from './deal-watch.ts';
import { AgentInbox } from './inbox.ts';
import type { DevMesh } from './mesh.ts';
import { NarratedVoice } from './narrated-voice.ts';
import type { Narrator } from './narrator.ts';
import { Patience } from './patience.ts';
import { runRequester } from './requester.ts';
import { ScoreWatch } from './score-watch.ts';
import type { Voice } from './voice.ts';
import { Wakeup } from './wakeup.ts';
import { runWorker } from './worker.ts';

export interface TradeOptions {
  readonly mesh: DevMesh;
  readonly narrator: Narrator;
  readonly clock: Clock;
  /** The file whose words are counted, as a file URL. */
  readonly file: string;
  /** Ends after this many settled deals. */
  readonly deals: number | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds without a settled deal after which it has gone wrong; a minute unless given. */
  readonly patience?: number;
  /** Told of every settled deal, with their number. */
  readonly settled?: (count: number) => void;
}

const OFFER = '1';
const PRICE = '1.5';
const WORKER = 'word-counter';
/** Between two deals. */
const PAUSE = 4_000;
/** An agent looks at its deals at least this often. */
const LOOK = 1_000;
const PATIENCE = 60_000;

/**
 * Lets two agents trade over the public APIs of their nodes until enough deals are settled or the signal is aborted;
 * gives the number of settled deals. When no deal settles for a minute it says so; with `deals` it then rejects, with
 * the last thing that went wrong.
 */
export async function trade(options: TradeOptions): Promise<number> {
  const { mesh, narrator, clock, file, deals, signal } = options;
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const scores = new ScoreWatch(mesh.aggregator.client, clock, stop);
  const patience = new Patience(clock, options.patience ?? PATIENCE, (reason) => {
    if (deals !== undefined) ended.abort(new Error(reason));
    else narrator.tell('trouble', `\n${reason}`, { text: reason });
  });
  let settled = 0;

  function finish(deal: Deal): void {
    if (stop.aborted) return;
    settled += 1;
    patience.renew();
    const text = `${settled} ${settled === 1 ? 'deal' : 'deals'} so far`;
    narrator.ofDeal(deal.conversation_id, 'settled', 'settled', text, { settled });
    options.settled?.(settled);
    if (deals !== undefined && settled >= deals) ended.abort();
  }

  async function rating(deal: Deal, rate: () => Promise<void>): Promise<void> {
    const { conversation_id, provider } = deal;
    const before = await scores.standing(provider);
    await rate();
    const after = await scores.after(provider, before);
    const text = after
      ? `counts the rating: the score of ${WORKER} moves from ${before.score} to ${after.score}`
      : 'has not counted the rating yet';
    narrator.ofDeal(conversation_id, 'score', 'aggregator', text, {
      agent_id: provider,
      before: before.score,
      score: after?.score ?? before.score,
      ratings: after?.ratings ?? before.ratings,
    });
  }

  const voiceOf = (who: string): Voice =>
    new NarratedVoice(who, { narrator, patience, stop, byDeal: true, subject: `the ${who}` });
  const worker = voiceOf(WORKER);
  const requester = voiceOf('requester');
  const find = () => scores.find(WORKER);
  const now = () => clock.now();
  await Promise.all([
    agent(mesh.worker.client, worker, (inbox, wake) =>
      runWorker({ node: mesh.worker.client, inbox, price: PRICE, voice: worker }, wake),
    ),
    agent(mesh.requester.client, requester, (inbox, wake) => {
      const terms = { file, offer: OFFER, pause: PAUSE };
      const own = { node: mesh.requester.client, inbox, voice: requester };
      return runRequester({ ...own, ...terms, find, now, rating, settled: finish }, wake);
    }),
  ]);
  patience.end();
  if (ended.signal.aborted && deals !== undefined && settled < deals) throw ended.signal.reason;
  return settled;

  /** An agent that stumbles tells it and begins again; its node knows where it was. */
  async function agent(node: NodeClient, voice: Voice, run: (inbox: AgentInbox, wake: Wakeup) => Promise<void>) {
    const wake = new Wakeup(clock, LOOK, stop);
    const inbox = new AgentInbox(node, () => wake.ring());
    const reading = inbox.read(stop);
    while (!stop.aborted) {
      await run(inbox, wake).catch((error: unknown) => voice.stumble(error));
      await clock.sleep(LOOK, stop).catch(() => {});
    }
    await reading;
  }
}
