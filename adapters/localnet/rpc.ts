import type { Log } from '../../core/log.ts';
import type { Chain } from './chain.ts';
import type { Faucet } from './faucet.ts';
import { Params } from './params.ts';
import { RPC_CODES, RpcError } from './rpc-error.ts';

export interface RpcContext {
  readonly chain: Chain;
  readonly faucet: Faucet;
}

export type RpcMethod = (params: Params, context: RpcContext) => unknown;
export type RpcMethods = Readonly<Record<string, RpcMethod>>;

/** An answer that names the slot it was true in. */
export function withContext(chain: Chain, value: unknown): object {
  return { context: { slot: chain.slots.now().slot, apiVersion: '2.2.0' }, value };
}

const MAX_BATCH = 100;

interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: unknown;
}

/** JSON-RPC 2.0: single calls and batches in, answers out. */
export class Rpc {
  readonly #methods: Map<string, RpcMethod>;
  readonly #context: RpcContext;
  readonly #log: Log;

  constructor(methods: RpcMethods, context: RpcContext, log: Log) {
    this.#methods = new Map(Object.entries(methods));
    this.#context = context;
    this.#log = log;
  }

  /**
   * The answer to a message, undefined when none is due. `own` holds methods of one connection, which come first.
   */
  answer(text: string, own?: ReadonlyMap<string, RpcMethod>): object | undefined {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return failure(null, new RpcError(RPC_CODES.parse, 'Parse error'));
    }
    if (!Array.isArray(message)) return this.#one(message, own);
    if (message.length === 0)
      return failure(null, new RpcError(RPC_CODES.invalidRequest, 'Invalid request: empty batch'));
    if (message.length > MAX_BATCH) {
      return failure(null, new RpcError(RPC_CODES.invalidRequest, `Invalid request: more than ${MAX_BATCH} calls`));
    }
    const answers = message.map((call) => this.#one(call, own)).filter((answer) => answer !== undefined);
    return answers.length ? answers : undefined;
  }

  #one(call: unknown, own: ReadonlyMap<string, RpcMethod> | undefined): object | undefined {
    if (!isCall(call)) return failure(null, new RpcError(RPC_CODES.invalidRequest, 'Invalid request'));
    const { id } = call;
    try {
      const method = own?.get(call.method) ?? this.#methods.get(call.method);
      if (!method) throw new RpcError(RPC_CODES.methodNotFound, 'Method not found');
      this.#context.chain.check();
      const result = method(new Params(call.params), this.#context) ?? null;
      return id === undefined ? undefined : { jsonrpc: '2.0', id, result };
    } catch (error) {
      if (!(error instanceof RpcError)) this.#log.error({ method: call.method, err: error }, 'a localnet call failed');
      return id === undefined ? undefined : failure(id, error);
    }
  }
}

function isCall(value: unknown): value is Call {
  if (typeof value !== 'object' || value === null) return false;
  const { id, method } = value as Partial<Call>;
  return (
    typeof method === 'string' && (id === undefined || id === null || typeof id === 'string' || typeof id === 'number')
  );
}

function failure(id: unknown, error: unknown): object {
  const { code, message, data } =
    error instanceof RpcError ? error : new RpcError(RPC_CODES.internal, 'Internal error; the log has the details');
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}
