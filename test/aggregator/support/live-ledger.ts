import assert from 'node:assert/strict';
import { Ledger, Network } from '../../../core/internal-services.ts';
import { ledgerSigner } from '../../../core/ledger/ledger.ts';
import { outcomeError } from '../../../core/ledger/refusal.ts';
import type { Settlement } from '../../../core/ledger/settlement.ts';
import type { Network as NetworkValue } from '../../../core/protocol/identity/network.ts';
import type { SettlementStep } from '../../../core/protocol/settlement/steps.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import type { ShiftedClock } from '../../support/shifted-clock.ts';
import { type SignedDeal, TestAgent } from './agent.ts';
import type { Item, Result } from './aggregator.ts';
import { type AgreedDeal, agreedDeal, lockOf, minorUnits, unpaidDeal } from './agreed-deals.ts';

const SOL = 1_000_000_000n;
/** Items of one report. */
const BODY = 100;

/**
 * A whole aggregator behind HTTP that reads a real localnet by itself, and agents that sign, report and settle there. The
 * names of its anchors are known before it starts.
 */
export class LiveLedger {
  readonly mesh: Mesh<never>;
  readonly clock: ShiftedClock;
  readonly #network: NetworkValue;
  readonly #settlement: Settlement;
  #markers = 0;

  private constructor(mesh: Mesh<never>, clock: ShiftedClock) {
    this.mesh = mesh;
    this.clock = clock;
    this.#network = mesh.aggregatorNode.get(Network);
    this.#settlement = mesh.aggregatorNode.get(Ledger).settlement!;
  }

  static async open(anchors: readonly string[], core: Record<string, object> = {}): Promise<LiveLedger> {
    const clock = new BriskClock();
    const ids = anchors.map((name) => new TestAgent(name).id);
    const mesh = await startMesh({
      nodes: [],
      usdc: {},
      clock,
      settings: { core: { reputation: { anchors: ids }, ingest: PLENTY, ...core } },
    });
    return new LiveLedger(mesh, clock);
  }

  get settlement(): Settlement {
    return this.#settlement;
  }

  agent(name: string): TestAgent {
    return new TestAgent(name, () => this.clock.now(), this.#network);
  }

  async fundKey(key: string): Promise<void> {
    await this.mesh.localnet.faucet.sol(key, SOL);
  }

  async fund(agent: TestAgent, usdc: number): Promise<void> {
    await this.fundKey(agent.id);
    if (usdc > 0) await this.mesh.localnet.faucet.usdc(agent.id, minorUnits(usdc));
  }

  /** What both sign of a deal about so much money; nobody has reported any of it. */
  agreed(payer: TestAgent, worker: TestAgent, usdc: number, { escrow = true } = {}): AgreedDeal {
    return agreedDeal(payer, worker, { usdc, escrow, now: this.clock.now() });
  }

  /** A deal about nothing. */
  unpaid(payer: TestAgent, worker: TestAgent): AgreedDeal {
    return unpaidDeal(payer, worker, this.clock.now());
  }

  lock(deal: AgreedDeal, amount = deal.amount): Promise<number> {
    return this.take({ type: 'lock', ...lockOf(deal, amount) }, deal.payer);
  }

  /** The provider names the delivery on the ledger. */
  deliver({ name, worker, deliver }: AgreedDeal): Promise<number> {
    return this.take({ type: 'deliver', ...name, delivery: deliver.id }, worker);
  }

  approve({ name, payer }: AgreedDeal): Promise<number> {
    return this.take({ type: 'approve', ...name }, payer);
  }

  refund({ name, worker }: AgreedDeal): Promise<number> {
    return this.take({ type: 'refund', ...name }, worker);
  }

  async take(step: SettlementStep, by: TestAgent): Promise<number> {
    const ledger = this.mesh.aggregatorNode.get(Ledger);
    const outcome = await ledger.submit(await this.#settlement.prepare(step, [ledgerSigner(by.identity)]));
    if (outcome.status !== 'confirmed') throw outcomeError(outcome);
    return outcome.slot;
  }

  /** Reports by HTTP, in bodies of a hundred; every one of them is accepted. */
  async report(...items: Item[]): Promise<void> {
    for (let at = 0; at < items.length; at += BODY) {
      const body = JSON.stringify({ items: items.slice(at, at + BODY) });
      const headers = { 'content-type': 'application/json' };
      const url = `${this.mesh.aggregatorNode.url}/ingest/envelopes`;
      const response = await fetch(url, { method: 'POST', headers, body });
      const found = (await response.json()) as { results: Result[] };
      assert.equal(response.status, 200, JSON.stringify(found));
      const refused = found.results.filter(({ status }) => status !== 'accepted');
      assert.deepEqual(refused, []);
    }
  }

  async read<T = any>(path: string): Promise<T> {
    const response = await fetch(this.mesh.aggregatorNode.url + path);
    const body = await response.json();
    assert.equal(response.status, 200, `GET ${path}: ${JSON.stringify(body)}`);
    return body as T;
  }

  /** The same, undefined where the aggregator knows nothing. */
  async find<T = any>(path: string): Promise<T | undefined> {
    const response = await fetch(this.mesh.aggregatorNode.url + path);
    const body = await response.json();
    assert.ok([200, 404].includes(response.status), `GET ${path}: ${response.status} ${JSON.stringify(body)}`);
    return response.status === 200 ? (body as T) : undefined;
  }

  /** Until the aggregator has read the agent's account on the ledger, and it is as the caller waits for. */
  async accountRead({ id }: TestAgent, is: (account: any) => boolean): Promise<void> {
    await happens(`the account of ${id} is read`, async () => is(await this.read(`/agents/${id}/stake`)) || undefined);
  }

  /** Until the aggregator has seen how the escrow stands. */
  async seen({ conversation }: SignedDeal, state: string): Promise<void> {
    await happens(`the aggregator has seen that ${conversation} is ${state}`, async () => {
      const found = await this.read<{ state: string; confirmed_slot?: number }[]>(`/escrows/${conversation}`);
      return found.some((one) => one.state === state) || undefined;
    });
  }

  /** The reputation of an agent as soon as it is what the test waits for. */
  reputation<T = any>({ id }: TestAgent, isDone: (answer: T) => boolean): Promise<T> {
    let last: unknown;
    return happens(`the reputation of ${id}`, async () => {
      const response = await fetch(`${this.mesh.aggregatorNode.url}/reputation/${id}`);
      last = await response.json();
      return response.status === 200 && isDone(last as T) ? (last as T) : undefined;
    }).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(last)}`);
    });
  }

  /**
   * Until everything that was reported before is scored: what is learned is learned in order, so a deal that is made now
   * is scored after it.
   */
  async scoredSince(from: number): Promise<void> {
    this.#markers += 1;
    const [payer, worker] = [1, 2].map((n) => this.agent(`marker ${this.#markers} ${n}`));
    const { propose, accept, deliver, conversation } = this.unpaid(payer!, worker!);
    await this.report(propose.receipt, accept.receipt, deliver.receipt);
    await this.report(payer!.feedback(worker!, conversation, 100).whole);
    await this.reputation(worker!, ({ rater_count, as_of }) => rater_count === 1 && Date.parse(as_of) >= from);
  }

  stop(): Promise<void> {
    return this.mesh.stop();
  }
}

const PLENTY = { newKeysPerHour: 1_000_000, newKeysPerHourInAll: 1_000_000, itemsPerKeyPerMinute: 1_000_000 };
