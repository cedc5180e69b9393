import { definePlugin, type Plugin, route, typed } from '../../../core/plugin.ts';
import type { Answer } from '../../support/mesh.ts';
import type { Dice } from '../dice.ts';
import type { Notes } from '../notes.ts';
import { Broken } from '../world.ts';
import type { ServicesWorld } from './world.ts';

/** Minor units of one call. */
export const PRICE = 50_000n;
/** USDC that sam begins with, so that it can be paid at all. */
export const TILL = 1_000_000n;
const AT_ONCE = 4;
const PAGE = 50;

const Order = typed<{ order: string }>({
  type: 'object',
  required: ['order'],
  properties: { order: { type: 'string', maxLength: 40 } },
  examples: [{ order: 'tide-1' }],
});

/** The shop of sam, and how often its handler began to work on each order: it counts over kills, as its work would. */
export class Shop {
  readonly handled = new Map<string, number>();

  get plugin(): Plugin {
    const { handled } = this;
    return definePlugin({
      name: 'shop',
      api: '2.2',
      node: {
        routes: {
          tide: route('GET /tide', { auth: 'x402', price: '0.05', query: Order, reply: Order }),
        },
        setup: () => ({
          routes: {
            tide({ query: { order } }) {
              handled.set(order, (handled.get(order) ?? 0) + 1);
              return { order };
            },
          },
        }),
      },
    });
  }
}

/** A call that ada buys of sam. Her node pays; where the seller failed, her agent shows the payment again, until somebody says how it ended. */
interface Purchase {
  readonly order: string;
  /** A payment that certainly was not taken is followed by another under another key. */
  tries: number;
  payment?: { readonly id: string; readonly header: Record<string, string> };
  /** Sam answered this at last: the call's own answer, or that it was given, or begun, when somebody was killed. */
  heard?: 200 | 409;
  ended: boolean;
}

/** Ada buys calls of sam, and either is killed meanwhile. */
export class Purchases {
  readonly #world: ServicesWorld;
  readonly #dice: Dice;
  readonly #all: Purchase[] = [];
  readonly #busy = new Set<Purchase>();

  constructor(world: ServicesWorld, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
  }

  /** Ada begins a purchase, goes on with one that has not ended, or buys nothing; at times the dice doom sam. */
  round(): Promise<void> {
    const dice = this.#dice;
    if (dice.chance(0.15) && this.#world.isUp('sam')) this.#world.doom('sam', dice);
    const open = this.#open();
    if (this.#busy.size >= AT_ONCE) return Promise.resolve();
    if (open.length > 0 && dice.chance(0.6)) return this.#ask(dice.of(open));
    if (!dice.chance(0.5)) return Promise.resolve();
    const purchase: Purchase = { order: `tide-${this.#all.length}`, tries: 0, ended: false };
    this.#all.push(purchase);
    return this.#ask(purchase);
  }

  async everythingAgain(): Promise<void> {
    await Promise.all(this.#open().map((one) => this.#ask(one)));
  }

  /** Whether each purchase has ended, and sam knows of each payment whether it has it. */
  async isQuiet(): Promise<boolean> {
    if (this.#open().length > 0) return false;
    return (await this.#sales())?.every(({ state }) => state !== 'taken') ?? false;
  }

  ends(): Record<string, number> {
    const ended = (heard: Purchase['heard']) => this.#all.filter((one) => one.ended && one.heard === heard).length;
    return { 'calls bought': ended(200), 'calls paid and not answered': ended(409) };
  }

  /** The books of both against the ledger. Minor units that sam was paid. */
  async check(notes: Notes): Promise<bigint> {
    const wrong = (what: string, is: unknown, wanted: unknown) => {
      if (is !== wanted) notes.violated('books', `${what}: ${is} in place of ${wanted}`);
    };
    wrong('purchases that never ended', this.#open().length, 0);
    const { sam, shop } = this.#world;
    const sales = (await this.#sales()) ?? [];
    const earned = (await this.#world.held(sam.id)) - TILL;
    wrong('USDC that sam was paid for its sales', earned, PRICE * BigInt(sales.length));
    wrong('sales that wait', sales.filter(({ state }) => state === 'taken' || state === 'paid').length, 0);
    const sold = new Map(sales.map((sale) => [sale.transaction, sale.state]));
    wrong('transactions of sales', sold.size, sales.length);
    const receipts = new Set<string>();
    for (const purchase of this.#all.filter(({ payment }) => payment !== undefined)) {
      const { status, body } = await this.#world.call('ada', 'GET', `/wallet/x402/${purchase.payment!.id}`);
      wrong(`the payment of ${purchase.order}`, status === 200 && body.status, 'paid');
      if (!sold.has(body.transaction))
        notes.violated('paid-once', `sam has no sale of the payment of ${purchase.order}`);
      if (purchase.heard === 409 && sold.get(body.transaction) === 'begun') notes.count('sales that sam shows as owed');
      receipts.add(body.transaction);
      const times = shop.handled.get(purchase.order) ?? 0;
      const least = purchase.heard === 200 ? 1 : 0;
      if (times < least || times > 1)
        notes.violated('paid-once', `${purchase.order}, answered ${purchase.heard}, was worked on ${times} times`);
    }
    wrong('payments of ada that sam sold nothing for', sales.length, receipts.size);
    return earned;
  }

  #open(): readonly Purchase[] {
    return this.#all.filter(({ ended }) => !ended);
  }

  async #ask(purchase: Purchase): Promise<void> {
    if (this.#busy.has(purchase)) return;
    this.#busy.add(purchase);
    await this.#buy(purchase).finally(() => this.#busy.delete(purchase));
  }

  async #buy(purchase: Purchase): Promise<void> {
    if (!purchase.payment) await this.#pay(purchase);
    else if (purchase.heard === undefined) await this.#show(purchase, purchase.payment);
    if (!purchase.payment) return;
    const answer = await this.#told(() => this.#world.call('ada', 'GET', `/wallet/x402/${purchase.payment!.id}`));
    const status = answer?.status === 200 ? answer.body.status : answer?.body.code;
    this.#world.notes.count(`purchase ${purchase.heard ?? 'open'} ${status ?? 'broken'}`);
    if (status === 'paid' && purchase.heard !== undefined) purchase.ended = true;
    if (status !== 'unpaid') return;
    if (purchase.heard === 200) this.#world.notes.violated('paid-once', `${purchase.order} was answered and not paid`);
    delete purchase.payment;
    purchase.tries += 1;
  }

  async #pay(purchase: Purchase): Promise<void> {
    const { order, tries } = purchase;
    const answer = await this.#told(() =>
      this.#world.call(
        ...(['ada', 'POST', '/wallet/x402/pay'] as const),
        { url: this.#urlOf(purchase), max_usdc: '0.05' },
        { 'idempotency-key': `${order}-${tries}` },
      ),
    );
    if (!answer) return;
    const { status, body } = answer;
    if (status === 500) this.#world.notes.violated('answers', `purchase: ${JSON.stringify(body)}`);
    // By the ledger the payment of this key was not taken: ada pays under another one.
    if (body.code === 'conflict') {
      delete purchase.payment;
      purchase.tries += 1;
    }
    if (status !== 200) return this.#world.notes.count(`purchase ${body.code}`);
    // Sam answered something else than a price, such as that it starts: the same call asks again.
    if (body.payment_id === null) return;
    purchase.payment = { id: body.payment_id, header: { [body.header_name]: body.payment_signature } };
    this.#hear(purchase, body.response?.status);
  }

  /** The node shows it again when it is asked under the same key, or the agent of ada does, which has its header. */
  async #show(purchase: Purchase, { id, header }: NonNullable<Purchase['payment']>): Promise<void> {
    if (this.#dice.chance(0.5)) {
      await this.#pay(purchase);
      if (purchase.payment && purchase.payment.id !== id)
        this.#world.notes.violated('paid-once', `${purchase.order} was paid anew under its key`);
      return;
    }
    const answer = await fetch(this.#urlOf(purchase), { headers: header }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    this.#hear(purchase, answer?.status);
  }

  #hear(purchase: Purchase, status: number | undefined): void {
    if (status === 200 || status === 409) purchase.heard = status;
  }

  #urlOf({ order }: Purchase): string {
    return `${this.#world.shopUrl}/tide?order=${order}`;
  }

  async #sales(): Promise<readonly any[] | undefined> {
    const found: any[] = [];
    for (let before = ''; ; ) {
      const page = await this.#told(() => this.#world.call('sam', 'GET', `/wallet/sales?limit=${PAGE}${before}`));
      if (page?.status !== 200) return undefined;
      found.push(...page.body.sales);
      if (page.body.next === null) return found;
      before = `&before=${page.body.next}`;
    }
  }

  async #told(call: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      return undefined;
    }
  }
}
