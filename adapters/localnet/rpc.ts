import type { Log } from '../../core/platform/log.ts';
import type { Chain } from './chain.ts';
import type { Faucet } from './faucet.ts';
import { isLostOnTheWay } from './faults/faults.ts';
import { type Answered, misshape, type Reply } from './faults/misshape.ts';
import type { FaultRule } from './faults/plan.ts';
import { type Options, Params } from './params.ts';
import type { Reading } from './reading.ts';
import { RPC_CODES, RpcError } from './rpc-error.ts';
import type { View } from './view.ts';

/** The parts of the localnet that a method works with. */
export interface RpcContext {
  readonly chain: Chain;
  readonly faucet: Faucet;
  /** The node that was called. */
  readonly view: View;
  /** Every node of the localnet, the one of its own port first. */
  readonly views: readonly View[];
  /** The fault that this call suffers from. */
  readonly rule: FaultRule | undefined;
  /** The state that the node knows of the chain; by its options a call says how old that may be. */
  read(options?: Options, commitmentMember?: string): Reading;
}

type RpcParts = Omit<RpcContext, 'read' | 'rule'>;

export type RpcMethod = (params: Params, context: RpcContext) => unknown;
export type RpcMethods = Readonly<Record<string, RpcMethod>>;

const MAX_BATCH = 100;

interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: unknown;
}

/** JSON-RPC 2.0 of one view: single calls and batches in, answers out, as its faults let them arrive. */
export class Rpc {
  readonly #methods: Map<string, RpcMethod>;
  readonly #context: RpcParts;
  readonly #log: Log;
  readonly #previous = new Map<string, unknown>();

  constructor(methods: RpcMethods, context: RpcParts, log: Log) {
    this.#methods = new Map(Object.entries(methods));
    this.#context = context;
    this.#log = log;
  }

  /** The answer to a message, undefined when none is due. `own` holds methods of one connection, which come first. */
  answer(text: string, own?: ReadonlyMap<string, RpcMethod>): Reply | undefined {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return refusal(RPC_CODES.parse, 'Parse error');
    }
    if (!Array.isArray(message)) return this.#one(message, own);
    if (message.length === 0) return refusal(RPC_CODES.invalidRequest, 'Invalid request: empty batch');
    if (message.length > MAX_BATCH) {
      return refusal(RPC_CODES.invalidRequest, `Invalid request: more than ${MAX_BATCH} calls`);
    }
    const replies = message.map((call) => this.#one(call, own)).filter((reply) => reply !== undefined);
    // A fault of the connection hits the whole batch.
    const spoilt = replies.find(({ ending, status, contentType }) => ending ?? status ?? contentType);
    if (spoilt || replies.length === 0) return spoilt;
    const afterMs = Math.max(...replies.map((reply) => reply.afterMs ?? 0));
    return { text: `[${replies.map((reply) => reply.text).join(',')}]`, afterMs };
  }

  #one(call: unknown, own: ReadonlyMap<string, RpcMethod> | undefined): Reply | undefined {
    if (!isCall(call)) return refusal(RPC_CODES.invalidRequest, 'Invalid request');
    const { id, method } = call;
    const rule = this.#context.view.faults.next(method);
    const isLost = rule !== undefined && isLostOnTheWay(rule);
    const previous = this.#previous.get(method);
    const answered = isLost ? { result: null } : this.#run(call, own, rule);
    if (!isLost && 'result' in answered) this.#previous.set(method, answered.result);
    if (id === undefined) return undefined;
    if (rule) return misshape(rule, { id, ...answered }, previous);
    return { text: JSON.stringify({ jsonrpc: '2.0', id, ...answered }) };
  }

  #run(call: Call, own: ReadonlyMap<string, RpcMethod> | undefined, rule: FaultRule | undefined): Result {
    const { method: name } = call;
    try {
      const method = own?.get(name) ?? this.#methods.get(name);
      if (!method) throw new RpcError(RPC_CODES.methodNotFound, 'Method not found');
      this.#context.chain.check();
      const read: RpcContext['read'] = (options, member) => this.#context.view.read(name, options, member);
      const result = method(new Params(call.params), { ...this.#context, rule, read });
      return { result: result ?? null };
    } catch (error) {
      if (error instanceof RpcError) return { error: errorJson(error) };
      this.#log.error({ method: name, err: error }, 'a localnet call failed');
      return { error: errorJson(new RpcError(RPC_CODES.internal, 'Internal error; the log has the details')) };
    }
  }
}

type Result = Pick<Answered, 'result' | 'error'>;

function isCall(value: unknown): value is Call {
  if (typeof value !== 'object' || value === null) return false;
  const { id, method } = value as Partial<Call>;
  return (
    typeof method === 'string' && (id === undefined || id === null || typeof id === 'string' || typeof id === 'number')
  );
}

function refusal(code: number, message: string): Reply {
  return { text: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }) };
}

function errorJson({ code, message, data }: RpcError): object {
  return { code, message, ...(data !== undefined && { data }) };
}
