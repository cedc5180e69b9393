const HIDDEN = '(hidden)';

/** A URL as anybody may read it: user, password and query can be a key, and at RPCs so can the path. */
export function shownUrl(url: string, hidesPath = false): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname, username, password, search } = new URL(url);
  const isPathHidden = hidesPath && pathname !== '/';
  if (!username && !password && !search && !isPathHidden) return url;
  const user = username || password ? `${HIDDEN}@` : '';
  return `${protocol}//${user}${host}${isPathHidden ? `/${HIDDEN}` : pathname}${search && `?${HIDDEN}`}`;
}
