import type { HandledCall } from './handle-route.ts';
import type { Headers } from './request-headers.ts';
import type { Call, Principal } from './route.ts';

/** The call that the handler of a route gets. Its signal is made when it asks for it: most never do. */
export class RouteCall implements Call<unknown, unknown, unknown, Headers> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly headers: Headers;
  readonly body: unknown;
  readonly rawBody: Uint8Array;
  readonly principal: Principal;
  readonly ip: string;
  readonly requestId: string;
  readonly ignored: string[];
  readonly operationId: string | undefined;
  readonly #makeSignal: () => AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(
    { admitted, ip, requestId, makeSignal }: HandledCall,
    body: unknown,
    rawBody: Uint8Array,
    operationId: string | undefined,
    ignored: string[],
  ) {
    this.params = admitted.params;
    this.query = admitted.query;
    this.headers = admitted.headers;
    this.body = body;
    this.rawBody = rawBody;
    this.principal = admitted.principal;
    this.ip = ip;
    this.requestId = requestId;
    this.ignored = ignored;
    this.operationId = operationId;
    this.#makeSignal = makeSignal;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#makeSignal();
    return this.#signal;
  }
}
