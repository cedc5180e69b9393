import type { BoundGuard, Served } from '../../http/served.ts';
import { guardWithout, saleOf, type Till } from '../../http/till.ts';
import type { Problem } from '../../platform/problem.ts';
import type { Declarations } from '../loader/declarations.ts';
import type { StandingFace } from './faces.ts';

/** Joins every declaration with its handler and its guard. Endpoints of faces that were left out are not served. */
export function mount(
  declarations: Declarations,
  standing: readonly StandingFace[],
  builtIn: ReadonlyMap<string, BoundGuard>,
  till: Till | undefined,
): { served: Served[]; problems: Problem[] } {
  const guards = new Map(builtIn);
  for (const { face } of standing) {
    for (const [name, admit] of Object.entries((face.guards ?? {}) as Record<string, BoundGuard['admit']>)) {
      guards.set(name, { name, spec: declarations.guards.get(name), admit });
    }
  }
  const faces = new Map(standing.map((one) => [one.planned.name, one]));
  const served: Served[] = [];
  const problems: Problem[] = [];
  for (const { plugin, name, endpoint } of declarations.endpoints) {
    const owner = faces.get(plugin);
    if (!owner) continue;
    const sale = saleOf(endpoint);
    const guard = sale ? (till?.guardOf(sale) ?? guardWithout) : guards.get(endpoint.spec.auth);
    const handler = (owner.face.routes as Record<string, Served['handler']> | undefined)?.[name];
    const precondition = owner.face.preconditions?.[name];
    if (guard && (handler || endpoint.kind === 'files'))
      served.push({ plugin, name, endpoint, handler, guard, log: owner.log, ...(precondition && { precondition }) });
    else problems.push({ where: plugin, what: `its guard ${endpoint.spec.auth} belongs to a plugin that failed` });
  }
  return { served, problems };
}
