import type { Mounted, Served, ServedFiles } from './served.ts';

/** A page that browsers get at a path that has another answer for programs. */
export interface Page {
  readonly served: Mounted<ServedFiles>;
  /** Its name in the folder. */
  readonly file: string;
  readonly path: string;
  /** Whether it was asked for with a slash behind its address, where its links would lead astray. */
  readonly hasSlash: boolean;
}

interface Row extends Omit<Page, 'hasSlash'> {
  readonly pattern: RegExp;
}

const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;

/** The pages of all folders of files, by their paths. */
export class Pages {
  readonly #rows = new Map<string, readonly Row[]>();

  constructor(served: readonly Mounted<Served>[]) {
    for (const one of served) {
      if (one.endpoint.kind !== 'files') continue;
      const folder = one as Mounted<ServedFiles>;
      for (const [path, file] of Object.entries(folder.endpoint.spec.pages ?? {})) {
        const row = { served: folder, file, path, pattern: patternOf(path) };
        this.#rows.set(firstOf(path), [...(this.#rows.get(firstOf(path)) ?? []), row]);
      }
    }
  }

  /** The page at a path, whoever asks; also with a slash behind it. */
  at(method: string | undefined, path: string): Page | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const hasSlash = path.length > 2 && path.endsWith('/');
    const own = hasSlash ? path.slice(0, -1) : path;
    const row = this.#rows.get(firstOf(path))?.find(({ pattern }) => pattern.test(own));
    return row && { ...row, hasSlash };
  }
}

/** Whether a client asks for a page rather than for data: browsers name text/html, and programs do not. */
export function wantsPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  let html = 0;
  let json = 0;
  for (const range of accept.split(',')) {
    const [type = '', ...rest] = range.split(';').map((part) => part.trim().toLowerCase());
    const given = rest.find((part) => part.startsWith('q='))?.slice(2);
    const weight = given === undefined ? 1 : Number(given);
    if (HTML.test(type)) html = Math.max(html, weight);
    else if (JSON_TYPE.test(type)) json = Math.max(json, weight);
  }
  return html > 0 && html >= json;
}

function firstOf(path: string): string {
  const end = path.indexOf('/', 1);
  return path.slice(1, end === -1 ? undefined : end);
}

/** Without a slash at the end: the links of a page are meant from its own depth. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.~]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);
}
