import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { formatUsdc, isMeshError } from '../../core/plugin.ts';
import { refused } from './results.ts';
import type { Spending } from './spending.ts';

const CONFIRM_SECS = 120;
const KEY = 'confirm';
/** Refusals after which nothing was promised or moved. */
const NOTHING_HAPPENED = new Set([
  ...['invalid_request', 'invalid_transition', 'not_found', 'escrow_not_found', 'escrow_exists', 'insufficient_funds'],
  ...['spending_cap', 'forbidden', 'rate_limited', 'ledger_program_missing', 'deadline_passed', 'deadline_not_reached'],
]);

/** A step that promises or moves USDC. */
export interface Spend {
  /** Names the step: the same one again is the same. */
  readonly step: string;
  /** The words that a person confirms, such as `pay 5 USDC to …`. */
  readonly words: string;
  readonly amount: bigint;
  /** Whether the amount leaves the wallet by it; a promise moves nothing. */
  readonly moves: boolean;
}

interface Asked {
  readonly step: string;
  readonly amount: string;
  readonly nonce: string;
}

interface ConfirmationParts {
  readonly key: Uint8Array;
  readonly perCall: bigint;
  readonly perDay: bigint;
  readonly spending: Spending;
  readonly newNonce: () => string;
}

/** Has a person confirm what goes beyond the operator's caps, through the host of the model. */
export class Confirmation {
  readonly #parts: ConfirmationParts;
  readonly #codec: RequestStateCodec<Asked>;

  constructor(parts: ConfirmationParts) {
    this.#parts = parts;
    this.#codec = createRequestStateCodec<Asked>({
      key: parts.key,
      ttlSeconds: CONFIRM_SECS,
      bind: ({ mcpReq, http }) => `${mcpReq.method}\0${http?.authInfo?.clientId ?? ''}`,
    });
  }

  /** For the options of every server: a state that this node did not write is refused before a tool sees it. */
  get verify() {
    return (state: string, context: ServerContext) => this.#codec.verify(state, context);
  }

  /** Takes the step when it is within the caps or was confirmed; otherwise asks. */
  async around(
    spend: Spend,
    context: ServerContext,
    take: () => Promise<CallToolResult>,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { perCall, spending } = this.#parts;
    const { step, amount, moves } = spend;
    if (amount === 0n) return take();
    const confirmed = await this.#isConfirmed(spend, context);
    if (confirmed === 'declined') return refused({ code: 'declined', detail: `Nobody confirmed to ${spend.words}.` });
    if (!confirmed && amount > perCall) return this.#ask(spend, context);
    if (!moves) return take();
    const reserved = await spending.reserve(step, amount, confirmed);
    if (reserved === 'full') return this.#ask(spend, context);
    try {
      return await take();
    } catch (error) {
      // A step that may have happened, or had happened before, stays counted.
      const nothing = isMeshError(error) && NOTHING_HAPPENED.has(error.code);
      if (nothing && reserved === 'counted') await spending.release(step);
      throw error;
    }
  }

  async #isConfirmed({ step, amount }: Spend, { mcpReq }: ServerContext): Promise<boolean | 'declined'> {
    const asked = mcpReq.requestState<Asked>();
    if (!asked || mcpReq.inputResponses?.[KEY] === undefined) return false;
    const content = acceptedContent<{ confirm?: unknown }>(mcpReq.inputResponses, KEY);
    if (content?.confirm !== true) return 'declined';
    if (asked.step !== step || asked.amount !== String(amount)) return false;
    return this.#parts.spending.use(asked.nonce, step);
  }

  async #ask({ step, words, amount }: Spend, context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const { perCall, perDay, newNonce } = this.#parts;
    const caps = `Without a confirmation, one call may promise or move ${formatUsdc(perCall)} USDC, and a day ${formatUsdc(perDay)} USDC.`;
    if (!canAsk(context)) {
      const way = `Nothing happened. Have a person do it with the mesh command, or raise confirmAbove of the plugin mcp.`;
      return refused({ code: 'confirmation_required', detail: `To ${words} needs a confirmation. ${caps} ${way}` });
    }
    const requestState = await this.#codec.mint({ step, amount: String(amount), nonce: newNonce() }, context);
    return inputRequired({
      requestState,
      inputRequests: {
        [KEY]: inputRequired.elicit({
          message: `Shall this agent ${words}? ${caps}`,
          requestedSchema: {
            type: 'object',
            properties: { confirm: { type: 'boolean', title: `Yes, ${words}` } },
            required: ['confirm'],
          },
        }),
      },
    });
  }
}

/** Whether the host of this call can ask its user by a form. */
function canAsk({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Readonly<Record<string, Partial<ClientCapabilities>>> | undefined;
  const elicitation = envelope?.[CLIENT_CAPABILITIES_META_KEY]?.elicitation;
  if (!elicitation) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}
