import { Verifier } from '../../messaging/verification/verifier.ts';
import type { Clock } from '../../platform/clock.ts';
import { silentLog } from '../../platform/log.ts';
import { decodeEnvelope } from '../../protocol/envelopes/codec.ts';
import { epochOf } from '../../protocol/envelopes/epochs.ts';
import type { Network } from '../../protocol/identity/network.ts';
import { ScoreBook } from '../../protocol/reputation/book.ts';
import { shownOf } from '../../protocol/reputation/formula.ts';
import type { Shown } from '../../protocol/reputation/scorer.ts';
import type { Space } from '../../storage/space.ts';
import { epochsOf } from '../epochs.ts';
import { lapseEffect } from '../ingest/effects/deal.ts';
import type { Effect } from '../ingest/effects/effect.ts';
import { createIngest, type Ingest } from '../ingest/ingest.ts';
import { refsOf } from '../ledger/effects/escrow-end.ts';
import { entryEffect } from '../ledger/effects/index.ts';
import { loseEscrow } from '../ledger/escrow-history.ts';
import { takeEscrow } from '../ledger/escrow-reader.ts';
import { allAgents, allPairs } from '../reputation/facts.ts';
import type { StoredEvidence } from '../store/evidence.ts';
import { escrowRef, stakes } from '../store/ledger.ts';
import { interactionPosting, interactions } from '../store/logs.ts';
import { saidIn } from './journal.ts';

/** A clock that stands where the evidence is. */
export interface ReplayClock extends Clock {
  time: number;
}

const NOTHING = () => {};
const UNHANDLED = { keeps: () => false, keep: NOTHING, recorded: NOTHING };
const ANY = 1e12;
const PAGE = 500;
const NOBODY = '127.0.0.1';

/** Takes evidence as the aggregator took it: by the same functions, over an empty store, at the same times. */
export class Replay {
  readonly #space: Space;
  readonly #clock: ReplayClock;
  readonly #network: Network;
  readonly #verifier = new Verifier();
  readonly #ingest: Ingest;

  constructor(space: Space, clock: ReplayClock, network: Network) {
    this.#space = space;
    this.#clock = clock;
    this.#network = network;
    this.#ingest = createIngest({
      ...{ space, clock, network, verifier: this.#verifier, log: silentLog, epochs: epochsOf(network) },
      handling: UNHANDLED,
      keepsEveryBeacon: true,
      limits: { newKeysPerHour: ANY, newKeysPerHourInAll: ANY, itemsPerKeyPerMinute: ANY },
      ...{ counted: NOTHING, putOff: NOTHING, recorded: NOTHING, dropped: NOTHING },
    });
  }

  close(): void {
    this.#verifier.close();
  }

  /** Gives why it cannot be, as the end of "line 3 …". */
  async take(entry: StoredEvidence): Promise<string | undefined> {
    const parts = { space: this.#space, epochs: epochsOf(this.#network) };
    this.#clock.time = entry.at;
    switch (entry.kind) {
      case 'item': {
        const { form, bytes_b64 } = saidIn<'item'>(entry);
        const [result] = await this.#ingest([{ kind: form, bytes: Buffer.from(bytes_b64, 'base64') }], { ip: NOBODY });
        const { status, detail = status } = result!;
        // A BEACON counts once, and an aggregator may have noted it twice.
        if (status === 'accepted' || (status === 'duplicate' && isBeacon(bytes_b64))) return undefined;
        return `is an ${form} that cannot count: ${detail}`;
      }
      case 'event':
        await this.#apply(entryEffect(saidIn<'event'>(entry).event, parts));
        return undefined;
      case 'lapse':
        await this.#apply(lapseEffect(saidIn<'lapse'>(entry), parts));
        return undefined;
      case 'escrow': {
        const { name, signature, slot, account } = saidIn<'escrow'>(entry);
        const read = { slot, account: account ?? undefined, now: entry.at };
        await this.#space.tx(refsOf(name), (tx) => takeEscrow(tx, { name, signature }, read, parts));
        return undefined;
      }
      case 'lost': {
        const { name, signature } = saidIn<'lost'>(entry);
        await this.#space.tx([escrowRef(name)], (tx) => loseEscrow(tx, name, signature));
        return undefined;
      }
      case 'stake': {
        const { stake } = saidIn<'stake'>(entry);
        await this.#space.put(stakes.ref(stake.key), stake);
        return undefined;
      }
      default:
        return 'is of an unknown kind';
    }
  }

  /** How many ratings of an agent count. */
  async ratingsOf(agentId: string): Promise<number> {
    let [counted, after] = [0, 0];
    for (;;) {
      const rows = await this.#space.page(interactions, {
        ...{ posting: interactionPosting({ to: agentId }), after, limit: PAGE },
      });
      counted += rows.length;
      if (rows.length < PAGE) return counted;
      after = rows.at(-1)!.id;
    }
  }

  /** Everybody's score and rank, as of a moment. */
  async scores(at: number, anchors: readonly string[]): Promise<Map<string, Shown>> {
    this.#clock.time = at;
    const book = new ScoreBook();
    for await (const some of allAgents(this.#space)) for (const { shown: _, ...facts } of some) book.setAgent(facts);
    for await (const some of allPairs(this.#space)) for (const pair of some) book.setPair(pair);
    book.run(epochOf(at * 1_000, this.#network.epochSecs), anchors);
    return new Map(
      book.names.map((id, place) => {
        const { scored, idleFactor } = book.standingAt(place);
        return [id, shownOf(scored, idleFactor)];
      }),
    );
  }

  async #apply(effect: Effect): Promise<void> {
    await this.#space.tx([...(await effect.reads())], (tx) => effect.apply(tx));
  }
}

function isBeacon(bytes_b64: string): boolean {
  const envelope = decodeEnvelope(Buffer.from(bytes_b64, 'base64'));
  return envelope.ok && envelope.value.msgType === 'BEACON';
}
