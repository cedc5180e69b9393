import Router from '@koa/router';
import type { Served } from './served.ts';

/** `allow` lists the methods of a path that does not answer this one; empty when there is nothing at the path. */
export type Found<S extends Served> =
  | { readonly served: S; readonly params: Readonly<Record<string, string>>; readonly allow?: undefined }
  | { readonly served?: undefined; readonly params?: undefined; readonly allow: readonly string[] };

/**
 * Which endpoint answers a path. There is one small @koa/router per first path segment, because a router tries its
 * routes one after the other; within it, literal segments go before parameters.
 */
export class Routing<S extends Served> {
  readonly #routers = new Map<string, Router>();
  readonly #served: S[];

  constructor(served: readonly S[]) {
    this.#served = [...served].sort((a, b) => (specificity(a.endpoint.path) < specificity(b.endpoint.path) ? -1 : 1));
    this.#served.forEach(({ endpoint }, index) => {
      const method = endpoint.kind === 'route' ? endpoint.method : 'GET';
      const prefix = firstSegment(endpoint.path);
      const router = this.#routers.get(prefix) ?? new Router({ sensitive: true });
      this.#routers.set(prefix, router);
      router.register(endpoint.path, [method], () => {}, { name: String(index) });
    });
  }

  find(method: string, path: string): Found<S> {
    const router = this.#routers.get(firstSegment(path)) ?? this.#routers.get(':');
    // The first that fits, while the router's own `match` would try all of them.
    const first = router?.stack.find((each) => each.match(path));
    const layer = first?.methods.includes(method)
      ? first
      : router?.stack.find((each) => each.methods.includes(method) && each.match(path));
    // A parameter is no way around a path that says which methods it has.
    if (first && layer && first.path !== layer.path && !String(first.path).includes(':')) {
      const same = router!.stack.filter((each) => each.path === first.path);
      return { allow: [...new Set(same.flatMap(({ methods }) => methods))].sort() };
    }
    const served = layer && this.#served[Number(layer.name)];
    if (layer && served) return { served, params: layer.params(path, layer.captures(path)) };
    const methods = new Set(router?.match(path, method).path.flatMap((candidate) => candidate.methods));
    return { allow: [...methods].sort() };
  }
}

/** Literal segments sort before parameters at each position. */
function specificity(path: string): string {
  return path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '\uffff' : segment))
    .join('\u0001');
}

function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  const segment = path.slice(1, end === -1 ? undefined : end);
  return segment.startsWith(':') ? ':' : segment;
}
