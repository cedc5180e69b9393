import type { Clock, LedgerAccounts, Self, TransactionEntry } from '../../core/services.ts';
import type { TradeCaps } from './caps.ts';
import { checkMints, checkPair, unitsOf, worthOf, wrong } from './checks.ts';
import type { DcaReply, DcaRequest, LimitRequest, OrderReply } from './order-shapes.ts';
import { COSTS, type Sending, sent, spending } from './sending.ts';
import type { TradingService } from './service.ts';
import type { Pair } from './tokens.ts';

export interface OrdersOptions {
  readonly service: TradingService;
  readonly sending: Sending;
  readonly caps: TradeCaps;
  readonly accounts: LedgerAccounts;
  readonly self: Self;
  readonly clock: Clock;
}

const LOOK_AGAIN_MS = 500;
const LOOKS = 6;

/** Limit and recurring orders: tokens that the service's program holds until the market fits. */
export class Orders {
  readonly #options: OrdersOptions;

  constructor(options: OrdersOptions) {
    this.#options = options;
  }

  async limit(request: LimitRequest, operation: string | undefined): Promise<OrderReply> {
    checkPair(request);
    const { service, sending, caps, accounts, self, clock } = this.#options;
    const making = unitsOf(request.making_amount, '/making_amount');
    const taking = unitsOf(request.taking_amount, '/taking_amount');
    const ends = request.expired_at === undefined ? undefined : Number(request.expired_at);
    const done = await sending.done(operation);
    if (done?.order !== undefined) return { order: done.order, ...sent(done.state) };
    if (ends !== undefined && ends * 1_000 <= clock.now()) throw wrong('/expired_at', 'is over already');
    await checkMints(accounts, request);
    const value = await worthOf(service, request.input_mint, making);
    return caps.within(value, async () => {
      const params = {
        makingAmount: making.toString(),
        takingAmount: taking.toString(),
        ...(ends !== undefined && { expiredAt: String(ends) }),
      };
      const { order, transaction } = await service.limitOrder(self.address, request, params);
      const entry = entryOf('limit-order', request, making);
      const wanted = { transaction, ...spending(request.input_mint, making), entry };
      const state = await sending.send([operation], wanted, { order });
      return { order, ...sent(state) };
    });
  }

  async cancel(orders: readonly string[]): Promise<{ cancelled: number; txids: readonly string[] }> {
    const { service, sending, self } = this.#options;
    const txids: string[] = [];
    for (const transaction of await service.cancel(self.address, orders)) {
      // The return depends on how far the orders were filled; nothing but fees may leave.
      const entry: TransactionEntry = { type: 'swap', action: 'cancel-order' };
      const state = await sending.send([], { transaction, spend: { lamports: COSTS }, entry });
      txids.push(state.signature);
    }
    return { cancelled: orders.length, txids };
  }

  async recurring(request: DcaRequest, operation: string | undefined): Promise<DcaReply> {
    checkPair(request);
    const { service, sending, caps, accounts, self, clock } = this.#options;
    const whole = unitsOf(request.in_amount, '/in_amount');
    const cycle = unitsOf(request.in_amount_per_cycle, '/in_amount_per_cycle');
    if (whole > BigInt(Number.MAX_SAFE_INTEGER)) throw wrong('/in_amount', 'is more than the trading service takes');
    const numberOfOrders = Number((whole + cycle - 1n) / cycle);
    if (numberOfOrders < 2)
      throw wrong('/in_amount_per_cycle', 'must be less than in_amount: there are at least two cycles');
    const done = await sending.done(operation);
    if (!done) await checkMints(accounts, request);
    const state =
      done?.state ??
      (await caps.within(await worthOf(service, request.input_mint, whole), async () => {
        const time = { inAmount: Number(whole), numberOfOrders, interval: request.cycle_seconds };
        const transaction = await service.recurring(self.address, request, time);
        const entry = entryOf('recurring-order', request, whole);
        return sending.send([operation], { transaction, ...spending(request.input_mint, whole), entry });
      }));
    for (let look = 1; look <= LOOKS; look++) {
      const key = await service.recurringOrder(self.address, state.signature).catch(() => undefined);
      if (key !== undefined) return { dca_key: key, ...sent(state) };
      if (look < LOOKS) await clock.sleep(LOOK_AGAIN_MS);
    }
    return { dca_key: null, ...sent(state) };
  }
}

function entryOf(action: string, { input_mint, output_mint }: Pair, amount: bigint): TransactionEntry {
  return { type: 'swap', action, details: { input_mint, output_mint, input_amount: amount.toString() } };
}
