import { type HandlingTools, handleRoute } from './handle-route.ts';
import type { Page } from './pages.ts';
import type { Context, Reply } from './reply.ts';
import type { Routing } from './routing.ts';
import type { Mounted, ServedRoute } from './served.ts';
import type { ServerOptions } from './server.ts';
import type { ServerState } from './state.ts';
import { parseTarget, type Target } from './target.ts';

type PageFactsOptions = ServerOptions & HandlingTools;

export interface PageCall {
  readonly page: Page;
  readonly target: Target;
  readonly ip: string;
  readonly ctx: Context;
  readonly reply: Reply;
}

/**
 * Gives the facts of pages: the answer of the route that a page names, which counts against its limit. Without an answer the page is
 * sent with dashes, so facts are undefined then.
 */
export class PageFacts {
  readonly #options: PageFactsOptions;
  readonly #state: ServerState;
  readonly #routing: Routing<Mounted>;

  /** Throws where a page names a route that is not there, or that not everybody may call as it stands. */
  constructor(options: PageFactsOptions, state: ServerState, routing: Routing<Mounted>) {
    this.#options = options;
    this.#state = state;
    this.#routing = routing;
    for (const { endpoint } of options.served)
      for (const facts of endpoint.kind === 'files' ? Object.values(endpoint.spec.facts ?? {}) : []) {
        const { path } = parseTarget(facts);
        if (!this.#routeAt(path, path))
          throw new Error(
            `${endpoint.path}: its facts are those of ${facts}, which is no GET route for everybody under that path`,
          );
      }
  }

  /** Undefined for a page that has no facts. */
  of({ page, target, ip, ctx, reply }: PageCall): (() => Promise<unknown>) | undefined {
    const facts = page.served.endpoint.spec.facts?.[page.file];
    if (facts === undefined) return undefined;
    const { path: pattern, search } = parseTarget(facts);
    const { requestId } = reply;
    return async () => {
      // The query of the page may ask for others.
      if (search !== '' && target.search !== '') return undefined;
      try {
        const path = pathOf(pattern, page.path, target.path);
        const found = this.#routeAt(path, pattern);
        if (!found) return undefined;
        const admitted = await found.served.gate.admit(ctx.req, { path, search }, found.params, ip);
        const makeSignal = () => this.#state.signalOf(ctx.res);
        const { body } = await handleRoute(
          { served: found.served, request: ctx.req, admitted, ip, requestId, makeSignal },
          this.#options,
        );
        return JSON.parse(String(body)) as unknown;
      } catch (error) {
        this.#options.log.debug({ err: error, requestId, page: page.file }, 'a page is sent without its facts');
        return undefined;
      }
    };
  }

  /** The route with that pattern, where it is the one that answers the path. */
  #routeAt(path: string, pattern: string) {
    const { served, params = {} } = this.#routing.find('GET', path);
    const isOpen =
      served?.endpoint.kind === 'route' && served.guard.spec === undefined && served.endpoint.path === pattern;
    return isOpen ? { served: served as Mounted<ServedRoute>, params } : undefined;
  }
}

/** The path of a route whose parameters are those of the page, as they were sent. */
function pathOf(pattern: string, page: string, sent: string): string {
  const [names, segments] = [page.split('/'), sent.split('/')];
  return pattern.replace(/:\w+/g, (name) => segments[names.indexOf(name)] ?? name);
}
