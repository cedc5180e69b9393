const HIDDEN = '(hidden)';

/** A URL as anybody may read it: user, password and query can be a key. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname, username, password, search } = new URL(url);
  if (!username && !password && !search) return url;
  return `${protocol}//${username || password ? `${HIDDEN}@` : ''}${host}${pathname}${search && `?${HIDDEN}`}`;
}
