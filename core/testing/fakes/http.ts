import { loadContracts } from '../../contracts/contracts.ts';
import { MeshError } from '../../contracts/errors.ts';
import type { Http, HttpRequest, HttpResponse } from '../../services.ts';

/** The answer of the far side: a status of 200 unless given; `json` in place of `body`. */
export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly json?: unknown;
}

export interface FakeHttp extends Http {
  /** The calls made, oldest first. */
  readonly calls: readonly { readonly url: string; readonly request: HttpRequest }[];
}

/**
 * `value(Http, fakeHttp((url) => ({ json: { usd: 1 } })))`: calls nobody. What `answer` throws is what the plugin gets; hosts and sizes
 * are not checked.
 */
export function fakeHttp(answer: (url: string, request: HttpRequest) => FakeAnswer | Promise<FakeAnswer>): FakeHttp {
  const calls: { url: string; request: HttpRequest }[] = [];
  const contracts = loadContracts();
  async function request(url: string, request: HttpRequest = {}): Promise<HttpResponse> {
    calls.push({ url, request });
    const {
      status = 200,
      headers = {},
      json,
      body = json === undefined ? '' : JSON.stringify(json),
    } = await answer(url, request);
    const bytes = Buffer.from(body);
    return { url, status, headers: new Headers(headers), body: bytes, text: () => bytes.toString('utf8') };
  }
  return {
    calls,
    request,
    check: async () => {},
    async json(contract, url, options) {
      const response = await request(url, options);
      if (response.status < 200 || response.status > 299)
        throw new MeshError('upstream_failed', { extra: { upstream_status: response.status } });
      const value: unknown = JSON.parse(response.text());
      const [problem] = contracts.problems(contract, value);
      if (problem) throw new MeshError('upstream_failed', `${problem.pointer || 'it'} ${problem.message}`);
      return contracts.validate(contract, value);
    },
  };
}
