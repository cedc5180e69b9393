import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Settings, Store } from '../../internal-services.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { holds } from '../../platform/permissions.ts';
import { thrownMessage } from '../../platform/place-of.ts';
import type { Problem } from '../../platform/problem.ts';
import { Scope, within } from '../../platform/scope.ts';
import { tokenOf } from '../../platform/token.ts';
import type { Context, Face, Token } from '../../plugin.ts';
import type { Asker } from '../../provider.ts';
import { faceOf } from '../loader/declarations.ts';
import { checkBound, UnfitFace } from './bound-face.ts';
import type { ServiceContainer } from './container.ts';
import type { PlannedFace } from './plan.ts';

const SETUP_DEADLINE = 10_000;
const STOP_DEADLINE = 5_000;

/** A face that has been set up. */
export interface StandingFace {
  readonly planned: PlannedFace;
  readonly face: Face;
  readonly log: Log;
  readonly ms: number;
  /** Runs its `stop`, then what it deferred. */
  close(): Promise<Problem[]>;
}

export interface FaceTools {
  readonly settings: Settings;
  readonly services: ServiceContainer;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  url(): string;
  note(text: string): void;
}

/**
 * Sets one face up: gives it its services and context, checks that it bound what it declared, and offers what it
 * provides to others. When anything fails, what it deferred is undone and the reason is thrown.
 */
export async function setUpFace(planned: PlannedFace, tools: FaceTools): Promise<StandingFace> {
  const { services, clock, settings } = tools;
  const missing = planned.uses.filter((used) => !('optional' in used) && !services.has(tokenOf(used)));
  if (missing.length > 0) {
    const names = missing.map((used) => tokenOf(used).name).join(', ');
    throw new Error(`it was not set up because what provides ${names} failed`);
  }
  const { name, held, named } = planned;
  const spec = faceOf(planned.loaded, settings.profile);
  const log = tools.log.child({ plugin: name });
  const scope = new Scope(name, clock);
  const began = clock.now();
  try {
    const context = contextOf(planned, tools, log, scope);
    const isForeign = planned.loaded.from === 'file' || planned.loaded.from === 'package';
    const may = (permission: string) => holds(held, permission);
    const asker: Asker = { name, isForeign, may, named: (one) => named.has(one) };
    const face: Face = await within(clock, SETUP_DEADLINE, () =>
      spec.setup(services.services(spec.uses, asker), context),
    );
    checkBound(spec, face, planned.loaded.url);
    for (const [key, token] of Object.entries((spec.provides ?? {}) as Record<string, Token<unknown>>)) {
      services.provide(token, (face.provides as Record<string, unknown>)[key]);
    }
    return { planned, face, log, ms: clock.now() - began, close: () => closeFace(name, face, scope, clock) };
  } catch (error) {
    const problems = await scope.close();
    const also = problems.map(({ what }) => what).join('; ');
    const what = error instanceof UnfitFace ? error.message : thrownMessage(error);
    throw new Error(`setup failed: ${what}${also && ` (and ${also})`}`, { cause: error });
  }
}

function contextOf({ name, config }: PlannedFace, tools: FaceTools, log: Log, scope: Scope): Context {
  const { services, settings } = tools;
  return {
    name,
    profile: settings.profile,
    config,
    log,
    signal: tools.signal,
    url: () => tools.url(),
    note: (text) => tools.note(text),
    defer: (undo) => scope.defer(undo),
    get space() {
      const store = services.get(Store);
      if (!store) throw new Error('this node has no store');
      return store.space(name);
    },
    async folder() {
      const folder = join(settings.dataDir, 'plugins', name);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
  };
}

async function closeFace(name: string, face: Face, scope: Scope, clock: Clock): Promise<Problem[]> {
  const problems: Problem[] = [];
  try {
    await within(clock, STOP_DEADLINE, () => face.stop?.());
  } catch (error) {
    problems.push({ where: name, what: `stop failed: ${thrownMessage(error)}` });
  }
  return [...problems, ...(await scope.close())];
}
