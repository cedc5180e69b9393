import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SettledLocalnet, startSettledLocalnet } from '../../../adapters/localnet-settlement.ts';
import type { RunningNode } from '../../../core/host/boot/boot-node.ts';
import { startNode } from '../../../core/host/wiring/composition.ts';
import { Identity, Network } from '../../../core/internal-services.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { Self } from '../../../core/services.ts';
import { MESSAGE_TRANSMITTER, TOKEN_MESSENGER } from '../../../plugins/billing/settlement/index.ts';
import { plugins, standard } from '../../../plugins/index.ts';
import { TestAgent } from '../../aggregator/support/agent.ts';
import { rpc } from '../../localnet/cluster.ts';
import { tokenOf } from '../../plugins/support/aggregator.ts';
import { type Answer, Member } from '../../support/mesh.ts';
import { LaunchpadServiceStandIn } from '../../upstreams/launchpad-service.ts';
import { TradingServiceStandIn } from '../../upstreams/trading-service.ts';
import { AttestationStandIn } from '../../upstreams/transfer/attestation-service.ts';
import { GatewayStandIn } from '../../upstreams/transfer/gateway-service.ts';
import { transferProgram } from '../../upstreams/transfer/program.ts';
import type { Dice } from '../dice.ts';
import { FastClock } from '../fast-clock.ts';
import { nextSpell } from '../faults-plan.ts';
import { Lives } from '../lives.ts';
import type { Notes } from '../notes.ts';
import { Broken } from '../world.ts';
import { Shop, TILL } from './purchases.ts';
import { Told } from './told.ts';

export const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const SOL = 'So11111111111111111111111111111111111111112';
const NETWORK = 'money-services';
const KEY = 'a-key-of-the-stand-ins';
const LAMPORTS = 50_000_000_000n;
/** USDC that ada begins with, in minor units. */
export const FUNDS = 400_000_000n;
/** USDC that the operator put into the wallet of the aggregator beyond its books. */
export const FLOAT = 200_000_000n;
/** Ada launches, trades and buys; ben sells by deals, sam by x402. The aggregator bills and sponsors. All but ben are killed. */
export type Party = 'ada' | 'ben' | 'sam' | 'aggregator';
/** Those whom every round may doom; sam is doomed by its purchases. */
export const MORTAL: readonly Party[] = ['ada', 'aggregator'];
const FAULTY = [0, 1];
const TRUTH = 2;

/** Two nodes and an aggregator among stand-ins for the services outside; what they stand on fails, and they are killed. */
export class ServicesWorld {
  readonly clock: FastClock;
  readonly notes: Notes;
  readonly launchpad: LaunchpadServiceStandIn;
  readonly trading: TradingServiceStandIn;
  readonly attestation: AttestationStandIn;
  readonly gateway: GatewayStandIn;
  readonly localnet: SettledLocalnet;
  readonly ada: Member;
  readonly ben: Member;
  readonly sam: Member;
  readonly shop = new Shop();
  /** Outcomes that the ledgers of its nodes told for certain. */
  readonly told = new Told();
  kills = 0;
  wallet = '';
  demo = '';
  #aggregator!: RunningNode;
  #agent!: TestAgent;
  readonly #port: number;
  readonly #shopPort: number;
  readonly #dir: string;
  readonly #dice: Dice;
  readonly #lives: Lives;
  readonly #down = new Map<Party, { readonly until: number; readonly gone: Promise<unknown> }>();
  #spells: number[] = [];
  readonly #moods = FAULTY.map(() => 'calm');

  private constructor(given: {
    readonly notes: Notes;
    readonly dice: Dice;
    readonly dir: string;
    readonly port: number;
    readonly shopPort: number;
    readonly localnet: SettledLocalnet;
    readonly standIns: readonly [LaunchpadServiceStandIn, TradingServiceStandIn, AttestationStandIn, GatewayStandIn];
    readonly clock: FastClock;
  }) {
    this.notes = given.notes;
    this.clock = given.clock;
    this.localnet = given.localnet;
    [this.launchpad, this.trading, this.attestation, this.gateway] = given.standIns;
    this.#dice = given.dice;
    this.#dir = given.dir;
    this.#port = given.port;
    this.#shopPort = given.shopPort;
    this.#lives = new Lives(
      this.clock,
      (name) => this.#buried(name as Party),
      (name, call, args, answer) =>
        this.told.hear(name, call, args, answer, { round: this.notes.round, moods: this.#moods.join(', ') }),
    );
    this.ada = new Member('ada', () => this.#boot('ada'));
    this.ben = new Member('ben', () => this.#boot('ben'));
    this.sam = new Member('sam', () => this.#boot('sam'));
  }

  static async open(dice: Dice, notes: Notes): Promise<ServicesWorld> {
    const elf = transferProgram();
    const localnet = await startSettledLocalnet({
      ...{ log: silentLog, admin: true, networkId: NETWORK },
      faults: { seed: dice.between(1, 0xffff_ffff), views: [{}, {}, {}] },
      programs: [TOKEN_MESSENGER, MESSAGE_TRANSMITTER].map((address) => ({ address, elf })),
    });
    const { url } = localnet.views[TRUTH]!;
    const launchpad = await LaunchpadServiceStandIn.start(KEY);
    launchpad.isMarket = true;
    launchpad.connect(url, MINT);
    const trading = await TradingServiceStandIn.start(url, KEY);
    const attestation = await AttestationStandIn.start(() => url);
    const gateway = await GatewayStandIn.start();
    const dir = await mkdtemp(join(tmpdir(), 'mesh-services-'));
    const standIns = [launchpad, trading, attestation, gateway] as const;
    const [port, shopPort] = [await freePort(), await freePort()];
    const world = new ServicesWorld({ notes, dice, dir, port, shopPort, localnet, standIns, clock: new FastClock() });
    await world.#begin();
    return world;
  }

  async #begin(): Promise<void> {
    const { faucet } = this.localnet;
    for (const maker of [this.launchpad.maker, this.trading.maker]) {
      await faucet.sol(maker, LAMPORTS * 100n);
      await faucet.usdc(maker, FUNDS);
    }
    this.trading.prices.set(MINT, { usdPrice: 1, decimals: 6 });
    this.trading.prices.set(SOL, { usdPrice: 150, decimals: 9 });
    this.demo = await this.trading.token(0.5);
    this.trading.verified.add(this.demo);
    this.#aggregator = await this.#boot('aggregator');
    this.wallet = this.#aggregator.get(Self).address;
    this.#agent = new TestAgent('ann', () => this.clock.now(), this.#aggregator.get(Network));
    for (const member of [this.ada, this.ben, this.sam]) await member.start();
    for (const wallet of [this.wallet, this.ada.id, this.ben.id, this.sam.id]) await faucet.sol(wallet, LAMPORTS);
    await faucet.usdc(this.ada.id, FUNDS);
    await faucet.usdc(this.wallet, FLOAT);
    await faucet.usdc(this.sam.id, TILL);
    await this.bill('POST', '/ingest/envelopes', { items: [this.#agent.beacon('ann').whole] });
  }

  #boot(name: Party): Promise<RunningNode> {
    const views = this.localnet.views.map((view) => view.url);
    const rpcUrls = name === 'ada' ? [views[0]!] : name === 'ben' ? [views[TRUTH]!] : [views[0]!, views[1]!];
    const money = { maxEscrow: '100', maxPerDay: '100000', maxPerPartnerPerDay: '100000' };
    const launches = { apiUrl: this.launchpad.url, apiKey: KEY };
    const market = { apiUrl: this.trading.url, apiKey: KEY, maxUsdPerDay: 100_000 };
    const own =
      name === 'aggregator'
        ? {
            core: { ingest: { newKeysPerHour: 10_000 } },
            plugins: {
              billing: { attestationUrl: this.attestation.url, gatewayUrl: this.gateway.url, secret: KEY.repeat(2) },
              sponsor: { ...launches, maxPerDay: 1_000, maxPerAgentPerDay: 1_000 },
            },
          }
        : {
            core: { money, deals: { partnerStart: '999999999', partnerLimit: '1000000' } },
            plugins:
              name === 'sam'
                ? { shop: {} }
                : { launchpad: { ...launches, pricesUrl: this.launchpad.pricesUrl }, trade: market },
          };
    return startNode({
      parts: {
        ...{ adapters: this.#lives.begin(name), standard },
        plugins: { ...plugins, shop: () => this.shop.plugin },
      },
      ...{ log: silentLog, grace: 300, clock: this.clock },
      config: {
        folder: this.#dir,
        value: {
          profile: name === 'aggregator' ? 'aggregator' : 'node',
          listen: `127.0.0.1:${{ aggregator: this.#port, sam: this.#shopPort, ada: 0, ben: 0 }[name]}`,
          dataDir: join(this.#dir, name),
          network: { id: NETWORK },
          agent: { name },
          storage: { use: 'memory' },
          api: { unlimited: ['127.0.0.1'] },
          mesh: {
            ...{ allowPrivatePeers: true },
            aggregators: name === 'aggregator' ? [] : [`http://127.0.0.1:${this.#port}`],
          },
          ledger: { rpcUrls, ...this.localnet.settlement, maxSolPerTransaction: '1', maxSolPerDay: '1000' },
          ...own,
        },
      },
    });
  }

  /** Ann, or ben, asks the billing account of the agent. Fails with `Broken` when the aggregator was killed before its answer was read. */
  bill(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
    as: 'ann' | 'ben' = 'ann',
  ): Promise<Answer> {
    const signer = as === 'ann' ? this.#agent : ({ identity: this.ben.node.get(Identity) } as unknown as TestAgent);
    return this.#alive('aggregator', async () => {
      const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
      const base = `http://127.0.0.1:${this.#port}`;
      const authorization = `Bearer ${tokenOf(signer, { audience: base, method, target: path, body: bytes }, this.clock)}`;
      const response = await fetch(base + path, {
        method,
        headers: { 'content-type': 'application/json', authorization, ...headers },
        ...(body !== undefined && { body: bytes }),
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    });
  }

  get shopUrl(): string {
    return `http://127.0.0.1:${this.#shopPort}`;
  }

  call(
    name: Exclude<Party, 'aggregator'>,
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    return this.#alive(name, () => this[name].call(method, path, body, headers));
  }

  async #alive(name: Party, call: () => Promise<Answer>): Promise<Answer> {
    if (this.#down.has(name)) throw new Broken();
    const life = this.#lives.of(name);
    try {
      const answer = await call();
      if (life.dead) throw new Broken();
      return answer;
    } catch (error) {
      throw life.dead ? new Broken() : error;
    }
  }

  get annId(): string {
    return this.#agent.id;
  }

  /** Of USDC, or another token, by the RPC that is well. */
  async held(wallet: string, mint = MINT): Promise<bigint> {
    const params = [wallet, { mint }, { encoding: 'base64' }];
    const { result } = (await rpc(this.localnet.views[TRUTH]!.url, 'getTokenAccountsByOwner', params)) as any;
    return result.value.reduce(
      (sum: bigint, one: any) => sum + Buffer.from(one.account.data[0], 'base64').readBigUInt64LE(64),
      0n,
    );
  }

  async landed(signature: string): Promise<boolean> {
    const params = [[signature], { searchTransactionHistory: true }];
    const { result } = (await rpc(this.localnet.views[TRUTH]!.url, 'getSignatureStatuses', params)) as any;
    return result.value[0] !== null && result.value[0].err === null;
  }

  /** Whether USDC left the account of a party with that memo. */
  async paid(name: Exclude<Party, 'aggregator'>, memo: string): Promise<boolean> {
    const { url } = this.localnet.views[TRUTH]!;
    const { result: held } = (await rpc(url, 'getTokenAccountsByOwner', [
      ...[this[name].id, { mint: MINT }],
      { encoding: 'base64' },
    ])) as any;
    for (const { pubkey } of held.value)
      for (let before: string | undefined; ; ) {
        const { result: page } = (await rpc(url, 'getSignaturesForAddress', [pubkey, { before }])) as any;
        if (page.some((one: any) => one.err === null && one.memo?.includes(memo))) return true;
        if (page.length < 1_000) break;
        before = page.at(-1).signature;
      }
    return false;
  }

  async lamports(address: string): Promise<number> {
    const { result } = (await rpc(this.localnet.views[TRUTH]!.url, 'getBalance', [address])) as any;
    return result.value;
  }

  pass(seconds: number, blocks: number): void {
    this.clock.shift(seconds * 1_000);
    this.localnet.warp({ seconds, slots: Math.max(1, blocks), blocks });
  }

  /** RPCs that have had their spell get another one, and a service fails at its next call. */
  stir(round: number): void {
    const dice = this.#dice;
    for (const [index, view] of FAULTY.entries()) {
      if ((this.#spells[index] ?? 0) > round) continue;
      const spell = nextSpell(dice);
      this.#spells[index] = round + spell.rounds;
      this.#moods[index] = spell.mood;
      this.notes.count(`rpc ${spell.mood}`);
      this.localnet.views[view]!.faults.set(spell.plan, dice.between(1, 0xffff_ffff));
    }
    if (!dice.chance(0.4)) return;
    const failure = { status: dice.of([429, 500, 503]) };
    const [service, path] = dice.of([
      ...['/token-launch/create-token-info', '/fee-share/config', '/token-launch/create-launch-transaction'].map(
        (one) => [this.launchpad, one] as const,
      ),
      ...['/trade/quote', '/trade/swap'].map((one) => [this.launchpad, one] as const),
      ...['/swap/v2/order', '/trigger/v1/createOrder'].map((one) => [this.trading, one] as const),
      ...['/v2/messages', '/v2/burn'].map((one) => [this.attestation, one] as const),
    ]);
    this.notes.count(`upstream ${path} ${failure.status}`);
    service.failNext(path, failure);
    if (dice.chance(0.3)) this.gateway.next = dice.of(['{"balances": [', '{"token":"USDC","balances":[]}', '{}']);
    this.attestation.progress = dice.of(['unseen', 'pending', 'complete', 'forwarding', 'minted', 'minted']);
  }

  doom(name: Party, dice = this.#dice): void {
    const seam = dice.of(['commit', 'commit', 'ledger'] as const);
    this.#lives.of(name).arm({ seam, at: dice.between(1, seam === 'commit' ? 8 : 2), after: dice.chance(0.5) });
  }

  isUp(name: Party): boolean {
    return !this.#down.has(name);
  }

  kill(name: Party): void {
    this.#lives.of(name).die();
  }

  #buried(name: Party): void {
    if (this.#down.has(name)) return;
    this.kills += 1;
    const running = name === 'aggregator' ? this.#aggregator : this[name];
    const gone = Promise.resolve(running.stop()).catch(() => undefined);
    this.#down.set(name, { until: this.notes.round + this.#dice.between(1, 2), gone });
  }

  /** Who was killed starts again, if it can. */
  async raise(round = Number.POSITIVE_INFINITY): Promise<void> {
    for (const [name, { until, gone }] of [...this.#down]) {
      if (until > round) continue;
      await gone;
      try {
        if (name === 'aggregator') this.#aggregator = await this.#boot(name);
        else await this[name].start();
        this.#down.delete(name);
      } catch (error) {
        this.#lives.of(name).dead = true;
        this.notes.count('failed starts');
        if (round === Number.POSITIVE_INFINITY) throw error;
      }
    }
  }

  /** Everything is well again, and whoever is down comes back. */
  async heal(): Promise<void> {
    for (const view of FAULTY) this.localnet.views[view]!.faults.clear();
    this.#spells = [];
    this.#moods.fill('calm');
    this.attestation.progress = 'minted';
    this.gateway.next = undefined;
    for (const name of [...MORTAL, 'sam']) this.#lives.of(name).arm(undefined);
    await this.raise();
  }

  async close(): Promise<void> {
    for (const { gone } of this.#down.values()) await gone;
    for (const member of [this.ada, this.ben, this.sam]) if (this.isUp(member.name as Party)) await member.stop();
    if (this.isUp('aggregator')) await this.#aggregator.stop();
    this.launchpad.stop();
    await Promise.all([this.trading.stop(), this.attestation.stop(), this.gateway.stop()]);
    await this.localnet.stop();
    await rm(this.#dir, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
