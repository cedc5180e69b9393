import { isMeshError, MeshError } from '../../contracts/errors.ts';
import type { Guests, Refusal, TransactionPart } from '../../messaging/extension-points.ts';
import { kindOf } from '../../platform/kind-of.ts';
import type { Log } from '../../platform/log.ts';
import type { Count, Metrics } from '../../platform/metrics.ts';
import { placeOf } from '../../platform/place-of.ts';
import type { Read } from '../../storage/batch.ts';
import type { GuestBounds, OtherSpaces } from '../../storage/transaction.ts';
import { MoreReads } from '../../storage/transaction.ts';

export type PartKind = 'receives' | 'sends' | 'indexes' | 'ledgerEvents';

/** A page of events of the ledger is one transaction, so a part of one writes less. */
const BOUNDS: Readonly<Record<PartKind, GuestBounds>> = {
  receives: { bytes: 256 * 1024, pulls: 64 },
  sends: { bytes: 256 * 1024, pulls: 64 },
  indexes: { bytes: 256 * 1024, pulls: 64 },
  ledgerEvents: { bytes: 16 * 1024, pulls: 64 },
};
/** The ends of sentences about a part that failed. */
const TROUBLES: Readonly<Record<PartKind, string>> = {
  receives: 'failed, so such messages are put off',
  sends: 'failed, so such messages are not sent',
  indexes: 'failed, so it lacks what it was told',
  ledgerEvents: 'failed, so it lacks what it was told',
};
const MOST_READS = 64;
const REFUSALS: readonly unknown[] = ['invalid', 'blocked', 'rate-limited', 'restricted'] satisfies Refusal[];

interface Part {
  /** The plugin, and so its space. */
  readonly plugin: string;
  readonly kind: PartKind;
  /** The message type or the name of the event. */
  readonly name: string;
  readonly part: TransactionPart<any, unknown>;
  readonly log: Log;
  /** The end of a sentence about it; undefined while it works. */
  trouble: string | undefined;
}

/** The parts that plugins have in transactions of core, in boot order. */
export class TransactionParts {
  readonly #parts = new Map<string, Part[]>();
  readonly #failures: Count;

  constructor(metrics: Metrics) {
    this.#failures = metrics.counter(
      'mesh_transaction_part_failures_total',
      'Parts of plugins in transactions that threw, or answered wrongly.',
      ['plugin', 'point', 'name'],
    );
  }

  add(part: Omit<Part, 'trouble'>): void {
    const key = keyOf(part.kind, part.name);
    this.#parts.set(key, [...(this.#parts.get(key) ?? []), { ...part, trouble: undefined }]);
  }

  has(kind: PartKind): boolean {
    return [...this.#parts.keys()].some((key) => key.startsWith(`${kind} `));
  }

  /** Undefined when no plugin takes part. */
  of(kind: PartKind, name: string, input: () => unknown): Guests | undefined {
    const parts = this.#parts.get(keyOf(kind, name));
    return parts && this.#guests(parts, kind, input());
  }

  trouble(plugin: string): string | undefined {
    for (const parts of this.#parts.values())
      for (const part of parts)
        if (part.plugin === plugin && part.trouble !== undefined) return `${part.kind} ${part.name} ${part.trouble}`;
    return undefined;
  }

  #guests(parts: readonly Part[], kind: PartKind, input: unknown): Guests {
    const faults = new Map<Part, unknown>();
    const unread = new Map<Part, unknown>();
    const beside = parts.map((part) => {
      try {
        return { space: part.plugin, reads: readsOf(part, input) };
      } catch (error) {
        unread.set(part, error);
        return { space: part.plugin, reads: [] };
      }
    });
    return {
      beside,
      apply: (others, known) => {
        // The function of a transaction may run again: what the run before found out is not so.
        faults.clear();
        const told = known ? { ...Object(input), ...known } : input;
        for (const part of parts) {
          const refusal = unread.has(part)
            ? failed(part, unread.get(part))
            : run(part, kind, told, others, (error) => failed(part, error));
          if (refusal) return refusal;
        }
        return undefined;
      },
      over: () => {
        for (const part of parts) this.#tell(part, faults);
      },
    };

    function failed(part: Part, error: unknown): Refusal | undefined {
      faults.set(part, error);
      if (kind === 'sends')
        throw new MeshError('internal', {
          detail: `The plugin ${part.plugin} failed while this ${part.name} was sent; nothing was signed.`,
          cause: error,
        });
      return kind === 'receives' ? 'rate-limited' : undefined;
    }
  }

  #tell(part: Part, faults: ReadonlyMap<Part, unknown>): void {
    const { plugin, kind, name, log } = part;
    if (!faults.has(part)) {
      // A message that failed comes again; what an index or the ledger told does not.
      if (kind === 'receives' || kind === 'sends') part.trouble = undefined;
      return;
    }
    const error = faults.get(part);
    this.#failures({ plugin, point: kind, name });
    if (part.trouble === undefined)
      log.error({ err: error, point: kind, name, at: placeOf(error) }, 'a part in a transaction failed');
    part.trouble = TROUBLES[kind];
  }
}

function run(
  { plugin, part }: Part,
  kind: PartKind,
  input: unknown,
  others: OtherSpaces,
  failed: (error: unknown) => Refusal | undefined,
): Refusal | undefined {
  try {
    return others.guest(plugin, BOUNDS[kind], (tx) => checked(kind, part.apply(tx, input)));
  } catch (error) {
    if (error instanceof MoreReads || (kind === 'sends' && isMeshError(error))) throw error;
    return failed(error);
  }
}

/** Throws when it is not what the point asks for. */
function checked(kind: PartKind, answer: unknown): Refusal | undefined {
  if (answer instanceof Promise) {
    answer.catch(() => {});
    throw new TypeError('apply must be synchronous, and it returned a promise');
  }
  if (kind !== 'receives') return undefined;
  if (answer === 'accepted') return undefined;
  if (REFUSALS.includes(answer)) return answer as Refusal;
  throw new TypeError(`apply must return 'accepted' or a reason, and it returned ${kindOf(answer)}`);
}

function readsOf({ part }: Part, input: unknown): readonly Read[] {
  const reads: unknown = part.reads?.(input) ?? [];
  const isFit = Array.isArray(reads) && reads.length <= MOST_READS && reads.every((one) => typeof one?.of === 'object');
  if (!isFit) throw new TypeError(`reads must return a list of at most ${MOST_READS} references`);
  return reads as readonly Read[];
}

function keyOf(kind: PartKind, name: string): string {
  return `${kind} ${name}`;
}
