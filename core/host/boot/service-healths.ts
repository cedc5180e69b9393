import type { Clock } from '../../platform/clock.ts';
import { kindOf } from '../../platform/kind-of.ts';
import { within } from '../../platform/scope.ts';
import type { Health } from '../../plugin.ts';

/** A finding is believed so long, so that nobody can have the store asked all the time by asking `/ready`. */
const FRESH = 200;
/** All looks together; who takes longer is told of as it was. */
const PATIENCE = 900;

interface Service {
  readonly told: () => Health;
  readonly look: (() => Promise<void>) | undefined;
}

/** How the services are that were opened before the faces, and what finds it out. */
export class ServiceHealths {
  readonly #clock: Clock;
  readonly #services = new Map<string, Service>();
  readonly #underWay = new Map<string, Promise<void>>();
  #looking: Promise<void> | undefined;
  #looked = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(name: string, told: () => Health, look?: () => Promise<void>): void {
    this.#services.set(name, { told, look });
  }

  told(): Readonly<Record<string, Health>> {
    return Object.fromEntries([...this.#services].map(([name, { told }]) => [name, healthOf(told)]));
  }

  /** 1 for each that is well, 0 for each that is not. */
  well(): Readonly<Record<string, number>> {
    return Object.fromEntries(Object.entries(this.told()).map(([name, { state }]) => [name, state === 'ok' ? 1 : 0]));
  }

  /** Those who ask meanwhile wait for the same looks. */
  async look(): Promise<void> {
    if (this.#clock.now() - this.#looked < FRESH) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#looked = this.#clock.now();
    });
    await this.#looking;
  }

  async #look(): Promise<void> {
    const looks = [...this.#services].map(([name, { look }]) => this.#once(name, look));
    await within(this.#clock, PATIENCE, () => Promise.all(looks)).catch(() => {});
  }

  /** One that still goes on is waited for, not begun again. */
  #once(name: string, look: Service['look']): Promise<void> {
    const known = this.#underWay.get(name);
    if (known) return known;
    if (!look) return Promise.resolve();
    const looking = look().finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, looking);
    return looking;
  }
}

export function healthOf(told: () => Health): Health {
  let health: unknown;
  try {
    health = told();
  } catch {
    return { state: 'degraded', detail: 'its health cannot be told: its health function threw' };
  }
  if (isHealth(health)) return health;
  const remedy = "its author returns { state: 'ok' } or { state: 'degraded', detail: 'why' }";
  return {
    state: 'degraded',
    detail: `its health cannot be told: its health function returned ${kindOf(health)}`,
    remedy,
  };
}

function isHealth(value: unknown): value is Health {
  const { state, detail, remedy } = Object(value) as Partial<Health>;
  const isText = [detail, remedy].every((text) => text === undefined || typeof text === 'string');
  return (state === 'ok' || state === 'degraded') && isText;
}
