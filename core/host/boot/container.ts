import { Container, type ServiceIdentifier } from 'inversify';
import type { Clock } from '../../platform/clock.ts';
import { within } from '../../platform/scope.ts';
import { needsOf, type Services, type Token, tokenOf, type Uses } from '../../platform/token.ts';
import { type Asker, PerPlugin, type Provider, type ProviderContext } from '../../provider.ts';

const OPEN_DEADLINE = 30_000;
/** Core's own parts may do everything. */
const CORE: Asker = { name: 'core', may: () => true, named: () => true };

/** The services of one node by token: core's providers, and what faces provide. One container, everything a singleton. */
export class ServiceContainer {
  readonly #container = new Container({ defaultScope: 'Singleton' });

  has(token: Token<unknown>): boolean {
    return this.#container.isBound(token.key);
  }

  /** Undefined when nothing provides it, or it has not been opened yet. */
  get<T>({ key, name }: Token<T>, asker = CORE): T | undefined {
    const token: Token<T> = { key, name };
    if (!this.has(token)) return undefined;
    const needed = needsOf(token);
    // The plan has checked what the plugin said then; what it says now is what it gets.
    if (needed.length > 0 && !needed.some((permission) => asker.may(permission)))
      throw new Error(`it uses ${name} without the permission ${needed.join(' or ')}`);
    const service = this.#container.get<T | PerPlugin<T>>(key as ServiceIdentifier<T>);
    return serviceFor(asker, service);
  }

  provide<T>(token: Token<T>, service: T): void {
    this.#container.bind<T>(token.key as ServiceIdentifier<T>).toConstantValue(service);
  }

  /** Says how a provider is made; nothing is opened yet. Its dependencies were checked by the caller. */
  declare(provider: Provider, context: ProviderContext, clock: Clock): void {
    const uses = Object.entries((provider.uses ?? {}) as Uses);
    const dependencies = uses.map(([, used]) => ({
      serviceIdentifier: tokenOf(used).key as ServiceIdentifier<unknown>,
      optional: 'optional' in used,
    }));
    this.#container
      .bind<unknown>(provider.token.key as ServiceIdentifier<unknown>)
      .toResolvedValue((...services: unknown[]) => {
        const named = Object.fromEntries(uses.map(([name], index) => [name, serviceFor(CORE, services[index])]));
        return within(clock, OPEN_DEADLINE, () => provider.open(named, context));
      }, dependencies as never);
  }

  /** Opens a declared provider, and first those it uses. */
  open<T>(token: Token<T>): Promise<T> {
    return this.#container.getAsync<T>(token.key as ServiceIdentifier<T>);
  }

  /** The services a face asked for, under the names it gave them. */
  services<U extends Uses>(uses: U | undefined, asker: Asker): Services<U> {
    const entries = Object.entries((uses ?? {}) as Uses).map(([name, used]) => [name, this.get(tokenOf(used), asker)]);
    return Object.fromEntries(entries) as Services<U>;
  }
}

function serviceFor<T>(asker: Asker, service: T | PerPlugin<T>): T {
  return service instanceof PerPlugin ? service.of(asker) : service;
}
