import { MeshError, type TypedSchema } from '../../core/plugin.ts';
import type { Clock, Contracts, Http, HttpRequest } from '../../core/services.ts';

const TIMEOUTS = { get: 15_000, post: 30_000, upload: 60_000 };
const MAX_BYTES = 4_194_304;
const MAX_DETAIL = 300;
/** The launchpad counts by the hour. */
const MAX_WAIT = 3_600;

export interface ApiOptions {
  readonly http: Http;
  readonly contracts: Contracts;
  readonly clock: Clock;
  readonly url: string;
  /** The key of the moment; throws `launchpad_not_configured` where there is none. */
  readonly key: () => string;
}

/** The API of the launchpad. It signs and sends nothing for us, and its key is in no error. */
export class LaunchpadApi {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.url;
  }

  get<T>(shape: TypedSchema<T>, path: string, query: Readonly<Record<string, string>>): Promise<T> {
    return this.#ask(shape, `${path}?${new URLSearchParams(query)}`, { timeout: TIMEOUTS.get });
  }

  post<T>(shape: TypedSchema<T>, path: string, json: object): Promise<T> {
    return this.#ask(shape, path, { json, timeout: TIMEOUTS.post });
  }

  upload<T>(
    shape: TypedSchema<T>,
    path: string,
    form: { readonly type: string; readonly body: Uint8Array },
  ): Promise<T> {
    const { type, body } = form;
    return this.#ask(shape, path, { body, timeout: TIMEOUTS.upload }, { 'content-type': type });
  }

  async #ask<T>(
    shape: TypedSchema<T>,
    path: string,
    request: HttpRequest,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const { http, contracts, url } = this.#options;
    const key = this.#options.key();
    const answer = await http.request(url.replace(/\/$/, '') + path, {
      ...request,
      headers: { ...headers, 'x-api-key': key, accept: 'application/json' },
      maxBytes: MAX_BYTES,
    });
    const { status } = answer;
    const said = parsed(answer.text());
    if (status === 429) throw this.#slowDown(answer.headers);
    const reason = () => reasonIn(said).replaceAll(key, '***');
    if (status === 401 || status === 403) throw failed('it does not take the API key; set another one', status);
    if (status >= 400 && status < 500) throw refused(reason(), status);
    if (status < 200 || status > 299) throw failed(reason(), status);
    if ((said as { success?: unknown } | undefined)?.success === false) throw refused(reason(), status);
    const value = contentOf(said);
    const [problem] = contracts.problems(shape, value);
    if (problem) throw failed(`its answer has another shape: ${problem.pointer || 'it'} ${problem.message}`, status);
    return value as T;
  }

  #slowDown(headers: Headers): MeshError {
    const told = Number(headers.get('retry-after') ?? Number.NaN);
    const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) - this.#options.clock.now() / 1_000;
    const seconds = [told, reset].find((one) => Number.isFinite(one) && one > 0) ?? 60;
    const retryAfter = Math.min(Math.ceil(seconds), MAX_WAIT);
    return new MeshError('launchpad_rate_limited', { detail: 'The launchpad asks to slow down.', retryAfter });
  }
}

/** The launchpad did not do its part, or said what cannot be understood. */
export function failed(reason: string, status?: number): MeshError {
  const extra = status === undefined ? {} : { extra: { upstream_status: status } };
  return new MeshError('upstream_failed', { detail: `The launchpad did not do it: ${reason}.`, ...extra });
}

function refused(reason: string, status: number): MeshError {
  const detail = `The launchpad refused this: ${reason}.`;
  return new MeshError('launchpad_refused', { detail, extra: { upstream_status: status } });
}

/** The launchpad wraps what it answers; some of its calls were seen to answer it bare. */
function contentOf(said: unknown): unknown {
  const { success, response } = (said ?? {}) as { readonly success?: unknown; readonly response?: unknown };
  return success === true ? response : said;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Its own words, of which nothing is believed but that they are text. */
function reasonIn(said: unknown): string {
  const { error, message } = (said ?? {}) as Record<string, unknown>;
  const words = [error, message].find((one) => typeof one === 'string' && one !== '');
  return words === undefined ? 'it gave no reason' : JSON.stringify(words).slice(0, MAX_DETAIL);
}
