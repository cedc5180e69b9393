import Router from '@koa/router';
import { wildcardOf } from './path.ts';
import type { Served } from './served.ts';

/**
 * `allow` lists the methods of a path that does not answer this one; empty when there is nothing at the path. What stands
 * for a wildcard is among the parameters as it was sent.
 */
export type Found<S extends Served> =
  | { readonly served: S; readonly params: Readonly<Record<string, string>>; readonly allow?: undefined }
  | { readonly served?: undefined; readonly params?: undefined; readonly allow: readonly string[] };

/** Where paths are whose first segment is a parameter or a wildcard. */
const ANY = ':';

/**
 * Which endpoint answers a path. There is one small @koa/router per first path segment, because a router tries its
 * routes one after the other; within it, literal segments go before parameters, and these before a wildcard.
 */
export class Routing<S extends Served> {
  readonly #routers = new Map<string, Router>();
  readonly #served: S[];

  constructor(served: readonly S[]) {
    this.#served = [...served].sort((a, b) => (specificity(a.endpoint.path) < specificity(b.endpoint.path) ? -1 : 1));
    this.#served.forEach(({ endpoint }, index) => {
      const method = endpoint.kind === 'route' ? endpoint.method : 'GET';
      for (const path of endpoint.kind === 'files' ? [endpoint.root, endpoint.path] : [endpoint.path]) {
        const prefix = firstSegment(path);
        const router = this.#routers.get(prefix) ?? new Router({ sensitive: true });
        this.#routers.set(prefix, router);
        router.register(path, [method], () => {}, { name: String(index) });
      }
    });
  }

  find(method: string, path: string): Found<S> {
    const own = this.#findIn(this.#routers.get(firstSegment(path)), method, path);
    return own.allow?.length === 0 ? this.#findIn(this.#routers.get(ANY), method, path) : own;
  }

  #findIn(router: Router | undefined, method: string, path: string): Found<S> {
    if (!router) return { allow: [] };
    // The first that fits, while the router's own `match` would try all of them.
    const first = router.stack.find((each) => each.match(path));
    const layer = first?.methods.includes(method)
      ? first
      : router.stack.find((each) => each.methods.includes(method) && each.match(path));
    // A parameter is no way around a path that says which methods it has.
    if (first && layer && first.path !== layer.path && !/[:*]/.test(String(first.path))) {
      const same = router.stack.filter((each) => each.path === first.path);
      return { allow: [...new Set(same.flatMap(({ methods }) => methods))].sort() };
    }
    const served = layer && this.#served[Number(layer.name)];
    if (layer && served) {
      const captures = layer.captures(path);
      const params = layer.params(path, captures);
      const wildcard = wildcardOf(String(layer.path));
      return { served, params: wildcard === undefined ? params : { ...params, [wildcard]: captures.at(-1)! } };
    }
    const methods = new Set(router.match(path, method).path.flatMap((candidate) => candidate.methods));
    return { allow: [...methods].sort() };
  }
}

/** At each position literal segments sort before parameters, and these before a wildcard. */
function specificity(path: string): string {
  return path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '\uffff' : segment.startsWith('*') ? '\uffff\uffff' : segment))
    .join('\u0001');
}

function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  const segment = path.slice(1, end === -1 ? undefined : end);
  return /^[:*]/.test(segment) ? ANY : segment;
}
