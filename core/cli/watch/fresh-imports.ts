import { register } from 'node:module';
import { importDefault } from '../../host/loader/import-default.ts';

const MARK = 'mesh-watch';

/**
 * The loader marks the own files that a marked module imports, so that it reads a whole plugin again and not only its
 * first file; packages stay as they are.
 */
const HOOKS = `
  export async function resolve(name, context, next) {
  const found = await next(name, context);
  const mark = /[?]${MARK}=\\d+$/.exec(context.parentURL ?? '')?.[0];
  const own = found.url.startsWith('file:') && !found.url.includes('/node_modules/') && !found.url.includes('?');
  return mark && own && name.startsWith('.') ? { ...found, url: found.url + mark } : found;
}
`;

let isRegistered = false;

/** Imports a plugin as it stands on disk at this reading; the same reading gives the same modules again. */
export function readingOf(reading: number): (url: string) => Promise<unknown> {
  if (!isRegistered) register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
  isRegistered = true;
  return (url) => importDefault(`${url}?${MARK}=${reading}`);
}
