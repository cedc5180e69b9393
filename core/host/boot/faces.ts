import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Settings, Store } from '../../internal-services.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { holds } from '../../platform/permissions.ts';
import { messageOf, type Problem } from '../../platform/problem.ts';
import { Scope, within } from '../../platform/scope.ts';
import { tokenOf } from '../../platform/token.ts';
import type { Context, Face, Token } from '../../plugin.ts';
import { faceOf } from '../loader/declarations.ts';
import type { ServiceContainer } from './container.ts';
import { placeOf } from './place-of.ts';
import type { PlannedFace } from './plan.ts';

const SETUP_DEADLINE = 10_000;
const STOP_DEADLINE = 5_000;

/** A face that has been set up. */
export interface StandingFace {
  readonly planned: PlannedFace;
  readonly face: Face<any, any, any>;
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
  const { name, held } = planned;
  const spec = faceOf(planned.loaded, settings.profile);
  const log = tools.log.child({ plugin: name });
  const scope = new Scope(name, clock);
  const began = clock.now();
  try {
    const context = contextOf(planned, tools, log, scope);
    const face: Face<any, any, any> = await within(clock, SETUP_DEADLINE, () =>
      spec.setup(services.services(spec.uses, { name, may: (permission) => holds(held, permission) }), context),
    );
    checkBound(spec, face);
    for (const [key, token] of Object.entries((spec.provides ?? {}) as Record<string, Token<unknown>>)) {
      services.provide(token, (face.provides as Record<string, unknown>)[key]);
    }
    return { planned, face, log, ms: clock.now() - began, close: () => closeFace(name, face, scope, clock) };
  } catch (error) {
    const problems = await scope.close();
    const also = problems.map(({ what }) => what).join('; ');
    const place = placeOf(error);
    const where = place === undefined ? '' : ` at ${place}`;
    throw new Error(`setup failed: ${messageOf(error)}${where}${also && ` (and ${also})`}`, { cause: error });
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

/** What was declared must be bound, and nothing else. */
function checkBound(spec: object, face: unknown): void {
  if (typeof face !== 'object' || face === null) throw new Error('setup returned no face');
  for (const part of ['routes', 'guards', 'provides'] as const) {
    const declared = boundNames((spec as Record<string, object>)[part] ?? {});
    const bound = (face as Record<string, Record<string, unknown>>)[part] ?? {};
    const missing = declared.filter((key) =>
      part === 'provides' ? bound[key] === undefined : typeof bound[key] !== 'function',
    );
    if (missing.length > 0) throw new Error(`it declares ${part} ${missing.join(', ')} but setup returned none`);
    const extra = Object.keys(bound).filter((key) => !declared.includes(key));
    if (extra.length > 0) throw new Error(`setup returned ${part} ${extra.join(', ')}, which it does not declare`);
  }
}

/** Everything but folders of files, which core serves by itself. */
function boundNames(declared: object): string[] {
  return Object.entries(declared).flatMap(([key, { kind }]: [string, { kind?: unknown }]) =>
    kind === 'files' ? [] : [key],
  );
}

async function closeFace(name: string, face: Face<any, any, any>, scope: Scope, clock: Clock): Promise<Problem[]> {
  const problems: Problem[] = [];
  try {
    await within(clock, STOP_DEADLINE, () => face.stop?.());
  } catch (error) {
    problems.push({ where: name, what: `stop failed: ${messageOf(error)}` });
  }
  return [...problems, ...(await scope.close())];
}
