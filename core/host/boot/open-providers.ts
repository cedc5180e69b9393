import type { Clock } from '../../platform/clock.ts';
import { messageOf, type Problem, remedyOf } from '../../platform/problem.ts';
import type { Scope } from '../../platform/scope.ts';
import { tokenOf } from '../../platform/token.ts';
import type { Token, Uses } from '../../plugin.ts';
import type { Provider, ProviderContext } from '../../provider.ts';
import { inOrder } from '../loader/order.ts';
import type { ServiceContainer } from './container.ts';

/** Providers by token, a later one in place of an earlier: that is how a caller overrides one. */
export function lastOfEach(providers: readonly Provider[]): Provider[] {
  return [...new Map(providers.map((provider) => [provider.token.key, provider])).values()];
}

/** The faults of the providers before any is opened: missing or circular dependencies. */
export function checkProviders(
  providers: readonly Provider[],
  given: readonly Token<any>[],
): { ordered: Provider[]; problems: Problem[] } {
  const units = providers.map((provider) => ({
    provider,
    name: provider.token.name,
    uses: Object.values((provider.uses ?? {}) as Uses),
    provides: [provider.token],
  }));
  const { ordered, problems } = inOrder(units, given);
  return { ordered: ordered.map(({ provider }) => provider), problems };
}

/** Opens every provider in order, going on after a failure with those that do not depend on it. */
export async function openProviders(
  ordered: readonly Provider[],
  services: ServiceContainer,
  context: Omit<ProviderContext, 'defer' | 'health'>,
  tell: (name: string, ...how: Parameters<ProviderContext['health']>) => void,
  scope: Scope,
  clock: Clock,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const failed = new Set<symbol>();
  for (const provider of ordered) {
    const log = context.log.child({ provider: provider.token.name });
    const own = { log, defer: (undo: () => unknown) => scope.defer(undo) };
    const health: ProviderContext['health'] = (...how) => tell(provider.token.name, ...how);
    services.declare(provider, { ...context, ...own, health }, clock);
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
      const hint = remedyOf(error);
      problems.push({ where: token.name, what: `could not be opened: ${messageOf(error)}`, ...(hint && { hint }) });
    }
  }
  return problems;
}
