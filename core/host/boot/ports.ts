import type { Clock } from '../../platform/clock.ts';
import { messageOf, type Problem, wayOut } from '../../platform/problem.ts';
import type { Scope } from '../../platform/scope.ts';
import { tokenOf } from '../../platform/token.ts';
import type { Token, Uses } from '../../plugin.ts';
import type { Port, PortContext } from '../../provider.ts';
import { inOrder } from '../loader/order.ts';
import type { ServiceContainer } from './container.ts';

/** Ports by token, a later one in place of an earlier: that is how a caller overrides one. */
export function lastOfEach(ports: readonly Port[]): Port[] {
  return [...new Map(ports.map((port) => [port.token.key, port])).values()];
}

/** What is wrong with the ports before any is opened: missing or circular dependencies. */
export function checkPorts(
  ports: readonly Port[],
  given: readonly Token<any>[],
): { ordered: Port[]; problems: Problem[] } {
  const units = ports.map((port) => ({
    port,
    name: port.token.name,
    uses: Object.values((port.uses ?? {}) as Uses),
    provides: [port.token],
  }));
  const { ordered, problems } = inOrder(units, given);
  return { ordered: ordered.map(({ port }) => port), problems };
}

/** Opens every port in order, going on after a failure with those that do not depend on it. */
export async function openPorts(
  ordered: readonly Port[],
  services: ServiceContainer,
  context: Omit<PortContext, 'defer' | 'health'>,
  tell: (name: string, ...how: Parameters<PortContext['health']>) => void,
  scope: Scope,
  clock: Clock,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const failed = new Set<symbol>();
  for (const port of ordered) {
    const log = context.log.child({ port: port.token.name });
    const own = { log, defer: (undo: () => unknown) => scope.defer(undo) };
    const health: PortContext['health'] = (...how) => tell(port.token.name, ...how);
    services.declare(port, { ...context, ...own, health }, clock);
  }
  for (const { token, uses } of ordered) {
    if (Object.values((uses ?? {}) as Uses).some((used) => failed.has(tokenOf(used).key))) {
      failed.add(token.key);
      continue;
    }
    try {
      await services.open(token);
    } catch (error) {
      failed.add(token.key);
      const hint = wayOut(error);
      problems.push({ where: token.name, what: `could not be opened: ${messageOf(error)}`, ...(hint && { hint }) });
    }
  }
  return problems;
}
