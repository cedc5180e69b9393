import type { Contracts } from '../../contracts/contracts.ts';
import { invalidField } from '../../contracts/errors.ts';
import type { SchemaName, TypeOf } from '../../contracts/typed.ts';
import { type IdempotencyStore, keyedCall, once } from '../../http/idempotency.ts';
import { isRefusal } from '../../http/problem-details.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Asked } from '../deals/negotiation.ts';

export interface RequestsOptions {
  readonly contracts: Contracts;
  readonly idempotency: IdempotencyStore;
  readonly clock: Clock;
}

/** Requests of one plugin, read and remembered as those that come over HTTP are. */
export class Requests {
  readonly #plugin: string;
  readonly #options: RequestsOptions;

  constructor(plugin: string, options: RequestsOptions) {
    this.#plugin = plugin;
    this.#options = options;
  }

  /** The request with its defaults; throws `invalid_request` when it does not fit its schema. */
  read<K extends SchemaName>(schema: K, request: unknown): TypeOf<K> {
    return this.#options.contracts.validate(schema, JSON.parse(textOf(request)), 'input');
  }

  /** Takes a step; once for an operation id, of which the answer is given again. */
  async step<K extends SchemaName, A>(
    name: string,
    schema: K,
    { request, operationId }: { readonly request: unknown; readonly operationId: string | undefined },
    take: (asked: Asked<TypeOf<K>>) => Promise<A>,
  ): Promise<A> {
    const { clock, idempotency } = this.#options;
    const body = this.read(schema, request);
    const principal = { kind: 'plugin', id: this.#plugin };
    const asked = { ip: '', principal, body };
    if (operationId === undefined) return take({ ...asked, operationId });
    if (typeof operationId !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(operationId))
      throw invalidField('/operationId', 'must be 1 to 255 printable ASCII characters');
    const call = keyedCall({
      principal,
      line: name,
      target: '',
      body: Buffer.from(JSON.stringify(body)),
      headers: {},
      now: clock.now(),
      key: operationId,
      effect: true,
    })!;
    const run = async () => {
      const taken = await take({ ...asked, operationId: call.operation });
      return { status: 200, headers: {}, body: JSON.stringify(taken) };
    };
    const answer = await once(call, idempotency, run, isRefusal);
    return JSON.parse(String(answer.body)) as A;
  }
}

/** A copy of a request. A value that JSON cannot carry, such as a bigint, is no request. */
function textOf(request: unknown): string {
  try {
    const text = JSON.stringify(request);
    if (text !== undefined) return text;
  } catch {
    // Falls through.
  }
  throw invalidField('', 'must be an object that JSON can carry: amounts in decimal text or minor units as text');
}
