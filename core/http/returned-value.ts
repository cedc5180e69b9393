import { kindOf } from '../platform/kind-of.ts';
import type { Mounted, ServedRoute } from './served.ts';

/** A handler that forgot its reply, or returned what cannot be sent as it. */
export function unfit({ line, plugin }: Mounted<ServedRoute>, value: unknown, fit: string): Error {
  const what = `the handler of ${line} in the plugin ${plugin} returned ${kindOf(value)}, but the route declares a reply`;
  return new Error(`${what}; return ${fit}, or declare no reply`);
}

/** Numbers and truth values are left over by arrow functions such as `() => watchers.delete(watcher)`. */
function isReply(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

/** Once for a route: its answers have no body, whatever its handler returns. */
export function tellUndeclared({ endpoint, line, plugin, log }: Mounted<ServedRoute>, value: unknown): void {
  if (!isReply(value) || undeclared.has(endpoint)) return;
  undeclared.add(endpoint);
  const what = `the handler of ${line} in the plugin ${plugin} returned ${kindOf(value)}, which nobody gets`;
  log.warn({ route: line }, `${what}, because the route declares no reply; write reply: typed({ … })`);
}
const undeclared = new WeakSet<object>();
