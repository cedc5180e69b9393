import { Container, type ServiceIdentifier } from 'inversify';
import type { Clock } from '../../platform/clock.ts';
import { within } from '../../platform/scope.ts';
import type { Optional, Services, Token, Uses } from '../../plugin.ts';
import type { Port, PortContext } from '../../provider.ts';

const OPEN_DEADLINE = 30_000;

/** The services of one node by token: core's ports, and what faces provide. One container, everything a singleton. */
export class ServiceContainer {
  readonly #container = new Container({ defaultScope: 'Singleton' });

  has(token: Token<unknown>): boolean {
    return this.#container.isBound(token.key);
  }

  /** Undefined when nothing provides it, or it has not been opened yet. */
  get<T>(token: Token<T>): T | undefined {
    return this.has(token) ? this.#container.get<T>(token.key as ServiceIdentifier<T>) : undefined;
  }

  provide<T>(token: Token<T>, service: T): void {
    this.#container.bind<T>(token.key as ServiceIdentifier<T>).toConstantValue(service);
  }

  /** Says how a port is made; nothing is opened yet. Its dependencies were checked by the caller. */
  declare(port: Port, context: PortContext, clock: Clock): void {
    const uses = Object.entries((port.uses ?? {}) as Uses);
    const dependencies = uses.map(([, used]) => ({
      serviceIdentifier: tokenOf(used).key as ServiceIdentifier<unknown>,
      optional: 'optional' in used,
    }));
    this.#container
      .bind<unknown>(port.token.key as ServiceIdentifier<unknown>)
      .toResolvedValue((...services: unknown[]) => {
        const named = Object.fromEntries(uses.map(([name], index) => [name, services[index]]));
        return within(clock, OPEN_DEADLINE, () => port.open(named, context));
      }, dependencies as never);
  }

  /** Opens a declared port, and first those it uses. */
  open<T>(token: Token<T>): Promise<T> {
    return this.#container.getAsync<T>(token.key as ServiceIdentifier<T>);
  }

  /** The services a face asked for, under the names it gave them. */
  services<U extends Uses>(uses: U | undefined): Services<U> {
    const entries = Object.entries((uses ?? {}) as Uses).map(([name, used]) => [name, this.get(tokenOf(used))]);
    return Object.fromEntries(entries) as Services<U>;
  }
}

export function tokenOf<T>(used: Token<T> | Optional<T>): Token<T> {
  return 'optional' in used ? used.optional : used;
}
