import { happens } from '../../support/happens.ts';
import type { Answer } from '../../support/mesh.ts';
import type { Dice } from '../dice.ts';
import { Broken } from '../world.ts';
import type { ServicesWorld } from './world.ts';

const EVM = `0x${'1a'.repeat(20)}`;
const MICRO = 1_000_000;

/** One thing that is asked for, again and again under one key until it is answered. */
export interface Errand {
  readonly kind: 'withdraw' | 'launch' | 'buy' | 'swap' | 'order';
  readonly key: string;
  readonly amount: bigint;
  /** The chain of a withdrawal, the symbol of a launch, the mint of a purchase. */
  readonly about: string;
  readonly call: () => Promise<Answer>;
  answer?: any;
  refusal?: string;
}

/** A deal of ben with ada, whose release goes to his billing account. */
interface Sale {
  readonly amount: bigint;
  conversation?: string;
  redirected: boolean;
  done: boolean;
}

/** What is asked of the services, and what came of it. */
export class Errands {
  readonly all: Errand[] = [];
  readonly sales: Sale[] = [];
  readonly addresses = new Map<'ann' | 'ben', string>();
  deposited = 0n;
  atGateway = 0n;
  outside = '';
  readonly #world: ServicesWorld;
  readonly #dice: Dice;
  readonly #busy = new Set<Errand | Sale>();

  constructor(world: ServicesWorld, dice: Dice, outside: string) {
    this.#world = world;
    this.#dice = dice;
    this.outside = outside;
  }

  get open(): number {
    return this.all.filter(isOpen).length + this.sales.filter(({ done }) => !done).length;
  }

  /** Ann and ben have addresses and money before anything goes wrong. */
  async begin(): Promise<void> {
    for (const as of ['ann', 'ben'] as const)
      this.addresses.set(as, (await this.#must('/billing/deposit', { chain: 'solana', amount_usdc: '1' }, as)).address);
    await this.#must('/billing/set-payout', { chain: 'base', address: EVM }, 'ben');
    await this.deposit();
  }

  async deposit(): Promise<void> {
    const amount = BigInt(this.#dice.between(5 * MICRO, 40 * MICRO));
    await this.#world.localnet.faucet.usdc(this.addresses.get('ann')!, amount);
    this.deposited += amount;
  }

  async depositElsewhere(): Promise<void> {
    const answer = await this.#world
      .bill('POST', '/billing/deposit', { chain: 'base', amount_usdc: '1' })
      .catch(() => undefined);
    if (answer?.status !== 200) return;
    const amount = BigInt(this.#dice.between(1, 9 * MICRO));
    this.atGateway += amount;
    const text = `${this.atGateway / 1_000_000n}.${String(this.atGateway % 1_000_000n).padStart(6, '0')}`;
    this.#world.gateway.balances.set(answer.body.address, new Map([[6, text]]));
  }

  withdraw(): Promise<void> {
    const chain = this.#dice.of(['solana', 'base']);
    const micro = this.#dice.between(MICRO, 6 * MICRO);
    const to = { destination_chain: chain, destination_address: chain === 'solana' ? this.outside : EVM };
    return this.#new('withdraw', BigInt(micro), chain, (headers) =>
      this.#world.bill('POST', '/billing/withdraw', { amount_usdc: (micro / MICRO).toFixed(6), ...to }, headers),
    );
  }

  launch(): Promise<void> {
    const lamports = this.#dice.between(1_000, 1_000_000);
    const symbol = `S${String(this.all.length)}`.toUpperCase();
    const wish = { name: `Token ${symbol}`, symbol, description: 'A token.', initial_buy_lamports: lamports };
    return this.#new('launch', BigInt(lamports), symbol, (headers) =>
      this.#world.call('ada', 'POST', '/launchpad/launch', wish, headers),
    );
  }

  buy(): Promise<void> {
    const launched = this.all.filter(({ kind, answer }) => kind === 'launch' && answer);
    if (launched.length === 0) return this.launch();
    const mint = this.#dice.of(launched).answer.token_mint;
    const lamports = this.#dice.between(1_000, 5_000_000);
    const swap = { token_mint: mint, amount: lamports, action: 'buy' };
    return this.#new('buy', BigInt(lamports), mint, (headers) =>
      this.#world.call('ada', 'POST', '/launchpad/swap/execute', swap, headers),
    );
  }

  trade(kind: 'swap' | 'order'): Promise<void> {
    const { demo, call } = { demo: this.#world.demo, call: this.#world.call.bind(this.#world) };
    const amount = this.#dice.between(10_000, MICRO);
    const pair = { input_mint: USDC, output_mint: demo };
    return this.#new(kind, BigInt(amount), demo, (headers) =>
      kind === 'swap'
        ? call('ada', 'POST', '/trade/swap', { ...pair, amount }, headers)
        : call(
            'ada',
            'POST',
            '/trade/limit/create',
            { ...pair, making_amount: amount, taking_amount: 3 * amount },
            headers,
          ),
    );
  }

  sell(): Promise<void> {
    const sale: Sale = { amount: BigInt(this.#dice.between(2 * MICRO, 5 * MICRO)), redirected: false, done: false };
    this.sales.push(sale);
    return this.#go(sale);
  }

  /** Whatever was begun and not answered, once more. */
  async again(): Promise<void> {
    const open = [...this.all.filter(isOpen), ...this.sales.filter(({ done }) => !done)];
    const one = open.length > 0 ? this.#dice.of(open) : undefined;
    if (one) await ('kind' in one ? this.#ask(one) : this.#go(one));
  }

  async everythingAgain(): Promise<void> {
    await Promise.all([
      ...this.all.filter(isOpen).map((one) => this.#ask(one)),
      ...this.sales.filter(({ done }) => !done).map((one) => this.#go(one)),
    ]);
  }

  #new(
    kind: Errand['kind'],
    amount: bigint,
    about: string,
    call: (headers: Record<string, string>) => Promise<Answer>,
  ): Promise<void> {
    const key = `${kind}-${this.all.length}`;
    const errand: Errand = { kind, key, amount, about, call: () => call({ 'idempotency-key': key }) };
    this.all.push(errand);
    return this.#ask(errand);
  }

  async #ask(errand: Errand): Promise<void> {
    await this.#alone(errand, async () => {
      const answer = await this.#told(errand.key, errand.call);
      const { notes } = this.#world;
      if (!answer) return notes.line(errand.key, 'the connection broke');
      const { txid, code, detail, status = '' } = answer.body;
      notes.line(errand.key, [answer.status, code ?? status, detail ?? txid].join(' '));
      if (answer.status < 300) errand.answer = answer.body;
      // Nothing was set aside for it: it would be refused for ever.
      else if (answer.body.code === 'insufficient_funds') errand.refusal = answer.body.code;
    });
  }

  /** The next step of a sale, as the deal shows it. */
  async #go(sale: Sale): Promise<void> {
    await this.#alone(sale, async () => {
      const { ada, ben } = this.#world;
      const say = (name: 'ada' | 'ben', path: string, body: object = {}) =>
        this.#told(path, () =>
          this.#world.call(name, 'POST', path, { conversation_id: sale.conversation, ...body }, {}),
        );
      if (!this.#world.isUp('ada')) return;
      if (sale.conversation === undefined) {
        const terms = { recipient: ben.id, amount_usdc: (Number(sale.amount) / MICRO).toFixed(6), message: 'Count.' };
        const proposed = await this.#told('propose', () =>
          this.#world.call('ada', 'POST', '/negotiate/propose', terms, {
            'idempotency-key': `sale-${this.sales.indexOf(sale)}`,
          }),
        );
        if (proposed && proposed.status < 300) sale.conversation = proposed.body.conversation_id;
        return;
      }
      const deals = await Promise.all([ben, ada].map((one) => one.get(`/deals/${sale.conversation}`))).catch(() => []);
      const [his, hers] = deals.map(({ status, body }) => (status === 200 ? body : undefined));
      if (hers?.state === 'settled') sale.done = true;
      else if (his?.state === 'proposed') await say('ben', '/negotiate/accept');
      else if (hers?.state === 'accepted' && hers.escrow.locked_at === undefined) await say('ada', '/escrow/lock');
      else if (his?.state === 'accepted' && his.escrow.locked_at !== undefined)
        await say('ben', '/deliver', { content: '{"words":3}', content_type: 'application/json' });
      else if (hers?.state === 'delivered' && !sale.redirected) {
        const answer = await say('ben', '/escrow/set-payee', { wallet: this.addresses.get('ben') });
        sale.redirected = answer?.status === 200;
      } else if (hers?.state === 'delivered') await say('ada', '/escrow/approve');
    });
  }

  async #alone(one: Errand | Sale, run: () => Promise<void>): Promise<void> {
    if (this.#busy.has(one)) return;
    this.#busy.add(one);
    await run().finally(() => this.#busy.delete(one));
  }

  /** Undefined when the connection broke. */
  async #told(what: string, call: () => Promise<Answer>): Promise<Answer | undefined> {
    const { notes } = this.#world;
    try {
      const answer = await call();
      const { status, body } = answer;
      const why = body?.cap ?? (body?.code === 'rate_limited' ? body.detail : undefined);
      notes.count([what.replace(/-\d+$/, ''), status < 300 ? status : body?.code, why].filter(Boolean).join(' '));
      if (status === 500) notes.violated('answers', `${what}: ${JSON.stringify(body)}`);
      return answer;
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      notes.count(`${what.replace(/-\d+$/, '')} broken`);
      return undefined;
    }
  }

  async #must(path: string, body: object, as: 'ann' | 'ben'): Promise<any> {
    // The first BEACON of an agent takes its time on a busy machine.
    return happens(`${as} is answered at ${path}`, async () => {
      const { status, body: answer } = await this.#world.bill('POST', path, body, {}, as);
      if (status === 200) return answer;
      if (answer.code !== 'not_found') throw new Error(JSON.stringify(answer));
      return undefined;
    });
  }
}

const USDC = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';

function isOpen({ answer, refusal }: Errand): boolean {
  return answer === undefined && refusal === undefined;
}
