import type { TransactionPart } from '../../messaging/extension-points.ts';
import { isRecord, kindOf } from '../../platform/kind-of.ts';
import { didYouMean } from '../../platform/nearest-name.ts';
import type { Face, Job } from '../../plugin.ts';
import { placeOfPattern } from '../loader/own-files.ts';
import { member, unknownMembers } from '../loader/plugin-shape.ts';

const MEMBERS: Readonly<Record<keyof Face, true>> = {
  provides: true,
  routes: true,
  guards: true,
  envelopes: true,
  inboundGates: true,
  receives: true,
  sends: true,
  indexes: true,
  ledgerEvents: true,
  jobs: true,
  preconditions: true,
  health: true,
  ready: true,
  stop: true,
};
const DECLARED = [
  'routes',
  'guards',
  'provides',
  'envelopes',
  'inboundGates',
  'receives',
  'sends',
  'indexes',
  'ledgerEvents',
] as const;
/** Those that are parts of transactions. */
const PARTS: readonly string[] = ['receives', 'sends', 'indexes', 'ledgerEvents'];
const HOOKS = ['health', 'ready', 'stop'] as const;

/** The face that setup returned does not fit. The message has the place, since no stack leads there. */
export class UnfitFace extends Error {
  override name = 'UnfitFace';
}

/** Throws unless setup returned what the face declares, nothing else, and functions where the node calls them. */
export function checkBound(spec: object, face: unknown, source: string | undefined): void {
  const [fault] = faults(spec, face);
  if (!fault) return;
  const place = source !== undefined && fault.find ? ` at ${placeOfPattern(source, fault.find)}` : '';
  throw new UnfitFace(`${fault.what}${place}${fault.hint === undefined ? '' : `; ${fault.hint}`}`);
}

interface Fault {
  readonly what: string;
  readonly hint?: string;
  readonly find?: RegExp;
}

function* faults(spec: object, face: unknown): Generator<Fault> {
  if (!isRecord(face)) {
    const hint = 'return an object such as { routes: { … } }, or {} when there is nothing to bind';
    yield { what: `setup returned ${kindOf(face)} and no face`, hint, find: /(?<![\w$.])setup\s*[:(]/ };
    return;
  }
  yield* declaredFaults(spec, face);
  yield* unknownMembers(face, Object.keys(MEMBERS), 'the face that setup returned');
  yield* preconditionFaults(spec, face);
  const { jobs = [] } = face as Face;
  for (const hook of HOOKS) {
    const value = face[hook];
    if (value === undefined || typeof value === 'function') continue;
    yield { what: `setup returned ${kindOf(value)} as ${hook}`, hint: `write ${hook}() { … }`, find: member(hook) };
  }
  if (!Array.isArray(jobs)) {
    const hint = "write jobs: [{ name: 'tidy', every: 60_000, run: async () => { … } }]";
    yield { what: `setup returned ${kindOf(jobs)} as jobs`, hint, find: member('jobs') };
    return;
  }
  const names = new Set<unknown>();
  for (const job of jobs as Partial<Job>[]) {
    yield* jobFaults(job);
    const { name } = Object(job) as Partial<Job>;
    if (names.has(name)) yield { what: `setup returned two jobs ${name}`, hint: 'give each a name of its own' };
    names.add(name);
  }
}

/** Setup binds every declared name, and no other. */
function* declaredFaults(spec: object, face: Record<string, unknown>): Generator<Fault> {
  for (const part of DECLARED) {
    const value = face[part] ?? {};
    if (!isRecord(value)) {
      yield { what: `setup returned ${kindOf(value)} as ${part}`, find: member(part) };
      continue;
    }
    const declared = boundNames((spec as Record<string, object>)[part] ?? {});
    const missing = declared.filter((key) => !isBound(part, value[key]));
    const extra = Object.keys(value).filter((key) => !declared.includes(key));
    const [first] = missing;
    if (first !== undefined) {
      const meant = extra.find((one) => didYouMean(one, missing) !== '');
      const hint = meant === undefined ? undefined : `is ${meant} meant for ${first}?`;
      const find = member(meant ?? first);
      const what = `it declares ${part} ${missing.join(', ')} but setup returned none`;
      yield { what, find, ...(hint !== undefined && { hint }) };
    }
    const [other] = extra;
    if (other !== undefined) {
      const meant = didYouMean(other, declared).slice(2);
      const hint = meant === '' ? `declare it under ${part} of the face, or leave it out` : meant;
      const what = `setup returned ${part} ${extra.join(', ')}, which it does not declare`;
      yield { what, hint, find: member(other) };
    }
  }
}

/** Each belongs to a route and is a function. */
function* preconditionFaults(spec: object, { preconditions = {} }: Record<string, unknown>): Generator<Fault> {
  const find = member('preconditions');
  if (!isRecord(preconditions)) {
    yield { what: `setup returned ${kindOf(preconditions)} as preconditions`, find };
    return;
  }
  const { routes = {} } = spec as { routes?: Readonly<Record<string, unknown>> };
  for (const [name, run] of Object.entries(preconditions)) {
    const isRoute = Object.hasOwn(routes, name) && Object(routes[name]).kind === 'route';
    const hint = didYouMean(name, Object.keys(routes)).slice(2);
    if (!isRoute)
      yield {
        what: `setup returned a precondition ${name}, and there is no such route`,
        find: member(name),
        ...(hint !== '' && { hint }),
      };
    else if (typeof run !== 'function')
      yield { what: `setup returned ${kindOf(run)} as the precondition ${name}`, find: member(name) };
  }
}

function isBound(part: (typeof DECLARED)[number], value: unknown): boolean {
  if (part === 'provides') return value !== undefined;
  if (!PARTS.includes(part)) return typeof value === 'function';
  // A function has an `apply` as well.
  const { reads, apply } = (isRecord(value) ? value : {}) as Partial<TransactionPart<unknown, unknown>>;
  return typeof apply === 'function' && (reads === undefined || typeof reads === 'function');
}

/** Everything but folders of files, which core serves by itself. */
function boundNames(declared: object): string[] {
  return Object.entries(declared).flatMap(([key, value]) => (Object(value).kind === 'files' ? [] : [key]));
}

function* jobFaults(job: Partial<Job>): Generator<Fault> {
  const find = /(?<![\w$.])jobs\s*[:(]/;
  const { name, every, first = 0, jitter = 0, due, run } = Object(job) as Partial<Job>;
  if (typeof name !== 'string' || name === '') {
    yield { what: 'a job has no name', hint: "write name: 'tidy'", find };
    return;
  }
  const its = `the job ${name}`;
  if (typeof run !== 'function') yield { what: `${its} has no run`, hint: 'write run: async () => { … }', find };
  if (due !== undefined && typeof due !== 'function')
    yield { what: `${its} has a due that is no function`, hint: 'write due: async (signal) => { … }', find };
  if (!(typeof every === 'number' && every > 0)) {
    yield { what: `${its} says every: ${every}`, hint: 'write the milliseconds between two runs, above 0', find };
  }
  if (!(typeof first === 'number' && first >= 0)) {
    yield { what: `${its} says first: ${first}`, hint: 'write the milliseconds to its first run, 0 or more', find };
  }
  if (!(typeof jitter === 'number' && jitter >= 0 && jitter <= 1)) {
    yield { what: `${its} says jitter: ${jitter}`, hint: 'write a share of every, from 0 to 1', find };
  }
}
