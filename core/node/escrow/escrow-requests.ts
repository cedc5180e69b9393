import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, MeshError } from '../../contracts/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { LandedTransaction } from '../../ledger/recorded-transactions.ts';
import { requireSettlement } from '../../ledger/require-settlement.ts';
import type { Clock } from '../../platform/clock.ts';
import { escrowName } from '../../protocol/deals/agreed-lock.ts';
import { parseAgentId } from '../../protocol/identity/ids.ts';
import type { EscrowName } from '../../protocol/settlement/steps.ts';
import type { Identity } from '../../protocol/signer/identity.ts';
import type { DealBook } from '../deals/deal-book.ts';
import { type DealDocument, openActions } from '../deals/deal-document.ts';
import { dealView } from '../deals/deal-view.ts';
import { withAllowed } from '../deals/with-allowed.ts';
import { checkLockRequest, namedEscrow, offerOf } from '../requests/escrows.ts';
import type { Escrows } from '../services/escrows.ts';
import { CONTEST_BPS } from './escrow-duties.ts';
import type { EscrowSteps, PlainStep } from './escrow-steps.ts';
import { escrowView } from './escrow-view.ts';

export interface EscrowRequestsOptions {
  readonly deals: DealBook;
  readonly escrows: Escrows;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly ledger: Ledger | undefined;
}

type Request = SchemaTypes['escrow-request'];
type Answer = SchemaTypes['escrow-step'];

const ENDED = 'The escrow has ended and is closed: escrow of GET /deals/{conversation_id} says what it paid.';

/** The steps on the escrow of a deal, as they are asked for by hand. Repeating one does it once. */
export class EscrowRequests {
  readonly #options: EscrowRequestsOptions;

  constructor(options: EscrowRequestsOptions) {
    this.#options = options;
  }

  async lock(request: SchemaTypes['escrow-lock-request']): Promise<Answer> {
    const { deals, clock } = this.#options;
    const { steps } = this.#open();
    const document = await deals.get(request.conversation_id);
    checkLockRequest(request, document.deal);
    return this.#answer(escrowName(document.deal), await steps.lock(document, clock.now()));
  }

  async deliver(request: Request): Promise<Answer> {
    const { deal } = await this.#options.deals.get(request.conversation_id);
    return this.#step(request, (steps) => steps.deliver(deal));
  }

  plain(type: PlainStep, request: Request): Promise<Answer> {
    return this.#step(request, (steps, name) => steps.take(type, name));
  }

  dispute(request: SchemaTypes['escrow-dispute-request']): Promise<Answer> {
    return this.#step(request, (steps, name, document) =>
      steps.dispute(name, offerOf(request.offer_bps, document?.deal)),
    );
  }

  setPayee(request: SchemaTypes['escrow-payee-request']): Promise<Answer> {
    const wallet = request.wallet;
    if (parseAgentId(wallet) === undefined) throw invalidField('/wallet', 'must be 32 bytes in base58');
    return this.#step(request, (steps, name) => steps.setPayee(name, wallet));
  }

  contest(request: SchemaTypes['escrow-contest-request']): Promise<Answer> {
    return this.#step(request, (steps, name) => steps.contest(name, request.max_bps ?? CONTEST_BPS));
  }

  /** The open escrow of a deal, from the ledger's finalised state. */
  async view(conversationId: string): Promise<SchemaTypes['escrow-view']> {
    const settlement = requireSettlement(this.#options.ledger);
    const { deal } = await this.#options.deals.get(conversationId);
    const escrow = await settlement.escrow(escrowName(deal));
    if (escrow) return escrowView(escrow);
    throw new MeshError('escrow_not_found', deal.escrow?.outcome != null ? ENDED : undefined);
  }

  #open(): NonNullable<Escrows['open']> {
    const { ledger, escrows } = this.#options;
    requireSettlement(ledger);
    if (!escrows.open) throw new MeshError('ledger_program_missing');
    return escrows.open;
  }

  /** A step of a deal of this node or of the parties that the request names; its refusal says what is allowed. */
  async #step(
    request: Request,
    take: (steps: EscrowSteps, name: EscrowName, document: DealDocument | undefined) => Promise<LandedTransaction>,
  ): Promise<Answer> {
    const { deals, identity, clock } = this.#options;
    const { steps } = this.#open();
    const document = await deals.find(request.conversation_id);
    const name = namedEscrow(request, document);
    const landed = await take(steps, name, document).catch((error: unknown) => {
      throw document ? withAllowed(error, openActions(document, identity.address, clock.now())) : error;
    });
    return this.#answer(name, landed);
  }

  async #answer(name: EscrowName, landed: LandedTransaction): Promise<Answer> {
    const { deals, identity, clock, ledger } = this.#options;
    const before = await deals.find(name.conversation);
    if (before) await this.#open().watch.look(before.deal);
    const after = await deals.find(name.conversation);
    const { address, vault } = requireSettlement(ledger).escrowAddress(name);
    return {
      ok: true,
      conversation_id: name.conversation,
      signature: landed.signature,
      slot: landed.slot,
      escrow: address,
      vault,
      ...(after && { deal: dealView(after, identity.address, clock.now(), ledger) }),
    };
  }
}
