import {
  agentState,
  answer,
  convict,
  hasDuties,
  type ProgramInstruction,
  requestUnlock,
  resume,
  slashInactive,
  submitBatch,
  withdraw,
} from '../../../adapters/ledger-solana/program/index.ts';
import { accusation, rootOf, type StakedAgent, stakedAgent } from './agents.ts';
import { header, idOf, keccak, type Tree, treeOf } from './envelopes.ts';
import type { Chance } from './random.ts';
import type { Wallet } from './svm.ts';
import type { World } from './world.ts';

/** How an agent treats its duties. All but the first two break them, each in its own way; `restless` leaves and resumes. */
export type Strategy = 'honest' | 'restless' | 'omit' | 'equivocate' | 'late' | 'randomRoot' | 'silent';

export interface Fate {
  readonly slashed: boolean;
  readonly withdrawn: boolean;
  readonly crimes: number;
  readonly restores: number;
  readonly returns: number;
}

const ACTIVE_STEPS = 150;
const MOST_STEPS = 450;
const ZERO = Buffer.alloc(32);

/**
 * One agent's life from stake to slash or withdrawal, among adversaries who accuse it of everything that left it, ask
 * for every conviction, and try to slash it. An honest agent may be down for two and a half epochs and may restore a
 * backup, which it declares by tainting the epoch.
 */
export class Life {
  readonly #world: World;
  readonly #chance: Chance;
  readonly #strategy: Strategy;
  readonly #agent: StakedAgent;
  readonly #stranger: Wallet;
  readonly #journal = new Map<bigint, Buffer[]>();
  readonly #closed = new Map<bigint, Tree>();
  readonly #tainted: bigint[] = [];
  readonly #open = new Map<string, { epoch: bigint; index: number; id: Buffer }>();
  #sent: Buffer[] = [];
  #evidence: Buffer[] = [];
  #crimes = 0;
  #offlineUntil = 0n;
  #returns = 0;

  constructor(world: World, chance: Chance, strategy: Strategy, stranger: Wallet) {
    this.#world = world;
    this.#chance = chance;
    this.#strategy = strategy;
    this.#stranger = stranger;
    this.#agent = stakedAgent(world);
  }

  run(): Fate {
    for (let step = 0; step < MOST_STEPS; step++) {
      this.#world.svm.pass(BigInt(this.#chance.below(20)));
      this.#attack();
      if (this.#slashed()) return this.#fate(false);
      if (this.#offlineUntil > this.#world.svm.now()) continue;
      this.#answer();
      if (step < ACTIVE_STEPS) this.#work();
      this.#submit();
      if (step >= ACTIVE_STEPS && agentState(this.#world.agent(this.#key)) === 'active')
        this.#ask([requestUnlock(this.#world.deployment, this.#key, this.#key)], this.#agent.key);
      if (step > ACTIVE_STEPS + 80 && this.#withdraw()) return this.#fate(true);
    }
    return this.#fate(false);
  }

  get #key(): string {
    return this.#agent.key.address;
  }

  #slashed(): boolean {
    return this.#world.agent(this.#key).settledEpoch >= this.#world.agent(this.#key).start;
  }

  #fate(withdrawn: boolean): Fate {
    return {
      slashed: this.#slashed(),
      withdrawn,
      crimes: this.#crimes,
      restores: this.#tainted.length,
      returns: this.#returns,
    };
  }

  #ask(instructions: readonly ProgramInstruction[], signer: Wallet): boolean {
    return this.#world.svm.send(instructions, [signer]).error === undefined;
  }

  #attack(): void {
    const { deployment } = this.#world;
    const now = this.#world.epoch();
    this.#sent = this.#sent.filter((bytes) => epochOf(bytes) + 8n > now);
    if (this.#sent.length > 0 && this.#chance.happens(0.15)) this.#accuse(this.#chance.pick(this.#sent));
    if (this.#evidence.length > 0 && this.#chance.happens(0.6)) this.#accuse(this.#chance.pick(this.#evidence));
    for (const [name, { id }] of this.#open) {
      if (!this.#chance.happens(0.2)) continue;
      const one = { key: this.#key, id, accuser: this.#stranger.address };
      if (this.#ask([convict(deployment, one)], this.#stranger)) this.#open.delete(name);
    }
    if (this.#chance.happens(0.1))
      this.#ask([slashInactive(deployment, this.#key, this.#stranger.address)], this.#stranger);
  }

  #accuse(bytes: Buffer): void {
    const id = idOf(bytes);
    const before = this.#world.agent(this.#key).open;
    this.#ask(accusation(this.#world, this.#agent.key, bytes, this.#stranger), this.#stranger);
    if (this.#world.agent(this.#key).open === before) return;
    const index = Number(bytes.readBigUInt64BE(83) & 0x3fffffn) - 1;
    this.#open.set(id.toString('hex'), { epoch: epochOf(bytes), index, id });
  }

  /** Anyone who has the leaves can answer; here the agent does. */
  #answer(): void {
    for (const [name, { epoch, index, id }] of this.#open) {
      const tree = this.#closed.get(epoch);
      if (!tree?.leaves[index]?.equals(id)) continue;
      const one = { key: this.#key, id, accuser: this.#stranger.address };
      const steps = [answer(this.#world.deployment, one, this.#key, tree.siblings(index))];
      if (this.#ask(steps, this.#agent.key)) this.#open.delete(name);
    }
  }

  #sign(epoch: bigint): Buffer {
    const leaves = this.#journal.get(epoch) ?? [];
    const bytes = header({ sender: this.#key, epoch, seq: leaves.length + 1 });
    this.#journal.set(epoch, [...leaves, idOf(bytes)]);
    return bytes;
  }

  #work(): void {
    const epoch = this.#world.epoch();
    if (this.#chance.happens(0.5)) {
      const bytes = this.#sign(epoch);
      if (this.#chance.happens(0.9)) this.#sent.push(bytes);
    }
    if (this.#strategy === 'restless') this.#comeAndGo();
    if (this.#strategy === 'honest' || this.#strategy === 'restless') this.#mishap(epoch);
    else if (this.#chance.happens(0.06)) this.#offend(epoch);
  }

  /** Asks to leave, and resumes as soon as it may or some time later. */
  #comeAndGo(): void {
    const { deployment } = this.#world;
    const { key, owner } = this.#agent;
    if (this.#chance.happens(0.1)) this.#ask([requestUnlock(deployment, key.address, key.address)], key);
    if (hasDuties(this.#world.agent(key.address)) || !this.#chance.happens(0.5)) return;
    const { error } = this.#world.svm.send([resume(deployment, key.address, owner.address)], [key, owner]);
    if (error === undefined) this.#returns += 1;
  }

  #mishap(epoch: bigint): void {
    if (this.#chance.happens(0.01)) this.#offlineUntil = this.#world.svm.now() + BigInt(this.#chance.below(250));
    const recent = this.#tainted.filter((tainted) => tainted + 32n > epoch);
    if (recent.length < 2 && !recent.includes(epoch) && this.#chance.happens(0.02)) this.#tainted.push(epoch);
  }

  #offend(epoch: bigint): void {
    const leaves = () => this.#journal.get(epoch)!;
    if (this.#strategy === 'omit') {
      this.#evidence.push(this.#sign(epoch));
      leaves()[leaves().length - 1] = this.#chance.happens(0.5) ? ZERO : keccak(Buffer.from('another'));
    } else if (this.#strategy === 'equivocate') {
      const bytes = this.#sign(epoch);
      bytes.writeUInt32BE(1, 139);
      this.#evidence.push(bytes);
    } else if (this.#strategy === 'late') {
      const tree = this.#closed.get(epoch - 1n);
      if (!tree) return;
      this.#evidence.push(header({ sender: this.#key, epoch: epoch - 1n, seq: tree.count + 1 }));
    } else if (this.#strategy === 'randomRoot') {
      this.#evidence.push(this.#sign(epoch));
    }
    this.#crimes += 1;
  }

  #submit(): void {
    const account = this.#world.agent(this.#key);
    if (!hasDuties(account)) return;
    for (let epoch = account.last + 1n; epoch < this.#world.epoch(); epoch++) {
      if (this.#tainted.includes(epoch) || (this.#strategy === 'silent' && this.#crimes > 0)) continue;
      const honest = treeOf(this.#journal.get(epoch) ?? []);
      const root = this.#strategy === 'randomRoot' && honest.count > 0 ? keccak(Buffer.from(`${epoch}`)) : honest.root;
      const batch = { epoch, ...rootOf(honest), root };
      if (!this.#ask([submitBatch(this.#world.deployment, this.#key, batch)], this.#agent.key)) return;
      this.#closed.set(epoch, this.#strategy === 'randomRoot' ? { ...honest, leaves: [] } : honest);
    }
  }

  #withdraw(): boolean {
    return this.#ask([withdraw(this.#world.deployment, this.#key, this.#agent.owner.address)], this.#agent.owner);
  }
}

function epochOf(bytes: Buffer): bigint {
  return bytes.readBigUInt64BE(83) >> 22n;
}
