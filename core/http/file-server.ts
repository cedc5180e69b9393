import { createHash, type Hash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { FilesSpec } from './files.ts';
import { filledPage, MOST_FILLED } from './filled-page.ts';
import type { Admitted } from './gate-factory.ts';
import { hasHash, mediaTypeOf } from './media-types.ts';
import { NothingThere } from './nothing-there.ts';
import type { Context, Reply } from './reply.ts';
import type { Mounted, ServedFiles } from './served.ts';
import type { Target } from './target.ts';

const INDEX = 'index.html';
const POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";
const YEAR = 31_536_000;
/** Files whose tags are remembered. */
const TAGS = 10_000;

interface Found {
  readonly path: string;
  readonly name: string;
  readonly isFolder: boolean;
}

interface Tag {
  readonly stamp: string;
  readonly etag: string;
}

export interface FileCall {
  readonly served: Mounted<ServedFiles>;
  readonly admitted: Admitted;
  readonly target: Target;
  /** The facts that stand in the file, where it has some. */
  readonly fill?: (() => Promise<unknown>) | undefined;
  readonly ctx: Context;
  readonly reply: Reply;
}

interface Sending {
  readonly isOpen: boolean;
  readonly fill: FileCall['fill'];
  readonly ctx: Context;
  readonly reply: Reply;
}

/** Serves folders of files. */
export class FileServer {
  readonly #tags = new Map<string, Tag>();

  async answer({ served, admitted, target, fill, ctx, reply }: FileCall): Promise<void> {
    const { spec } = served.endpoint;
    reply.set('content-security-policy', policyOf(spec));
    const segments = admitted.params['path']?.split('/') ?? [];
    const isFolderAsked = target.path.endsWith('/');
    const found = await locate(fileURLToPath(spec.folder), segments);
    if (found?.isFolder && !isFolderAsked) return toFolder(target, ctx, reply);
    const file = found?.isFolder ? await locate(fileURLToPath(spec.folder), [...segments, INDEX]) : found;
    if (!file || file.isFolder || (isFolderAsked && !found?.isFolder)) throw new NothingThere(target.path);
    const handle = await open(file.path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      await this.#send(file, handle, { isOpen: served.guard.spec === undefined, fill, ctx, reply });
    } finally {
      await handle.close();
    }
  }

  async #send({ path, name }: Found, handle: FileHandle, { isOpen, fill, ctx, reply }: Sending): Promise<void> {
    const stats = await handle.stat();
    const isFilled = fill !== undefined && stats.size <= MOST_FILLED;
    const page = isFilled ? filledPage(await handle.readFile('utf8'), await fill()) : undefined;
    const etag =
      page === undefined ? await this.#etagOf(path, handle, stats) : tagOf(createHash('sha256').update(page));
    const keep = hasHash(name) ? `max-age=${YEAR}, immutable` : 'no-cache';
    reply.setAll({ etag, 'cache-control': `${isOpen ? 'public' : 'private'}, ${keep}` });
    if (isKnown(ctx.req.headers['if-none-match'], etag)) return reply.send(ctx, 304);
    reply.set('content-type', mediaTypeOf(name));
    if (page !== undefined) return reply.send(ctx, 200, page);
    reply.set('content-length', String(stats.size));
    const response = reply.begin(ctx, 200);
    if (ctx.method === 'HEAD' || stats.size === 0 || response.destroyed) {
      response.end();
      return;
    }
    // Never more than was announced, should the file grow meanwhile.
    const bytes = handle.createReadStream({ start: 0, end: stats.size - 1, autoClose: false });
    // Nothing else can be said behind the head: whoever reads finds the body cut.
    await pipeline(bytes, response).catch(() => response.destroy());
  }

  /** A hash of the content: installers give every file the same time. It is taken anew when the file was written to. */
  async #etagOf(path: string, handle: FileHandle, { size, mtimeMs, ctimeMs, ino }: Stats): Promise<string> {
    const stamp = [size, mtimeMs, ctimeMs, ino].join(' ');
    const known = this.#tags.get(path);
    if (known?.stamp === stamp) return known.etag;
    const hash = createHash('sha256');
    for await (const chunk of handle.createReadStream({ start: 0, autoClose: false })) hash.update(chunk as Buffer);
    const etag = tagOf(hash);
    if (this.#tags.size >= TAGS) this.#tags.clear();
    this.#tags.set(path, { stamp, etag });
    return etag;
  }
}

/** The Content-Security-Policy of a folder of files. */
export function policyOf({ policy }: FilesSpec): string {
  return policy ?? POLICY;
}

function tagOf(hash: Hash): string {
  return `"${hash.digest('base64url').slice(0, 22)}"`;
}

/** The file or folder below a folder; undefined where nothing is, a name is hidden, or a link lies on the way. */
async function locate(folder: string, segments: readonly string[]): Promise<Found | undefined> {
  if (segments.some((segment) => segment.startsWith('.'))) return undefined;
  try {
    const base = await realpath(folder);
    const path = join(base, ...segments);
    if ((await realpath(path)) !== path) return undefined;
    const stats = await lstat(path);
    if (!stats.isFile() && !stats.isDirectory()) return undefined;
    return { path, name: segments.at(-1) ?? '', isFolder: stats.isDirectory() };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** The links of a page in a folder are meant from within it. */
function toFolder({ path, search }: Target, ctx: Context, reply: Reply): void {
  const last = path.slice(path.lastIndexOf('/') + 1);
  redirect(`./${last}/`, search, ctx, reply);
}

/** Leads from `/agents/` to the page at `/agents`, behind a prefix too. */
export function toPage({ path, search }: Target, ctx: Context, reply: Reply): void {
  const last = path.slice(path.lastIndexOf('/', path.length - 2) + 1, -1);
  redirect(`../${last}`, search, ctx, reply);
}

function redirect(to: string, search: string, ctx: Context, reply: Reply): void {
  reply.setAll({ location: to + (search && `?${search}`), 'cache-control': 'no-cache' });
  reply.send(ctx, 308);
}

function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP';
}

/** Whether a client that asks again has what is there (RFC 9110, 13.1.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, ''))) ?? false;
}
