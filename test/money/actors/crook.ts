import { Keypair, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import { MEMO_PROGRAM } from '../../../adapters/ledger-solana/instructions.ts';
import { isMeshError } from '../../../core/contracts/errors.ts';
import { Identity } from '../../../core/internal-services.ts';
import type { Signer } from '../../../core/ledger/ledger.ts';
import { ledgerSigner } from '../../../core/ledger/ledger.ts';
import { paymentMemo } from '../../../core/node/payments/memo.ts';
import { DealBook } from '../../../core/node/services/deal-book.ts';
import { NodeSpace } from '../../../core/node/services/messaging.ts';
import { heldHeaders } from '../../../core/node/watch/held-headers.ts';
import { fromBase64, toHex } from '../../../core/platform/bytes.ts';
import { agreedLock, agreementOf, escrowName } from '../../../core/protocol/deals/agreed-lock.ts';
import type { SignedHeader } from '../../../core/protocol/envelopes/envelope.ts';
import { encodeHeader, envelopeId } from '../../../core/protocol/envelopes/header.ts';
import type { SettlementStep } from '../../../core/protocol/settlement/steps.ts';
import { signerOf } from '../../ledger/bench.ts';
import { rpc } from '../../localnet/cluster.ts';
import { instructionsOf, sendV1, transactionV1 } from '../../support/transaction-v1.ts';
import type { Dice } from '../dice.ts';
import { HONEST, type World } from '../world.ts';
import { dealsOf, tell } from './calls.ts';

const SOL = 1_000_000_000n;
/** So many memos fill the logs of a transaction. */
const NOISE = 45;

/** What Mallory and her friends do on the ledger, behind the back of her own node. */
export class Crook {
  readonly #world: World;
  readonly #dice: Dice;
  readonly #friends = [Keypair.generate(), Keypair.generate()];
  readonly #signer: Signer;

  private constructor(world: World, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
    this.#signer = ledgerSigner(world.member('mallory').node.get(Identity));
  }

  static async open(world: World, dice: Dice): Promise<Crook> {
    const crook = new Crook(world, dice);
    for (const { publicKey } of crook.#friends) {
      await world.localnet.faucet.sol(publicKey.toBase58(), 20n * SOL);
      await world.fund(publicKey.toBase58(), 5);
    }
    return crook;
  }

  async cheat(): Promise<void> {
    const tricks = [
      'dustLock',
      'lie',
      'lie',
      'grab',
      'grab',
      'raise',
      'dust',
      'accuse',
      'accuse',
      'accuse',
      'convict',
      'back',
    ] as const;
    const trick = this.#dice.of(tricks);
    this.#world.notes.count(`trick ${trick}`);
    await this[trick]();
  }

  /** Locks something for an accepted deal that is not what was agreed. */
  async dustLock(): Promise<void> {
    const deal = await this.#own('requester', (one) => one.allowed_actions.includes('lock'));
    if (!deal) return;
    const { deal: known } = await this.#node.get(DealBook).get(deal.conversation_id);
    const agreed = agreedLock(agreementOf(known));
    const wrong = this.#dice.of([
      { amount: 1n, bond: 0n },
      { bond: agreed.bond === 0n ? 1n : agreed.bond - 1n },
      { reviewSecs: 3_600, deadline: agreed.deadline - 60 },
      { notary: this.#signer.address },
      { terms: 'ab'.repeat(32) },
    ]);
    const landed = await this.#take({ type: 'lock', ...agreed, ...wrong }, this.#signer);
    if (landed) this.#world.dust.add(deal.conversation_id);
  }

  /** Names a delivery on the ledger that she never sends. */
  async lie(): Promise<void> {
    const deal = await this.#own(
      'provider',
      ({ escrow, allowed_actions: open }) =>
        open.includes('deliver') && escrow.locked_at !== undefined && escrow.delivered_at === undefined,
    );
    if (!deal) return;
    const { deal: known } = await this.#node.get(DealBook).get(deal.conversation_id);
    const step = { type: 'deliver', ...escrowName(known), delivery: 'ee'.repeat(32) } as const;
    if (await this.#take(step, this.#signer, this.#dice.chance(0.5) ? NOISE : 0))
      this.#world.lies.add(deal.conversation_id);
  }

  /** Tries to end somebody's escrow, whether or not it is time. */
  async grab(): Promise<void> {
    const open = await this.#world.books.openEscrows();
    if (open.length === 0) return;
    const { requester, provider, conversation } = this.#dice.of(open);
    const type = this.#dice.of(['claim', 'split', 'reclaim', 'approve', 'refund'] as const);
    await this.#take({ type, requester, provider, conversation }, this.#signer);
  }

  /** Disputes, and raises by crumbs, what she has ordered. */
  async raise(): Promise<void> {
    const deal = await this.#own(
      'requester',
      ({ escrow }) => escrow.delivered_at !== undefined && escrow.outcome === undefined,
    );
    if (!deal) return;
    const { deal: known } = await this.#node.get(DealBook).get(deal.conversation_id);
    let offerBps = Math.max(deal.dispute_bps, known.escrow?.offer_bps ?? 0);
    for (let time = 0; time < 3; time += 1) {
      await this.#take({ type: 'dispute', ...escrowName(known), offerBps }, this.#signer);
      offerBps = Math.min(10_000, offerBps + this.#dice.between(1, 3));
    }
  }

  /** Gives back, or contests, what she was paid for, at the moment in which the requester approves. */
  async back(): Promise<void> {
    const deal = await this.#own(
      'provider',
      ({ escrow }) => escrow.locked_at !== undefined && escrow.outcome === undefined,
    );
    if (!deal) return;
    const { conversation_id } = deal;
    const { deal: known } = await this.#node.get(DealBook).get(conversation_id);
    const name = escrowName(known);
    const step = this.#dice.chance(0.5)
      ? ({ type: 'refund', ...name } as const)
      : ({ type: 'contest', maxBps: 9_999, ...name } as const);
    const requester = this.#world.nameOf(deal.counterparty);
    await Promise.all([
      this.#take(step, this.#signer),
      requester &&
        tell(this.#world, requester, '/escrow/approve', { conversation_id }, { conversation: conversation_id }),
    ]);
  }

  /** Sends crumbs that name a deal of somebody, by a transaction of version 1 now and then. */
  async dust(): Promise<void> {
    const victim = this.#dice.of(HONEST);
    const deals = [...this.#world.notes.deals.keys()];
    if (deals.length === 0) return;
    const memo = paymentMemo(this.#dice.of(deals));
    const transfer = { to: this.#world.idOf(victim), amount: BigInt(this.#dice.between(1, 1_000)), memo };
    const payer = this.#friends[0]!;
    await this.#try('dust', async () => {
      const prepared = await this.#ledger.prepareUsdcTransfer(transfer, signerOf(payer));
      if (this.#dice.chance(0.5)) return this.#ledger.submit(prepared);
      const blockhash = (await rpc(this.#world.books.url, 'getLatestBlockhash', [])).result.value.blockhash;
      const instructions = instructionsOf(fromBase64(prepared.bytes)!).filter(
        ({ programId }) => !programId.toBase58().startsWith('ComputeBudget'),
      );
      const { error } = await sendV1(this.#world.books.url, transactionV1({ payer, instructions, blockhash }));
      if (error) throw new Error(error.message);
      return undefined;
    });
  }

  /** Accuses somebody honest of leaving out an envelope; a friend copies the accusation. */
  async accuse(): Promise<void> {
    const victim = this.#world.idOf(this.#dice.of(HONEST.slice(0, 2)));
    const headers = await this.#headersOf(victim);
    if (headers.length === 0) return;
    const header = this.#dice.of(headers);
    const id = toHex(envelopeId(header));
    const friends = this.#friends.map(signerOf);
    for (const friend of friends) await this.#take({ type: 'announce', key: victim, id }, friend);
    this.#world.pass(1, 3);
    const step = { type: 'accuse', key: victim, header: encodeHeader(header), signature: header.signature } as const;
    const noise = this.#dice.chance(0.5) ? NOISE : 0;
    await Promise.all(friends.map((friend) => this.#take(step, friend, noise)));
  }

  /** Tries to have a victim slashed, whether or not it was given its time. */
  async convict(): Promise<void> {
    const { books } = this.#world;
    const key = this.#world.idOf(this.#dice.of(HONEST));
    await this.#take({ type: 'slash_inactive', key }, this.#signer);
    for (const event of books.events.slice(-200))
      if (event.name === 'agent_accused')
        await this.#take({ type: 'convict', key: event.key, id: event.id, accuser: event.accuser }, this.#signer);
  }

  /** Takes back what she locked for nobody: no node of a deal looks after a lock that was not agreed. */
  async cleanUp(): Promise<void> {
    for (const { requester, provider, conversation, deadline, deliveredAt } of await this.#world.books.openEscrows())
      if (this.#world.dust.has(conversation) && deliveredAt === null && deadline < this.#world.now)
        await this.#take({ type: 'reclaim', requester, provider, conversation }, this.#signer);
  }

  /** What she was sent that is in a batch of the victim, and can be accused. */
  async #headersOf(victim: string): Promise<SignedHeader[]> {
    const agent = await this.#world.settlement.agent(victim);
    const headers: SignedHeader[] = [];
    for (const { epoch } of agent?.batches.slice(-4) ?? [])
      for await (const header of heldHeaders(this.#node.get(NodeSpace), victim, epoch)) headers.push(header);
    return headers;
  }

  get #node() {
    return this.#world.member('mallory').node;
  }

  get #ledger() {
    return this.#world.books.ledger;
  }

  async #own(role: string, is: (deal: any) => boolean): Promise<any> {
    const deals = (await dealsOf(this.#world, 'mallory')).filter((deal) => deal.role === role && is(deal));
    return deals.length > 0 ? this.#dice.of(deals) : undefined;
  }

  async #take(step: SettlementStep, signer: Signer, memos = 0): Promise<boolean> {
    const conversation = 'conversation' in step ? step.conversation : undefined;
    const hidden = memos > 0 ? ', hidden behind noise' : '';
    const done = await this.#try(step.type, async () => {
      const prepared = await this.#world.settlement.prepare(step, [signer]);
      if (memos > 0) return this.#sendHidden(prepared.bytes, signer, memos);
      const outcome = await this.#ledger.submit(prepared);
      if (outcome.status !== 'confirmed') throw new Error(JSON.stringify(outcome));
      return outcome;
    });
    this.#world.notes.line(
      conversation,
      `crook ${step.type}${hidden} ${JSON.stringify('offerBps' in step ? step.offerBps : '')}: ${done ? 'done' : 'refused'}`,
    );
    return done;
  }

  /** What the program refuses is no fault of anybody. */
  async #try(what: string, run: () => Promise<unknown>): Promise<boolean> {
    try {
      await run();
      this.#world.notes.count(`crook ${what} done`);
      return true;
    } catch (error) {
      this.#world.notes.count(`crook ${what} ${isMeshError(error) ? error.code : 'refused'}`);
      return false;
    }
  }

  async #sendHidden(bytes: string, signer: Signer, memos: number): Promise<void> {
    const { instructions, recentBlockhash, feePayer } = Transaction.from(fromBase64(bytes)!);
    const noise = Array.from(
      { length: memos },
      () => new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from('x') }),
    );
    const hidden = new Transaction({ recentBlockhash: recentBlockhash!, feePayer: feePayer! } as never);
    const others = instructions.filter(({ programId }) => !programId.toBase58().startsWith('ComputeBudget'));
    hidden.add(...noise, ...others);
    hidden.addSignature(new PublicKey(signer.address), Buffer.from(signer.sign(hidden.serializeMessage())));
    const params = [hidden.serialize().toString('base64'), { encoding: 'base64' }];
    const { error } = await rpc(this.#world.books.url, 'sendTransaction', params);
    if (error) throw new Error(JSON.stringify(error));
  }
}
