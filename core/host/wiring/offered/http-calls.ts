import type { Contracts } from '../../../contracts/contracts.ts';
import { isMeshError, MeshError } from '../../../contracts/errors.ts';
import type { Contract, TypeOf } from '../../../contracts/typed.ts';
import type { HttpNetwork } from '../../../http/network.ts';
import type { PinnedResponse } from '../../../http/pinned-request.ts';
import type { Clock } from '../../../platform/clock.ts';
import { messageOf } from '../../../platform/problem.ts';
import { Turns } from '../../../platform/turns.ts';
import type { Http, HttpRequest, HttpResponse } from '../../../services/http.ts';
import { addressesOf, type DestinationRules, readUrl, redirectFrom, requireGranted } from './http-destination.ts';
import { type OutgoingCall, outgoing } from './http-options.ts';

const AT_ONCE = 8;
const WAITING = 64;
const MOST_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
/** The headers that another origin may get of a call redirected to it. */
const HARMLESS = ['accept', 'accept-encoding', 'accept-language', 'user-agent'];

export interface HttpCallsOptions extends DestinationRules {
  readonly network: Pick<HttpNetwork, 'pinned'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly contracts: Contracts;
  /** The calls under way, so that they can be given up when the node stops. */
  readonly live: Set<AbortController>;
}

/** The outbound HTTP of one plugin. */
export class HttpCalls implements Http {
  readonly #options: HttpCallsOptions;
  readonly #turns = new Turns({ atOnce: AT_ONCE, waiting: WAITING });

  constructor(options: HttpCallsOptions) {
    this.#options = options;
  }

  async request(text: string, request: HttpRequest = {}): Promise<HttpResponse> {
    const call = outgoing(request);
    const url = readUrl(text);
    requireGranted(url, this.#options);
    if (this.#turns.isFull) throw new MeshError('rate_limited', `${WAITING} calls of this plugin wait for their turn.`);
    const ending = new AbortController();
    const { clock, live } = this.#options;
    const { signal } = ending;
    const late = () => ending.abort(new Error(`no whole answer came within ${call.timeout} ms`));
    const cancel = clock.after(call.timeout, late);
    const leave = () => ending.abort(request.signal?.reason);
    request.signal?.addEventListener('abort', leave, { once: true });
    live.add(ending);
    try {
      request.signal?.throwIfAborted();
      return await this.#turns.take(signal, () => this.#follow(url, call, signal));
    } catch (error) {
      if (isMeshError(error)) throw error;
      const detail = `${call.method} ${url.host}: ${messageOf(signal.aborted ? signal.reason : error)}`;
      const extra = error instanceof TooLarge && { extra: { most_bytes: call.maxBytes } };
      throw new MeshError('upstream_failed', { detail, cause: error, ...extra });
    } finally {
      cancel();
      live.delete(ending);
      request.signal?.removeEventListener('abort', leave);
      // Ends what was not read.
      ending.abort();
    }
  }

  async check(text: string, { publicOnly }: Pick<HttpRequest, 'publicOnly'> = {}): Promise<void> {
    const url = readUrl(text);
    requireGranted(url, this.#options);
    await addressesOf(url, this.#options, publicOnly);
  }

  async json<K extends Contract>(contract: K, url: string, request: HttpRequest = {}): Promise<TypeOf<K>> {
    const headers = { accept: 'application/json', ...request.headers };
    const response = await this.request(url, { ...request, headers });
    const { status } = response;
    const said = `${new URL(response.url).host} answered ${status}`;
    const failed = (detail: string) => new MeshError('upstream_failed', { detail, extra: { upstream_status: status } });
    if (status < 200 || status > 299) throw failed(`${said}.`);
    const value = parsed(response.text());
    if (value === undefined) throw failed(`${said} with what is no JSON.`);
    const [problem] = this.#options.contracts.problems(contract, value);
    if (problem) throw failed(`${said} with another shape: ${problem.pointer || 'it'} ${problem.message}.`);
    return value as TypeOf<K>;
  }

  async #follow(first: URL, call: OutgoingCall, signal: AbortSignal): Promise<HttpResponse> {
    let url = first;
    let headers = call.headers;
    for (let redirects = 0; ; redirects++) {
      const ending = new AbortController();
      const hop = AbortSignal.any([signal, ending.signal]);
      const answer = await this.#dial(url, { ...call, headers }, hop, ending);
      const next = redirectOf(url, call, answer);
      if (!next) return await responseOf(url, call, answer);
      ending.abort();
      if (redirects === MOST_REDIRECTS) throw new Error(`it redirects more than ${MOST_REDIRECTS} times`);
      requireGranted(next, this.#options);
      if (next.origin !== url.origin) headers = harmlessOf(headers);
      url = next;
    }
  }

  async #dial(url: URL, call: OutgoingCall, signal: AbortSignal, ending: AbortController): Promise<PinnedResponse> {
    const { network, clock } = this.#options;
    const { method, headers, body, http2, connectTimeout, publicOnly } = call;
    const late = () => ending.abort(new Error(`no connection to ${url.host} within ${connectTimeout} ms`));
    const connected = clock.after(connectTimeout, late);
    try {
      const addresses = await untilAborted(addressesOf(url, this.#options, publicOnly), signal);
      return await network.pinned({ url, addresses, method, headers, ...(body && { body }), http2, signal, connected });
    } catch (error) {
      throw ending.signal.aborted ? ending.signal.reason : error;
    } finally {
      connected();
    }
  }
}

/** Where an answer sends the caller; undefined when it is to be taken as it is. */
function redirectOf(url: URL, { method }: OutgoingCall, { status, headers }: PinnedResponse): URL | undefined {
  const location = headers.get('location');
  if (location === null || !REDIRECTS.includes(status) || (method !== 'GET' && method !== 'HEAD')) return undefined;
  return redirectFrom(url, location);
}

function harmlessOf(headers: OutgoingCall['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.includes(name)));
}

async function responseOf(url: URL, call: OutgoingCall, answer: PinnedResponse): Promise<HttpResponse> {
  const { method, maxBytes: most } = call;
  const { status, headers } = answer;
  const parts: Uint8Array[] = [];
  let size = 0;
  if (method !== 'HEAD' && Number(headers.get('content-length') ?? 0) > most) throw new TooLarge(most);
  for await (const part of answer.body) {
    size += part.length;
    if (size > most) throw new TooLarge(most);
    parts.push(part);
  }
  const body = Buffer.concat(parts);
  return { url: url.href, status, headers, body, text: () => body.toString('utf8') };
}

class TooLarge extends Error {
  constructor(most: number) {
    super(`its answer has more than ${most} bytes`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The result, unless the signal is aborted first. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
