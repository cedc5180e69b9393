import { memoryStorage } from '../../../adapters/storage-memory/index.ts';
import { epochsOf } from '../../../core/aggregator/epochs.ts';
import { EvidenceJournal } from '../../../core/aggregator/evidence/journal.ts';
import { Handling, type HandlingOptions } from '../../../core/aggregator/ingest/handling.ts';
import { createIngest, type Ingest } from '../../../core/aggregator/ingest/ingest.ts';
import { SPACE } from '../../../core/aggregator/providers.ts';
import { ScoreJob } from '../../../core/aggregator/reputation/score-job.ts';
import { loadContracts } from '../../../core/contracts/contracts.ts';
import { Verifier } from '../../../core/messaging/verification/verifier.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import type { Network } from '../../../core/protocol/identity/network.ts';
import type { Space } from '../../../core/storage/space.ts';
import { openStore, type Store } from '../../../core/storage/store.ts';
import { network, type Wire } from './agent.ts';
import { StillClock } from './still-clock.ts';

export const DAY = 86_400_000;
/** A moment in the middle of an epoch. */
export const NOON = Date.UTC(2026, 0, 1, 12);

/** The aggregator's functions over a store in memory, at a time of the test's choice. */
export interface Domain {
  readonly clock: StillClock;
  readonly store: Store;
  readonly space: Space;
  readonly epochs: ReturnType<typeof epochsOf>;
  readonly ingest: Ingest;
  readonly dropped: string[];
  /** Agents at which trust begins. */
  readonly anchors: string[];
  take(...wires: Wire[]): Promise<string[]>;
  /** Brings all scores up to what is stored, as the job does. */
  score(): Promise<void>;
  /** Ends the thread that computes the scores of a large mesh, if there is one. */
  endScoring(): Promise<void>;
}

const NOBODY = { handles: () => false, isEmpty: true, deliver: async () => {}, deliverUnstored: () => {} };

/** `handled` are the handlers of plugins, and how many envelopes wait for them at most. */
export async function openDomain(
  on: Network = network,
  handled: Partial<Pick<HandlingOptions, 'handlers' | 'most' | 'log'>> = {},
  keepsEvidence = false,
): Promise<Domain> {
  const clock = new StillClock(NOON);
  const contracts = loadContracts();
  const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);
  const store = await openStore(memoryStorage({ clock }), { clock, random: systemRandom, validate });
  const space = store.space(SPACE);
  const epochs = epochsOf(on);
  const dropped: string[] = [];
  const anchors: string[] = [];
  const job = new ScoreJob({ space, epochs, clock, random: systemRandom, anchors });
  const { signal } = new AbortController();
  const handling = await Handling.open({ space, handlers: NOBODY, log: silentLog, signal, ...handled });
  await handling.start();
  const ingest = createIngest({
    space,
    network: on,
    epochs,
    verifier: new Verifier(),
    clock,
    log: silentLog,
    handling,
    evidence: await EvidenceJournal.open(space, keepsEvidence),
    limits: { newKeysPerHour: 10_000, newKeysPerHourInAll: 1_000_000, itemsPerKeyPerMinute: 10_000 },
    counted: () => {},
    putOff: () => {},
    recorded: () => {},
    dropped: (labels) => void dropped.push(labels!['reason']!),
  });
  return {
    clock,
    store,
    space,
    epochs,
    ingest,
    dropped,
    anchors,
    endScoring: () => job.close(),
    score: async () => void (await job.update(new AbortController().signal)),
    async take(...wires) {
      const items = wires.map(({ whole }) => whole.envelope_b64);
      const bytes = items.map(
        (text) => ({ kind: 'envelope', bytes: new Uint8Array(Buffer.from(text, 'base64')) }) as const,
      );
      return (await ingest(bytes, { ip: '127.0.0.1' })).map(({ status }) => status);
    },
  };
}
