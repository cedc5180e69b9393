import { RateLimiter } from '../../http/limits.ts';
import type { ExtensionPoints } from '../../messaging/extension-points.ts';
import type { Verifier } from '../../messaging/verification/verifier.ts';
import { networkOf } from '../../platform/addresses.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Count } from '../../platform/metrics.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { Space } from '../../storage/space.ts';
import type { Epochs } from '../epochs.ts';
import type { EvidenceJournal } from '../evidence/journal.ts';
import { agents } from '../store/agents.ts';
import { heard as heardRows, type StoredHeard } from '../store/heard.ts';
import type { StoredNonces } from '../store/nonces.ts';
import type { HandedItem } from '../writer/hand-over.ts';
import { isAnnouncement, isOld } from './announcement.ts';
import type { Handling } from './handling.ts';
import { type IngestItem, type IngestSource, type ItemResult, itemResult } from './item.ts';
import { newKeysOf } from './new-keys.ts';
import { hasHeld, heldAnswer } from './nonce.ts';
import { readItem, type Signed, verificationOf } from './signed.ts';
import { createWriting, type Verified } from './writing.ts';

/**
 * Takes envelopes and receipts from anyone, verifies each, and applies the effect of each new one to the public
 * record, in one transaction an item. Results come in the order of the items. Idempotent: reporting the same again,
 * from anywhere, in whole or as a receipt, changes nothing. Rejects only with a StorageError; then the same items may
 * be reported again.
 */
export type Ingest = (items: readonly IngestItem[], source: IngestSource) => Promise<ItemResult[]>;

export interface IngestParts {
  readonly space: Space;
  readonly network: Network;
  readonly verifier: Verifier;
  readonly clock: Clock;
  readonly log: Log;
  readonly epochs: Epochs;
  /** Hands what is recorded to the handlers of plugins. */
  readonly handling: Pick<Handling, 'keeps' | 'keep' | 'recorded'>;
  /** Keeps what scores are made of. */
  readonly evidence?: EvidenceJournal;
  /** Hands verified items to the writer of the store, where that is another process; see `HandOff`. */
  readonly give?: ((items: readonly HandedItem[]) => Promise<readonly ItemResult[] | undefined>) | undefined;
  /** The parts that plugins take in recording. */
  readonly plugins?: Pick<ExtensionPoints, 'recording'>;
  readonly limits: IngestLimits;
  /** Whether every BEACON counts that is not held under its nonce: of evidence, whose choice was made when it was noted. */
  readonly keepsEveryBeacon?: boolean;
  /** New keys by network, which all that write here take from; see `newKeysOf`. */
  readonly newKeys?: RateLimiter;
  /** Counts results by status. */
  readonly counted: Count;
  /** Counts items that were put off, by the bound that was met: `address`, `all` or `key`. */
  readonly putOff: Count;
  /** Counts accepted items, by message type: DISCOVER has no other effect than that its sender was heard of. */
  readonly recorded: Count;
  /** Counts feedback that had no effect, by reason. */
  readonly dropped: Count;
  /** Counts successions that were refused, by reason. */
  readonly refusedSuccessions?: Count;
}

export interface IngestLimits {
  /** Keys never seen before, from one address (or IPv6 network). */
  readonly newKeysPerHour: number;
  /** Keys never seen before, from everywhere: addresses are cheap too, and each key is kept for ever. */
  readonly newKeysPerHourInAll: number;
  /** Items signed by one key, from anywhere. */
  readonly itemsPerKeyPerMinute: number;
}

export const DEFAULT_LIMITS: IngestLimits = {
  newKeysPerHour: 60,
  newKeysPerHourInAll: 20_000,
  itemsPerKeyPerMinute: 600,
};

/**
 * Old BEACONs that one address tells in a minute. An agent reports 288 of its own in a day; each costs a signature, which alone
 * shows that it is no forgery for a hub to forward.
 */
const OLD_PER_MINUTE = 1_200;

export function createIngest(parts: IngestParts, write = createWriting(parts)): Ingest {
  const { space, network, verifier, clock, epochs, counted, putOff, give, keepsEveryBeacon = false } = parts;
  const newKeys = newKeysOf(parts);
  const oldOnes = new RateLimiter({ rate: OLD_PER_MINUTE, window: 60 }, clock);

  return async (items, { ip, live = false }) => {
    const read = items.map((item) => readItem(item, { network, now: clock.now(), live }));
    const signed = read.filter((item) => 'header' in item);
    const held = await heldUnderNonces(space, signed);
    const heard = keepsEveryBeacon ? NOTHING_HEARD : await heardOf(space, signed);
    const known = new Set(await knownSenders(space, signed));
    const verdicts = new Map<Signed, ItemResult>();
    const old = new Set<Signed>();
    const fresh = signed.filter((item) => {
      const newest = heard.get(item.sender);
      const stored = held.get(item.nonceRef.id);
      const answer = heldAnswer(item, stored, newest);
      if (answer) {
        verdicts.set(item, answer);
        return false;
      }
      const isTold = isAnnouncement(item) && !keepsEveryBeacon && isOld(item, newest, epochs);
      if (!isTold || hasHeld(item, stored, newest)) return true;
      if (oldOnes.tryTake(networkOf(ip))) return old.add(item);
      putOff({ bound: 'address' });
      verdicts.set(item, itemResult(item.id, 'rate-limited', 'too many old BEACONs from this address'));
      return false;
    });
    const genuine = await verifier.verifyAll(fresh.map((item) => verificationOf(item, network)));
    const verified: Verified[] = [];
    const newcomers = new Set<string>();
    for (const [place, item] of fresh.entries()) {
      const refusal = genuine[place]
        ? refusalOf(item)
        : itemResult(item.id, 'invalid', 'the signature is not of its sender');
      if (refusal) verdicts.set(item, refusal);
      else verified.push({ item, live, newcomer: newcomers.has(item.sender) });
    }
    const written = (await handed(verified, networkOf(ip))) ?? (await write(verified));
    for (const [place, { item }] of verified.entries()) verdicts.set(item, written[place]!);
    const results = read.map((item) => ('header' in item ? verdicts.get(item)! : item));
    for (const { status } of results) counted({ status });
    return results;

    /** A sender that is known already meets none of the bounds of newcomers; an old BEACON changes nothing, and uses up nothing of its key's. */
    function refusalOf(item: Signed): ItemResult | undefined {
      const { id, sender } = item;
      if (old.has(item)) return itemResult(id, 'duplicate');
      if (known.has(sender) || newcomers.has(sender)) return undefined;
      if (newKeys.tryTake(networkOf(ip))) {
        newcomers.add(sender);
        return undefined;
      }
      putOff({ bound: 'address' });
      return itemResult(id, 'rate-limited', 'too many new keys from this address');
    }
  };

  /** By the writer of the store; undefined when that is this process. */
  async function handed(verified: readonly Verified[], network: string): Promise<readonly ItemResult[] | undefined> {
    if (!give || verified.length === 0) return undefined;
    return give(
      verified.map(({ item: { kind, bytes }, live, newcomer }) => {
        return { kind, bytes, live, newcomerFrom: newcomer ? network : undefined };
      }),
    );
  }
}

/** By the ids of the documents: messages of one key lie together. */
async function heldUnderNonces(space: Space, signed: readonly Signed[]): Promise<ReadonlyMap<string, StoredNonces>> {
  const refs = [...new Map(signed.map(({ nonceRef }) => [nonceRef.id, nonceRef])).values()];
  const rows = await space.getMany(refs);
  const found = new Map<string, StoredNonces>();
  for (const [place, { id }] of refs.entries()) if (rows[place]) found.set(id, rows[place]);
  return found;
}

async function knownSenders(space: Space, signed: readonly Signed[]): Promise<string[]> {
  const senders = [...new Set(signed.map(({ sender }) => sender))];
  const rows = await space.getMany(senders.map((sender) => agents.ref(sender)));
  return senders.filter((_, index) => rows[index] !== undefined);
}

const NOTHING_HEARD: ReadonlyMap<string, StoredHeard | undefined> = new Map();

/** The newest BEACONs of those who sign one here. */
async function heardOf(space: Space, signed: readonly Signed[]): Promise<ReadonlyMap<string, StoredHeard | undefined>> {
  const senders = [...new Set(signed.filter(isAnnouncement).map(({ sender }) => sender))];
  const rows = await space.getMany(senders.map((sender) => heardRows.ref(sender)));
  return new Map(senders.map((sender, place) => [sender, rows[place]]));
}
