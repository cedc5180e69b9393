import type { EndpointSpec } from './route.ts';

export interface FilesSpec extends Omit<EndpointSpec<never>, 'params' | 'headers'> {
  readonly params?: undefined;
  readonly headers?: undefined;
  /** The folder, beside the plugin's own file: `new URL('./public/', import.meta.url)`. */
  readonly folder: URL;
  /**
   * The Content-Security-Policy of everything in it. Unless given, pages load what is served here and nothing else, without
   * inline scripts, and nobody frames them.
   */
  readonly policy?: string;
  /**
   * Files of the folder that stand at other paths too, such as `{ '/agents/:agent_id': 'agent.html' }`, for clients that ask for
   * text/html before JSON, as browsers do. Everybody else gets the answer of the endpoint that has the path, if there is one. The
   * links of such a file are meant from where it stands; with a slash behind its path, the answer is 308 to the path without it.
   */
  readonly pages?: Readonly<Record<`/${string}`, string>>;
  /**
   * Facts that stand in pages when they are sent: by the name of the file, the path of a GET route that everybody may call, such as
   * `/notes/:id` or `/notes?limit=20`. Its parameters are those of the page's own path; one with a query is asked where the page has none.
   * In the file `{{member}}`, `{{member.of.it}}` and `{{0.member}}` of a list give way to what the route answers then, `{{.}}` to all of
   * it as JSON, both written so that they are text in markup and in quoted attributes; a dash stands for what it does not answer. A file
   * with facts is at most 64 KiB.
   */
  readonly facts?: Readonly<Record<string, `/${string}`>>;
  /**
   * The file of the folder that browsers get, with the status 404, at an address where nothing is; everybody else gets the problem document.
   * In it `{{path}}` gives way to the address and `{{up}}` to the way from there to the root, such as `../../`, so that its links hold at
   * any depth and behind a prefix. A face has one, of at most 64 KiB.
   */
  readonly missing?: string;
}

export interface Files {
  readonly kind: 'files';
  /** Where the folder itself is. */
  readonly root: `/${string}`;
  /** Where its files are. */
  readonly path: `/${string}`;
  readonly spec: FilesSpec;
}

/**
 * Declares a folder of files that are served as they are, with `index.html` for each folder that has one. `setup` binds
 * nothing to it. No folder is listed; names that begin with a dot and symbolic links are not served. A file whose name holds
 * a hash of its content is kept by browsers for good, every other one is asked about again by its `etag`.
 */
export function files(root: `/${string}`, spec: FilesSpec): Files {
  const above = root.replace(/\/$/, '');
  return { kind: 'files', root: `/${above.slice(1)}`, path: `/${`${above}/*path`.slice(1)}`, spec };
}
