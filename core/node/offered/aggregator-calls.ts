import { ClientError } from '../../client/client-error.ts';
import { HttpCaller } from '../../client/http-caller.ts';
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

/** The aggregators of this node, for plugins that call them in the name of its agent. No redirect is followed. */
export const aggregatorCallsProvider = provider(AggregatorCalls, {
  uses: { identity: Identity, clock: Clock, random: Random, http: HttpNetwork },
  open({ identity, clock, random, http }, { settings }) {
    const urls = settings.mesh.aggregators ?? [];
    const token = tokenSigner(identity, clock, random);
    const sign = (request: Parameters<typeof token>[0]) => token(request).token;
    const means = { sign, clock, newKey: () => toHex(random.bytes(16)), fetch: http.fetch, timeout: TIMEOUT };

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
      async function answered(url: string, call: AggregatorCall): Promise<AggregatorAnswer> {
        check(url, call.path);
        const { path, body, signed = false, method = body ? 'POST' : 'GET', timeout = CALL_TIMEOUT } = call;
        const request = { method, path, signed, timeout, body: body && JSON.stringify(body) };
        try {
          return await new HttpCaller({ ...means, url }).answered(request);
        } catch (error) {
          throw new MeshError('upstream_failed', { detail: `${new URL(url).host}: ${messageOf(error)}`, cause: error });
        }
      }
      return {
        urls,
        get: ({ url, path, query = {} }) => read(url, path, (caller) => caller.get(path, query)),
        post: ({ url, path, body, idempotencyKey }) =>
          read(url, path, (caller) => caller.postSigned(path, body, idempotencyKey)),
        call: answered,
      };
    });
  },
});

function refusalOf({ status, code, reason, retryAfter = 60 }: ClientError): MeshError {
  if (status === 429) return new MeshError('rate_limited', { detail: `The aggregator: ${reason}`, retryAfter });
  const extra = { upstream_status: status, upstream_code: code };
  return new MeshError('upstream_failed', { detail: `The aggregator did not do it: ${reason}`, extra });
}
