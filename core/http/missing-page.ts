import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../platform/log.ts';
import { policyOf } from './file-server.ts';
import { filledPage } from './filled-page.ts';
import { mediaTypeOf } from './media-types.ts';
import { NothingThere } from './nothing-there.ts';
import { wantsPage } from './pages.ts';
import type { Context, Reply } from './reply.ts';
import type { Mounted, Served, ServedFiles } from './served.ts';
import type { ServerState } from './state.ts';
import { parseTarget } from './target.ts';

/** Segments of an address at most: each makes every link of the page longer. */
const MOST_SEGMENTS = 32;
/** Characters of an address that the page shows. */
const SHOWN = 128;

interface MissingPageParts {
  readonly served: readonly Mounted<Served>[];
  readonly state: ServerState;
  readonly log: Log;
}

/** The page that browsers get, with the status 404, where nothing is: the `missing` of a folder of files. */
export class MissingPage {
  readonly #folder: Mounted<ServedFiles> | undefined;
  readonly #state: ServerState;
  readonly #log: Log;

  constructor({ served, state, log }: MissingPageParts) {
    this.#folder = served.find(
      (one): one is Mounted<ServedFiles> => one.endpoint.kind === 'files' && one.endpoint.spec.missing !== undefined,
    );
    this.#state = state;
    this.#log = log;
  }

  /** Sends the page in place of the problem; false where there is none, or it is none that a browser asks for. */
  async answers(error: unknown, ctx: Context, reply: Reply): Promise<boolean> {
    const folder = this.#folder;
    if (!folder || !(error instanceof NothingThere) || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return false;
    reply.varyBy('Accept');
    const { path } = parseTarget(ctx.req.url ?? '/');
    const depth = path.split('/').length - 2;
    if (!wantsPage(ctx.req.headers.accept) || depth > MOST_SEGMENTS) return false;
    const page = await this.#fill(folder, ctx, { up: '../'.repeat(depth) || './', path: shown(path) });
    if (page === undefined) return false;
    const { missing = '' } = folder.endpoint.spec;
    reply.setAll({ 'content-type': mediaTypeOf(missing), 'cache-control': 'no-store' });
    reply.set('content-security-policy', policyOf(folder.endpoint.spec));
    reply.send(ctx, 404, page);
    return true;
  }

  /** Undefined for whoever may not have the files of the folder, or not so many. */
  async #fill(folder: Mounted<ServedFiles>, ctx: Context, facts: object): Promise<string | undefined> {
    const { endpoint, gate } = folder;
    const file = join(fileURLToPath(endpoint.spec.folder), endpoint.spec.missing!);
    try {
      await gate.admit(ctx.req, { path: '/page', search: '' }, {}, this.#state.ipOf(ctx.req));
      return filledPage(await readFile(file, 'utf8'), facts);
    } catch (error) {
      this.#log.debug({ err: error, page: file }, 'a missing page is answered with a problem');
      return undefined;
    }
  }
}

function shown(path: string): string {
  return path.length > SHOWN ? `${path.slice(0, SHOWN - 1)}\u2026` : path;
}
