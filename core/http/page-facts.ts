import { type HandlingTools, handleRoute } from './handle-route.ts';
import type { Context, Reply } from './reply.ts';
import type { Routing } from './routing.ts';
import type { Mounted, ServedFiles, ServedRoute } from './served.ts';
import type { ServerOptions } from './server.ts';
import type { ServerState } from './state.ts';

type PageFactsOptions = ServerOptions & HandlingTools;

export interface PageCall {
  readonly files: Mounted<ServedFiles>;
  readonly file: string;
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
      for (const path of endpoint.kind === 'files' ? Object.values(endpoint.spec.facts ?? {}) : [])
        if (!this.#routeAt(path))
          throw new Error(
            `${endpoint.path}: its facts are those of ${path}, which is no GET route for everybody without parameters`,
          );
  }

  /** Undefined for a page that has no facts. */
  of({ files, file, ip, ctx, reply }: PageCall): (() => Promise<unknown>) | undefined {
    const path = files.endpoint.spec.facts?.[file];
    const served = path === undefined ? undefined : this.#routeAt(path);
    if (path === undefined || !served) return undefined;
    const { requestId } = reply;
    return async () => {
      try {
        const admitted = await served.gate.admit(ctx.req, { path, search: '' }, {}, ip);
        const makeSignal = () => this.#state.signalOf(ctx.res);
        const { body } = await handleRoute(
          { served, request: ctx.req, admitted, ip, requestId, makeSignal },
          this.#options,
        );
        return JSON.parse(String(body)) as unknown;
      } catch (error) {
        this.#options.log.debug({ err: error, requestId, page: file }, 'a page is sent without its facts');
        return undefined;
      }
    };
  }

  #routeAt(path: string): Mounted<ServedRoute> | undefined {
    const { served } = this.#routing.find('GET', path);
    const isOpen =
      served?.endpoint.kind === 'route' && served.guard.spec === undefined && served.endpoint.path === path;
    return isOpen ? (served as Mounted<ServedRoute>) : undefined;
  }
}
