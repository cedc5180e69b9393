import type { SchemaTypes } from '../../schemas/types.ts';
import type { NodeClient } from '../client/node-client.ts';
import type { Clock } from '../clock.ts';
import type { DevMesh } from './mesh.ts';
import type { Narrator } from './narrator.ts';
import { runRequester } from './requester.ts';
import { ScoreWatch } from './score-watch.ts';
import { Wakeup } from './wakeup.ts';
import { runWorker } from './worker.ts';

type Deal = SchemaTypes['deal-view'];

export interface TradeOptions {
  readonly mesh: DevMesh;
  readonly narrator: Narrator;
  readonly clock: Clock;
  /** The file whose words are counted, as a file URL. */
  readonly file: string;
  /** Ends after this many settled deals. */
  readonly deals: number | undefined;
  readonly signal: AbortSignal;
}

const OFFER = '1';
const PRICE = '1.5';
/** Between two deals. */
const PAUSE = 4_000;
/** An agent looks at its deals at least this often. */
const LOOK = 1_000;
/** A deal that takes longer than this has gone wrong. */
const PATIENCE = 60_000;

/**
 * Lets two agents trade over the public APIs of their nodes until enough deals are settled or the signal is aborted.
 * Rejects, with the last thing that went wrong, when no deal settles for a minute.
 */
export async function trade({ mesh, narrator, clock, file, deals, signal }: TradeOptions): Promise<number> {
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const scores = new ScoreWatch(mesh.aggregator.client, narrator, clock, stop);
  const patience = new Patience(clock, (reason) => ended.abort(new Error(reason)));
  let settled = 0;
  const requesterWake = new Wakeup(clock, LOOK, stop);
  const workerWake = new Wakeup(clock, LOOK, stop);
  const tell = (who: string) => (step: string, deal: Deal) => {
    patience.progress();
    narrator.tell('step', `  deal ${short(deal.conversation_id)}  the ${who} ${step}`, {
      who,
      step,
      conversation_id: deal.conversation_id,
      state: deal.state,
      amount_usdc: deal.amount_usdc,
      ...(deal.payment && { payment: deal.payment.signature }),
    });
  };
  async function finish(deal: Deal): Promise<void> {
    await scores.moved(mesh.worker.agentId, 'word-counter');
    settled += 1;
    narrator.tell('settled', `  deal ${short(deal.conversation_id)}  is settled (${settled} so far)\n`, {
      conversation_id: deal.conversation_id,
      settled,
    });
    patience.progress();
    if (deals !== undefined && settled >= deals) ended.abort();
  }
  const work = [
    listen(mesh.requester.client, requesterWake, stop),
    listen(mesh.worker.client, workerWake, stop),
    persist('worker', () => runWorker({ node: mesh.worker.client, price: PRICE, say: tell('worker') }, workerWake)),
    persist('requester', () =>
      runRequester(
        {
          node: mesh.requester.client,
          find: () => scores.find('word-counter'),
          file,
          offer: OFFER,
          pause: PAUSE,
          now: () => clock.now(),
          say: tell('requester'),
          settled: finish,
        },
        requesterWake,
      ),
    ),
  ];
  await Promise.all(work);
  patience.end();
  if (ended.signal.aborted && !signal.aborted && (deals === undefined || settled < deals)) throw ended.signal.reason;
  return settled;

  /** An agent that stumbles over an error tells it and goes on; its node knows where it was. */
  async function persist(who: string, run: () => Promise<void>): Promise<void> {
    while (!stop.aborted) {
      try {
        await run();
      } catch (error) {
        if (stop.aborted) return;
        const reason = error instanceof Error ? error.message : String(error);
        patience.trouble(`the ${who} could not go on: ${reason}`);
        narrator.tell('trouble', `  the ${who} stumbles: ${reason}`, { who, reason });
        await clock.sleep(LOOK, stop).catch(() => {});
      }
    }
  }

  /** Wakes an agent at every deal message of its inbox. */
  async function listen(node: NodeClient, wake: Wakeup, until: AbortSignal): Promise<void> {
    for await (const event of node.events(until)) if (event.type === 'deal' || event.type === 'envelope') wake.ring();
  }
}

/** Gives up when nothing has moved for a minute. */
class Patience {
  readonly #clock: Clock;
  readonly #giveUp: (reason: string) => void;
  #cancel = () => {};
  #trouble = 'nothing happened';

  constructor(clock: Clock, giveUp: (reason: string) => void) {
    this.#clock = clock;
    this.#giveUp = giveUp;
    this.progress();
  }

  progress(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(PATIENCE, () =>
      this.#giveUp(`No deal has moved for ${PATIENCE / 1_000} seconds: ${this.#trouble}.`),
    );
  }

  trouble(reason: string): void {
    this.#trouble = reason;
  }

  end(): void {
    this.#cancel();
  }
}

function short(id: string): string {
  return id.slice(0, 8);
}
