import { ClientError } from '../../client/client-error.ts';
import { HttpCaller, publicUrl } from '../../client/http-caller.ts';
import { readAtMost } from '../../client/read-at-most.ts';
import { MeshError } from '../../contracts/errors.ts';
import { HttpNetwork, Identity } from '../../internal-services.ts';
import { toHex } from '../../platform/bytes.ts';
import { messageOf } from '../../platform/problem.ts';
import { tokenSigner } from '../../protocol/signer/token-signer.ts';
import { PerPlugin, provider } from '../../provider.ts';
import { type AggregatorAnswer, type AggregatorCall, AggregatorCalls, Clock, Random } from '../../services.ts';

/** An aggregator may have the ledger take some transactions before it answers. */
const TIMEOUT = 60_000;
const CALL_TIMEOUT = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** The aggregators of this node, for plugins that call them in the name of its agent. No redirect is followed. */
export const aggregatorCallsProvider = provider(AggregatorCalls, {
  uses: { identity: Identity, clock: Clock, random: Random, http: HttpNetwork },
  open({ identity, clock, random, http }, { settings }) {
    const urls = settings.mesh.aggregators ?? [];
    const token = tokenSigner(identity, clock, random);
    const sign = (request: Parameters<typeof token>[0]) => token(request).token;
    const means = { sign, clock, newKey: () => toHex(random.bytes(16)), fetch: http.fetch, timeout: TIMEOUT };

    function requestOf(url: string, { path, body, signed, method = body ? 'POST' : 'GET' }: AggregatorCall) {
      const text = body && JSON.stringify(body);
      const headers: Record<string, string> = { accept: 'application/json' };
      if (text !== undefined) headers['content-type'] = 'application/json';
      if (signed) {
        const request = { audience: publicUrl(url), method, target: path, body: new TextEncoder().encode(text ?? '') };
        headers['authorization'] = `Bearer ${sign(request)}`;
      }
      return { method, headers, redirect: 'error', ...(text !== undefined && { body: text }) } as const;
    }

    async function answered(url: string, call: AggregatorCall): Promise<AggregatorAnswer> {
      const late = new AbortController();
      const { timeout = CALL_TIMEOUT } = call;
      const cancel = clock.after(timeout, () => late.abort(new Error(`no answer within ${timeout} ms`)));
      try {
        const request = requestOf(url, call);
        const response = await http.fetch(publicUrl(url) + call.path, { ...request, signal: late.signal });
        const bytes = await readAtMost(response, MOST_BYTES);
        return { status: response.status, body: jsonOf(bytes) };
      } catch (error) {
        const why = messageOf(late.signal.aborted ? late.signal.reason : error);
        throw new MeshError('upstream_failed', { detail: `${new URL(url).host}: ${why}`, cause: error });
      } finally {
        cancel();
      }
    }

    return new PerPlugin<AggregatorCalls>(({ name, may }) => {
      function check(url: string, path: string): void {
        const [place] = path.split('?');
        if (!may(`aggregators:${place}`))
          throw new MeshError('forbidden', `The plugin ${name} does not hold aggregators:${place}.`);
        if (!urls.includes(url)) throw new MeshError('forbidden', 'This is no aggregator of this node.');
      }
      async function read(url: string, path: string, made: (caller: HttpCaller) => Promise<unknown>): Promise<unknown> {
        check(url, path);
        try {
          return await made(new HttpCaller({ ...means, url }));
        } catch (error) {
          throw error instanceof ClientError ? refusalOf(error) : error;
        }
      }
      return {
        urls,
        get: ({ url, path, query = {} }) => read(url, path, (caller) => caller.get(path, query)),
        post: ({ url, path, body, idempotencyKey }) =>
          read(url, path, (caller) => caller.postSigned(path, body, idempotencyKey)),
        async call(url, call) {
          check(url, call.path);
          return answered(url, call);
        },
      };
    });
  },
});

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function refusalOf({ status, code, reason, retryAfter = 60 }: ClientError): MeshError {
  if (status === 429) return new MeshError('rate_limited', { detail: `The aggregator: ${reason}`, retryAfter });
  const extra = { upstream_status: status, upstream_code: code };
  return new MeshError('upstream_failed', { detail: `The aggregator did not do it: ${reason}`, extra });
}
