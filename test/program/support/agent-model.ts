import type { Numbers } from '../../../adapters/ledger-solana/program/index.ts';
import type { Purse } from './purse.ts';

export interface ModelBatch {
  readonly epoch: bigint;
  readonly count: number;
  readonly at: bigint;
}

export interface ModelAgent {
  readonly key: string;
  state: 'none' | 'active' | 'leaving' | 'suspended';
  owner: string;
  stake: bigint;
  dust: bigint;
  last: bigint;
  lastAt: bigint;
  lastSlot: bigint;
  settled: bigint;
  until: bigint;
  requestedAt: bigint;
  paidThrough: bigint;
  payments: number;
  open: number;
  /** Epochs that were skipped although a batch was due. */
  skipped: bigint[];
  ring: Map<bigint, ModelBatch>;
}

export interface ModelAccusation {
  readonly agent: ModelAgent;
  readonly accuser: string;
  readonly epoch: bigint;
  readonly at: bigint;
  readonly slot: bigint;
}

export interface Moment {
  readonly now: bigint;
  readonly slot: bigint;
}

/** The rules of lease, stake and batches a second time, as `EscrowModel` is for G. */
export class AgentModel {
  readonly agents = new Map<string, ModelAgent>();
  readonly accusations = new Map<string, ModelAccusation>();
  readonly #numbers: Numbers;
  readonly #purse: Purse;
  readonly #treasury: string;

  constructor(numbers: Numbers, purse: Purse, treasury: string) {
    this.#numbers = numbers;
    this.#purse = purse;
    this.#treasury = treasury;
  }

  open(key: string): boolean {
    if (this.agents.has(key)) return false;
    const zeros = { stake: 0n, dust: 0n, last: 0n, lastAt: 0n, lastSlot: 0n, settled: 0n, until: 0n, requestedAt: 0n };
    this.agents.set(key, {
      key,
      state: 'none',
      owner: '',
      ...zeros,
      paidThrough: 0n,
      payments: 0,
      open: 0,
      skipped: [],
      ring: new Map(),
    });
    return true;
  }

  payLease(agent: ModelAgent, payer: string, epochs: number, payments: number, { now }: Moment): boolean {
    if (payments !== agent.payments) return false;
    const current = this.#epoch(now);
    const gone = agent.paidThrough > 0n && current - agent.paidThrough > this.#numbers.graceEpochs;
    const cost = this.#numbers.leasePrice * (BigInt(epochs) + (gone ? this.#numbers.graceEpochs : 0n));
    if (epochs < 1 || BigInt(epochs) > this.#numbers.leaseMaxEpochs || !this.#purse.pays(payer, cost)) return false;
    this.#purse.move(payer, -cost);
    this.#purse.move(this.#treasury, cost);
    const from = gone || agent.paidThrough === 0n ? current - 1n : agent.paidThrough;
    agent.paidThrough = from + BigInt(epochs);
    agent.payments += 1;
    return true;
  }

  addStake(agent: ModelAgent, by: string, amount: bigint, payments: number, at: Moment): boolean {
    if (payments !== agent.payments) return false;
    const first = agent.state === 'none';
    const enough = amount > 0n && agent.stake + amount >= this.#numbers.minStake && this.#purse.pays(by, amount);
    if (!enough || (!first && by !== agent.owner)) return false;
    this.#purse.move(by, -amount);
    agent.stake += amount;
    agent.payments += 1;
    if (first) {
      agent.owner = by;
      this.#begin(agent, this.#epoch(at.now) + 1n, at);
      agent.settled = this.#epoch(at.now);
    }
    return true;
  }

  requestUnlock(agent: ModelAgent, by: string, { now }: Moment): boolean {
    if ((agent.state !== 'active' && agent.state !== 'suspended') || (by !== agent.key && by !== agent.owner))
      return false;
    agent.until = agent.state === 'active' ? this.#epoch(now) : 0n;
    agent.state = 'leaving';
    agent.requestedAt = now;
    return true;
  }

  /** `by` signs together with the key. */
  resume(agent: ModelAgent, by: string, at: Moment): boolean {
    const away = agent.state === 'leaving' || agent.state === 'suspended';
    if (!away || by !== agent.owner || agent.stake < this.#numbers.minStake) return false;
    if (this.owes(agent)) agent.state = 'active';
    else this.#begin(agent, this.#epoch(at.now) + (agent.until > 0n ? 0n : 1n), at);
    agent.until = 0n;
    return true;
  }

  withdraw(agent: ModelAgent, by: string, { now }: Moment): boolean {
    const waited =
      now >= agent.requestedAt + this.#numbers.unlockSecs && now > agent.lastAt + this.#numbers.challengeSecs;
    if (agent.state !== 'leaving' || by !== agent.owner || !waited || this.owes(agent) || agent.open > 0) return false;
    if (!this.#purse.receives(by)) return false;
    this.#purse.move(by, agent.stake + agent.dust);
    Object.assign(agent, { state: 'none', stake: 0n, dust: 0n, owner: '' });
    return true;
  }

  submit(agent: ModelAgent, epoch: bigint, count: number, { now, slot }: Moment): boolean {
    const staked = agent.state === 'active' || agent.state === 'leaving';
    const step = epoch - agent.last;
    if (!staked || epoch >= this.#epoch(now) || step < 1n || step > this.#numbers.submitGap) return false;
    if (epoch <= agent.settled) return false;
    const skipped = [...agent.skipped];
    for (let missing = agent.last + 1n; missing < epoch; missing++) skipped.push(missing);
    const recent = skipped.filter((missing) => missing > epoch - 32n);
    if (step > 1n && BigInt(recent.length) > this.#numbers.skipLimit) return false;
    const old = agent.ring.get(epoch % 16n);
    if (old && now <= old.at + this.#numbers.challengeSecs) return false;
    agent.ring.set(epoch % 16n, { epoch, count, at: now });
    Object.assign(agent, { last: epoch, lastAt: now, lastSlot: slot, skipped: recent });
    return true;
  }

  /** `id` names the header; `seq` is its sequence number. */
  accuse(agent: ModelAgent, by: string, id: string, epoch: bigint, seq: number, { now, slot }: Moment): boolean {
    const batch = agent.ring.get(epoch % 16n);
    const staked = agent.state === 'active' || agent.state === 'leaving';
    if (!staked || batch?.epoch !== epoch || epoch <= agent.settled) return false;
    if (now > batch.at + this.#numbers.challengeSecs) return false;
    if (seq === 0 || seq > batch.count) return this.#slash(agent, by, now);
    if (this.accusations.has(id)) return false;
    this.accusations.set(id, { agent, accuser: by, epoch, at: now, slot });
    agent.open += 1;
    return true;
  }

  /** After a slash it is void, whatever the path. */
  answer(id: string, pathLeads: boolean): boolean {
    const accusation = this.accusations.get(id);
    if (!accusation || (!pathLeads && accusation.epoch > accusation.agent.settled)) return false;
    this.#close(id, accusation);
    return true;
  }

  convict(id: string, { now, slot }: Moment): boolean {
    const accusation = this.accusations.get(id);
    if (!accusation) return false;
    const { agent, accuser, epoch, at } = accusation;
    const settled = epoch <= agent.settled;
    const late = now > at + this.#numbers.responseSecs && slot >= accusation.slot + this.#numbers.responseSlots;
    if (!settled && !late) return false;
    this.#close(id, accusation);
    return settled || this.#slash(agent, accuser, now);
  }

  slashInactive(agent: ModelAgent, by: string, { now, slot }: Moment): boolean {
    const silent = this.#epoch(now) - agent.last >= this.#numbers.inactiveEpochs;
    if (!this.owes(agent) || !silent || slot - agent.lastSlot < this.#numbers.inactiveSlots) return false;
    return this.#slash(agent, by, now);
  }

  owes(agent: ModelAgent): boolean {
    return agent.state === 'active' || (agent.state === 'leaving' && agent.last < agent.until);
  }

  /** `first` is the first epoch that is owed again. */
  #begin(agent: ModelAgent, first: bigint, { now, slot }: Moment): void {
    if (first - 1n > agent.last) agent.last = first - 1n;
    Object.assign(agent, { state: 'active', lastAt: now, lastSlot: slot });
  }

  #close(id: string, { agent }: ModelAccusation): void {
    agent.open -= 1;
    this.accusations.delete(id);
  }

  #slash(agent: ModelAgent, by: string, now: bigint): boolean {
    const cut = agent.stake / 2n;
    const share = cut / 2n < this.#numbers.bountyCap ? cut / 2n : this.#numbers.bountyCap;
    const bounty = this.#purse.receives(by) ? share : 0n;
    this.#purse.move(by, bounty);
    this.#purse.move(this.#treasury, cut - bounty);
    agent.until = 0n;
    Object.assign(agent, { state: 'suspended', stake: agent.stake - cut, settled: this.#epoch(now) });
    return true;
  }

  #epoch(now: bigint): bigint {
    return now / this.#numbers.epochSecs;
  }
}
