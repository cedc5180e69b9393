import { createHash } from 'node:crypto';
import { invalidField, renamedFields } from '../../core/plugin.ts';
import type { DealStep, LocalAgent, Random } from '../../core/services.ts';
import type { SchemaTypes } from '../../schemas/types.ts';
import type { Departures } from './departures.ts';
import { type Fees, NO_CONVERSATION, type Priced, type Sent } from './fees.ts';
import { amountOf } from './usdc.ts';

type SendRequest = SchemaTypes['hosted-send-request'];

/** Types that name an amount of USDC, whose deal is one of the agent's own. */
const PRICED = ['PROPOSE', 'COUNTER', 'ACCEPT'];
const CONVERSATION_LENGTH = 16;

/** The call that a message comes from. */
interface Asked<B> {
  readonly body: B;
  readonly operationId: string | undefined;
}

export interface OutgoingMeans {
  readonly fees: Fees;
  readonly random: Pick<Random, 'bytes'>;
  readonly departures: Departures;
}

/** The messages of hosted agents that may cost a fee. */
export class Outgoing {
  readonly #fees: Fees;
  readonly #random: Pick<Random, 'bytes'>;
  readonly #departures: Departures;

  constructor({ fees, random, departures }: OutgoingMeans) {
    this.#fees = fees;
    this.#random = random;
    this.#departures = departures;
  }

  propose(agent: LocalAgent, { body, operationId }: Asked<SchemaTypes['propose-request']>): Promise<DealStep> {
    const conversation_id = this.#conversation(body.conversation_id, operationId);
    const message = { agent, msg_type: 'PROPOSE', conversation_id, amount: amountOf(body) ?? 0n, operationId };
    return this.#dealing(message, () => agent.deals.propose({ ...body, conversation_id }, { operationId }));
  }

  async counter(agent: LocalAgent, { body, operationId }: Asked<SchemaTypes['counter-request']>): Promise<DealStep> {
    const { conversation_id } = await agent.deals.get(body.conversation_id);
    const amount = amountOf(body);
    if (amount === undefined) throw invalidField('/amount_usdc', 'is needed: give amount_usdc or amount_usdc_micro');
    const message = { agent, msg_type: 'COUNTER', conversation_id, amount, operationId };
    return this.#dealing(message, () => agent.deals.counter(body, { operationId }));
  }

  async accept(agent: LocalAgent, { body, operationId }: Asked<SchemaTypes['accept-request']>): Promise<DealStep> {
    const { conversation_id, amount_usdc_micro } = await agent.deals.get(body.conversation_id);
    const message = { agent, msg_type: 'ACCEPT', conversation_id, amount: BigInt(amount_usdc_micro), operationId };
    // The other side may make another offer meanwhile: it is accepted for the amount that the fee is of, or not at all.
    const pinned = body.amount_usdc === undefined && body.amount_usdc_micro === undefined ? { amount_usdc_micro } : {};
    return this.#dealing(message, () => agent.deals.accept({ ...body, ...pinned }, { operationId }));
  }

  async send(agent: LocalAgent, { body, operationId }: Asked<SendRequest>): Promise<SchemaTypes['sent']> {
    const { payload_hex, ...request } = withBytes(body);
    const msg_type = request.msg_type.toUpperCase();
    const isPriced = PRICED.includes(msg_type);
    const conversation_id = isPriced ? this.#conversation(request.conversation_id, operationId) : NO_CONVERSATION;
    const asked = isPriced ? { ...request, conversation_id } : request;
    try {
      const send = () =>
        this.#fees.sendPriced({ agent, msg_type, conversation_id, operationId }, (before) =>
          agent.envelope(asked, { operationId, before }),
        );
      return await (isPriced ? this.#departures.deal(agent, send) : send());
    } catch (error) {
      throw payload_hex === undefined ? error : renamedFields(error, '/payload_b64', '/payload_hex');
    }
  }

  #dealing<T extends Sent>(message: Priced, send: () => Promise<T>): Promise<T> {
    return this.#departures.deal(message.agent, () => this.#fees.send(message, send));
  }

  /** A broadcast has no amount that anybody owes, and costs no fee. A refusal names the member of the request. */
  async toAll(
    agent: LocalAgent,
    msg_type: 'ADVERTISE' | 'BOUNTY',
    { body, operationId }: Asked<SchemaTypes['advertise-request'] | SchemaTypes['bounty-request']>,
  ): Promise<SchemaTypes['sent']> {
    const { conversation_id, ...payload } = { conversation_id: undefined, ...body };
    try {
      return await agent.envelope(
        { msg_type, payload, ...(conversation_id != null && { conversation_id }) },
        { operationId },
      );
    } catch (error) {
      throw renamedFields(error, '/payload/', '/');
    }
  }

  /** Known before it is sent, so that its fee is found again; a call that is repeated names the same one. */
  #conversation(given: string | null | undefined, operationId: string | undefined): string {
    if (given != null) return given.replaceAll('-', '').toLowerCase();
    const bytes =
      operationId === undefined
        ? this.#random.bytes(CONVERSATION_LENGTH)
        : createHash('sha256').update(`conversation ${operationId}`).digest().subarray(0, CONVERSATION_LENGTH);
    return Buffer.from(bytes).toString('hex');
  }
}

/** With bytes in hex as base64, which core reads. */
function withBytes(body: SendRequest): SendRequest {
  if (body.payload_hex === undefined) return body;
  for (const other of ['payload', 'payload_b64'] as const)
    if (body[other] !== undefined) throw invalidField('/payload_hex', `cannot be given together with ${other}`);
  return { ...body, payload_b64: Buffer.from(body.payload_hex, 'hex').toString('base64') };
}
