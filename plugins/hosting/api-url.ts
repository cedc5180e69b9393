import { invalidField } from '../../core/plugin.ts';

/** The address as it is listed, without a slash at its end. */
export function urlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidField('/api_url', 'must be an http or https URL');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw invalidField('/api_url', 'must have no user, password, query or fragment');
  return url.href.replace(/\/+$/, '');
}
