import type { SchemaTypes } from '../../../schemas/types.ts';
import type { MeshError } from '../../contracts/errors.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import type { OwnAccount, OwnReading } from '../behavior/own-account.ts';

export interface PaymentCounterOptions {
  readonly space: Space;
  readonly own: OwnAccount;
}

export interface CountedReading extends OwnReading {
  /** Payments counted, with those that are confirmed and not yet final. */
  readonly payments: number;
  /** The account shows them all. One that it lacks all the same was undone with its block. */
  readonly complete: boolean;
}

const newest = collection<SchemaTypes['payment-count']>('payment-count', { schema: 'payment-count' }).ref('own');

/**
 * The number that the next lease payment or stake of this key names. The program takes one payment of a number, so one
 * that was called lost and sent again is taken once. Lease and stake share the numbers and take turns.
 */
export class PaymentCounter {
  readonly #options: PaymentCounterOptions;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: PaymentCounterOptions) {
    this.#options = options;
  }

  /** One payment at a time. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** The finalised account, with the number of payments that the ledger has confirmed by now. */
  async read(): Promise<CountedReading> {
    const { space, own } = this.#options;
    const known = await space.get(newest);
    const reading = await own.read();
    const counted = reading.agent?.payments ?? 0;
    const complete = !known || reading.slot >= known.slot;
    return { ...reading, complete, payments: complete ? counted : Math.max(counted, known.payments + 1) };
  }

  /** The ledger has confirmed the payment of that number. */
  async landed(payments: number, slot: number): Promise<void> {
    const { space, own } = this.#options;
    own.changed(slot);
    await space.put(newest, { payments, slot });
  }
}

/** The ledger refused because the account has counted a payment of this number already. */
export function isCounted({ details }: MeshError): boolean {
  return details.extra?.['program_error'] === 'wrong_payment';
}
