import bs58 from 'bs58';
import type { Clock } from '../../platform/clock.ts';
import { defineNetwork, type Network } from '../../protocol/identity/network.ts';
import { VERSION } from '../../protocol/reputation/parameters.ts';
import type { Space } from '../../storage/space.ts';
import type { StoredEvidence } from '../store/evidence.ts';
import { type EvidenceHead, readLine } from './document.ts';
import { saidIn } from './journal.ts';
import { Replay, type ReplayClock } from './replay.ts';

/** The outcome of counting a file again. */
export interface VerifiedScore {
  readonly agent_id: string;
  readonly claimed: { readonly score: number; readonly rank: number };
  readonly counted: { readonly score: number; readonly rank: number };
  readonly as_of: string;
  readonly version: number;
  readonly anchors: readonly string[];
  readonly network: string;
  /** Ratings of the agent that count. */
  readonly ratings: number;
  /** Entries whose signatures were checked. */
  readonly signed: number;
  /** Entries that are the aggregator's word about the ledger: they are counted, and not proved here. */
  readonly of_the_ledger: number;
  /** Transactions of the ledger to be looked up by whoever does not believe that word. */
  readonly transactions: readonly string[];
  readonly faults: readonly string[];
}

/** A fault of the file that leaves nothing to count. */
export class EvidenceError extends Error {
  override name = 'EvidenceError';
}

const MOST_FAULTS = 20;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
/** Where the facts that a transaction made name it. */
const LEDGER = {
  event: (entry: StoredEvidence) => saidIn<'event'>(entry).event.signature,
  escrow: (entry: StoredEvidence) => saidIn<'escrow'>(entry).signature,
  lost: (entry: StoredEvidence) => saidIn<'lost'>(entry).signature,
};

/** Time that stands until it is set; nothing waits by it. */
export class StandingTime implements ReplayClock {
  time = 0;

  now(): number {
    return this.time;
  }

  after(): () => void {
    return () => {};
  }

  every(): () => void {
    return () => {};
  }

  sleep(): Promise<void> {
    return new Promise(() => {});
  }
}

/** Counts the evidence of a file again, over an empty space whose store lives by this clock. */
export async function verifyEvidence(text: string, open: (clock: Clock) => Promise<Space>): Promise<VerifiedScore> {
  const lines = text.split('\n').filter((line) => line !== '');
  const faults: string[] = [];
  const fault = (index: number, what: string) => {
    if (faults.length < MOST_FAULTS) faults.push(`line ${index + 1} ${what}`);
  };
  const first = lines[0] === undefined ? undefined : readLine(lines[0]);
  if (first?.value?.type !== 'head')
    throw new EvidenceError(`line 1 ${first?.fault ?? 'is not the head of a score’s evidence'}`);
  const head = first.value;
  requireFit(head);
  const clock = new StandingTime();
  const network = networkOf(head);
  const replay = new Replay(await open(clock), clock, network);
  let [last, isWhole, signed, ofLedger] = [0, head.after === 0, 0, 0];
  const transactions = new Set<string>();
  try {
    for (const [index, line] of lines.entries()) {
      const { value, fault: damage } = readLine(line);
      if (!value) {
        fault(index, damage!);
        // The entry may be this one, so that the next one shows no further gap.
        last += 1;
        continue;
      }
      if (value.type === 'head') {
        if (JSON.stringify(bare(value)) !== JSON.stringify(bare(head)))
          fault(index, 'is the head of another page: get all pages anew, and one after the other');
        isWhole = value.next === null;
        continue;
      }
      if (value.id !== last + 1) fault(index, `is entry ${value.id}, and entry ${last + 1} should stand here`);
      last = value.id;
      if (value.at > head.as_of) continue;
      const why = await replay.take(value).catch((error: Error) => `cannot be read: ${error.message}`);
      if (why !== undefined) fault(index, why);
      if (value.kind === 'item') signed += 1;
      else if (value.kind !== 'lapse') ofLedger += 1;
      if (!Object.hasOwn(LEDGER, value.kind)) continue;
      const named = transactionOf(value);
      if (named === undefined) fault(index, 'names no transaction of the ledger');
      else transactions.add(named);
    }
    if (!isWhole) faults.push('the file ends before the last page');
    if (!head.complete) faults.push(`the aggregator has not everything: ${head.reason ?? 'it does not say why'}`);
    const counted = (await replay.scores(head.as_of, head.anchors)).get(head.agent_id) ?? { score: 0, rank: 0 };
    const { score, rank, agent_id, version, anchors } = head;
    if (counted.score !== score || counted.rank !== rank)
      faults.push(`the score of ${agent_id} is ${counted.score} (rank ${counted.rank}), and not ${score} (${rank})`);
    return {
      ...{ agent_id, version, anchors, claimed: { score, rank }, counted },
      as_of: new Date(head.as_of).toISOString(),
      network: Buffer.from(network.id).toString('hex'),
      ratings: await replay.ratingsOf(agent_id),
      ...{ signed, of_the_ledger: ofLedger, transactions: [...transactions], faults },
    };
  } finally {
    replay.close();
  }
}

/** The transaction of a fact, as it is counted: the text may spell its members in any way. */
function transactionOf(entry: StoredEvidence): string | undefined {
  try {
    const named: unknown = LEDGER[entry.kind as keyof typeof LEDGER](entry);
    return typeof named === 'string' && SIGNATURE.test(named) ? named : undefined;
  } catch {
    return undefined;
  }
}

function requireFit({ format, version }: EvidenceHead): void {
  if (format !== 1) throw new EvidenceError(`the evidence has format ${format}, and this version reads format 1`);
  if (version !== VERSION)
    throw new EvidenceError(`the score is of version ${version}, and this program counts version ${VERSION}`);
}

function networkOf({ network }: EvidenceHead): Network {
  const { network_id, envelope_version, epoch_secs, genesis_hash, program, config } = network;
  return defineNetwork({
    ...{ name: network_id, version: envelope_version, epochSecs: epoch_secs },
    ...(genesis_hash && { genesisHash: bs58.decode(genesis_hash) }),
    ...(program && { programId: bs58.decode(program) }),
    ...(config && { configAddress: bs58.decode(config) }),
  });
}

/** The members that all pages of one score have in common. */
function bare({ after: _, next: __, ...rest }: EvidenceHead): object {
  return rest;
}
