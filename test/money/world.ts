import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { SettlementNumbers } from '../../core/protocol/settlement/numbers.ts';
import { type Answer, type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { Books } from './books.ts';
import { Dice } from './dice.ts';
import { FastClock } from './fast-clock.ts';
import { nextSpell, type Spell } from './faults-plan.ts';
import { Lives } from './lives.ts';
import type { Notes } from './notes.ts';

/** Mallory cheats; all others are honest. Nora is a notary, too. */
export const NAMES = ['ada', 'ben', 'cleo', 'nora', 'mallory'] as const;
export type Name = (typeof NAMES)[number];
export const HONEST: readonly Name[] = ['ada', 'ben', 'cleo', 'nora'];

/** The RPC nodes that each one asks: 0 and 1 have faults, 2 is that of the books. */
const VIEWS: Readonly<Record<string, readonly number[]>> = {
  ada: [0],
  ben: [0, 1],
  cleo: [1],
  nora: [1, 0],
  mallory: [2],
  aggregator: [0],
};
const TRUTH = 2;
const FAULTY = [0, 1];
const DOUBT_ROUNDS = 15;
export const USDC = 1_000_000n;
const FUNDS: Readonly<Record<Name, number>> = { ada: 600, ben: 600, cleo: 400, nora: 200, mallory: 200 };

/** Hours where the protocol has days. */
export const NUMBERS: Partial<SettlementNumbers> = {
  epochSecs: 7_200,
  challengeSecs: 36_000,
  responseSecs: 21_600,
  responseSlots: 30,
  unlockSecs: 50_400,
  inactiveSlots: 50,
  announceSlots: 2,
  disputeSecs: 10_800,
};
export const CAPS = { maxEscrow: 12, maxStake: 60, maxPerDay: 150, maxPerPartnerPerDay: 60 };

/** The connection to a node broke before its answer came. */
export class Broken extends Error {}

/** The mesh of a play: its nodes, which can be killed; its ledger, whose RPCs are out of order; its time. */
export class World {
  readonly clock = new FastClock();
  readonly notes: Notes;
  /** Conversations in which a delivery was named on the ledger that was never sent. */
  readonly lies = new Set<string>();
  /** Conversations in which something was locked that is not what was agreed. */
  readonly dust = new Set<string>();
  readonly down = new Map<Name, { readonly until: number; readonly gone: Promise<unknown> }>();
  readonly treasury: string;
  books!: Books;
  minted = 0n;
  kills = 0;
  readonly #mesh: Mesh<Name>;
  readonly #lives: Lives;
  readonly #dice: Dice;
  #takenBack = 0;
  #takenBackAt = Number.NEGATIVE_INFINITY;
  #spells: (Spell & { readonly until: number })[] = [];

  private constructor(mesh: Mesh<Name>, lives: Lives, dice: Dice, notes: Notes, clock: FastClock) {
    this.#mesh = mesh;
    this.#lives = lives;
    this.#dice = dice;
    this.notes = notes;
    this.clock = clock;
    this.treasury = mesh.localnet.treasury.address;
  }

  static async open(seed: number, notes: Notes): Promise<World> {
    const clock = new FastClock();
    let world: World | undefined;
    const lives = new Lives(clock, (name) => world?.buried(name as Name));
    const money = Object.fromEntries(Object.entries(CAPS).map(([name, usdc]) => [name, String(usdc)]));
    const node = {
      core: {
        lease: { pay: 'staked', budget: '1000' },
        money,
        deals: { partnerStart: '999999999', partnerLimit: '1000000', maxDisputes: 1_000, minBondBps: 0 },
      },
    };
    const mesh = await startMesh<Name>({
      nodes: NAMES,
      usdc: Object.fromEntries(Object.entries(FUNDS).map(([name, usdc]) => [name, String(usdc)])),
      numbers: NUMBERS,
      clock,
      faults: { seed: seed >>> 0, views: [{}, {}, {}] },
      rpcUrl: (_, name, views) => VIEWS[name]!.map((index) => views[index]!),
      adapters: (name) => lives.begin(name),
      own: Object.fromEntries(NAMES.map((name) => [name, node])),
    });
    world = new World(mesh, lives, new Dice(seed).fork('world'), notes, clock);
    await world.#keepBooks();
    return world;
  }

  async #keepBooks(): Promise<void> {
    const { localnet, nodes } = this.#mesh;
    const { url } = localnet.views[TRUTH]!;
    const { program: programId, config } = localnet.settlement;
    const settlement = { programId, config, networkId: 'mesh-tests' };
    this.books = new Books(url, await openSolanaLedger({ url, settlement, log: silentLog, clock: systemClock }));
    for (const name of NAMES) {
      this.books.watch(nodes[name].id);
      this.minted += BigInt(FUNDS[name]) * USDC;
      await localnet.faucet.sol(nodes[name].id, 50_000_000_000n);
    }
    this.books.watch(this.treasury);
  }

  get localnet() {
    return this.#mesh.localnet;
  }

  get settlement() {
    return this.books.settlement;
  }

  member(name: Name): Member {
    return this.#mesh.nodes[name];
  }

  idOf(name: Name): string {
    return this.member(name).id;
  }

  nameOf(id: string): Name | undefined {
    return NAMES.find((name) => this.idOf(name) === id);
  }

  isUp(name: Name): boolean {
    return !this.down.has(name);
  }

  get up(): readonly Name[] {
    return NAMES.filter((name) => this.isUp(name));
  }

  /** Calls a node over HTTP. Fails with `Broken` when it was killed before its answer was read. */
  async call(
    name: Name,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    if (!this.isUp(name)) throw new Broken();
    const life = this.#lives.of(name);
    try {
      const answer = await this.member(name).call(method, path, body, headers);
      if (life.dead) throw new Broken();
      return answer;
    } catch (error) {
      throw life.dead ? new Broken() : error;
    }
  }

  /** Time passes for everybody; blocks may stand still meanwhile, so that what is under way stays valid. */
  pass(seconds: number, blocks: number): void {
    this.#mesh.advance(seconds);
    if (blocks > 0) this.localnet.warp({ slots: blocks, blocks });
  }

  get now(): number {
    return Math.floor(this.clock.now() / 1_000);
  }

  /**
   * Whether an RPC has taken something back of late that it had confirmed. Nodes answer when the ledger has confirmed a step,
   * and tell it for what it is once it is final; so what they acknowledge now may never be.
   */
  get isDoubtful(): boolean {
    this.#noteTakenBack(this.notes.round);
    return this.notes.round - this.#takenBackAt < DOUBT_ROUNDS;
  }

  #noteTakenBack(round: number): void {
    const counts = FAULTY.map((view) => this.localnet.views[view]!.faults.counts['sendTransaction rolled-back'] ?? 0);
    const count = counts.reduce((sum, one) => sum + one);
    if (count > this.#takenBack) this.#takenBackAt = round;
    this.#takenBack = count;
  }

  /** RPCs that have had their spell get another one. */
  stir(round: number): void {
    this.#noteTakenBack(round);
    for (const [index, view] of FAULTY.entries()) {
      if ((this.#spells[index]?.until ?? 0) > round) continue;
      const spell = nextSpell(this.#dice);
      this.#spells[index] = { ...spell, until: round + spell.rounds };
      this.notes.count(`rpc ${spell.mood}`);
      this.localnet.views[view]!.faults.set(spell.plan, this.#dice.between(1, 0xffff_ffff));
    }
  }

  get moods(): string {
    return this.#spells.map(({ mood }) => mood).join('/');
  }

  /** The RPCs are well again, nobody is killed any more, and whoever is down comes back. */
  async heal(): Promise<void> {
    for (const view of FAULTY) this.localnet.views[view]!.faults.clear();
    this.#spells = [];
    for (const name of HONEST) this.#lives.of(name).arm(undefined);
    await this.raise();
  }

  /** A node will be killed in the middle of something that it does next. */
  doom(name: Name): void {
    const seam = this.#dice.of(['commit', 'ledger'] as const);
    this.#lives
      .of(name)
      .arm({ seam, at: this.#dice.between(1, seam === 'commit' ? 12 : 4), after: this.#dice.chance(0.5) });
  }

  kill(name: Name): void {
    this.#lives.of(name).die();
  }

  buried(name: Name): void {
    if (this.down.has(name)) return;
    this.kills += 1;
    const until = this.notes.round + this.#dice.between(1, 3);
    // What is left of it is cleared away; its store and its ledger do not answer it any more.
    const gone = this.member(name)
      .stop()
      .catch(() => undefined);
    this.down.set(name, { until, gone });
  }

  /** Nodes that were killed start again, if they can. */
  async raise(round = Number.POSITIVE_INFINITY): Promise<void> {
    for (const [name, { until, gone }] of [...this.down]) {
      if (until > round) continue;
      await gone;
      try {
        await this.member(name).start();
        this.down.delete(name);
      } catch (error) {
        this.#lives.of(name).dead = true;
        this.notes.count('failed starts');
        if (round === Number.POSITIVE_INFINITY) throw error;
      }
    }
  }

  /** The faucet mints; the wallet is one whose books are kept. */
  async fund(wallet: string, usdc: number): Promise<void> {
    this.books.watch(wallet);
    await this.localnet.faucet.usdc(wallet, BigInt(usdc) * USDC);
    this.minted += BigInt(usdc) * USDC;
  }

  async close(): Promise<void> {
    for (const { gone } of this.down.values()) await gone;
    await this.books.ledger.close();
    await this.#mesh.stop();
  }
}
