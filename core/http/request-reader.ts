import type { Contracts, Reading } from '../contracts.ts';
import { invalidField, isMeshError, MeshError } from '../errors.ts';
import { folded, misspelt } from '../misspelling.ts';
import { RequestShapes, type Shape } from './request-shape.ts';
import type { Contract } from './route.ts';

/** Names of an answer's `ignored`, and characters of each. */
const MAX_NAMES = 20;
const MAX_NAME = 64;
const MAX_DEPTH = 32;

export interface Notes {
  /** What the request says and nobody knows, as the caller spelt it. */
  readonly ignored: string[];
  /** Pointers of members that the caller spells in another way, with that spelling. */
  readonly spelt: Map<string, string>;
}

export function noNotes(): Notes {
  return { ignored: [], spelt: new Map() };
}

/**
 * Reads what comes over HTTP liberally, by one rule for bodies, queries and frames: a member that is `null` is absent
 * unless its contract gives null a meaning, a known name may be written in camelCase, and names that nobody knows are
 * passed over and told. What is left is held against the contract.
 */
export class RequestReader {
  readonly #contracts: Contracts;
  readonly #shapes: RequestShapes;

  constructor(contracts: Contracts) {
    this.#contracts = contracts;
    this.#shapes = new RequestShapes(contracts);
  }

  /** The value as its contract wants it; `careful` as in `tidy`. */
  read(contract: Contract, value: unknown, reading: Reading, notes: Notes, careful = false): unknown {
    this.tidy(contract, value, notes, careful);
    return this.#contracts.validate(contract, value, reading);
  }

  /**
   * Applies the rule in place. `careful` refuses a name that looks like a misspelt known one, where leaving it out could
   * change what is agreed or paid.
   */
  tidy(contract: Contract, value: unknown, notes: Notes, careful = false): void {
    const shape = this.#shapes.of(contract);
    if (shape) tidy(shape, value, { careful, notes }, '', 0);
  }
}

/** Notes the names of a request of which nobody wants to know anything. */
export function ignoreAll(given: object, notes: Notes): void {
  for (const name of Object.keys(given)) ignore(name, notes);
}

interface Tidying {
  readonly careful: boolean;
  readonly notes: Notes;
}

function tidy(shape: Shape, value: unknown, how: Tidying, at: string, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    const items = shape.items();
    if (items) value.forEach((item, index) => void tidy(items, item, how, `${at}/${index}`, depth + 1));
    return;
  }
  const { members } = shape;
  if (!members) return;
  const object = value as Record<string, unknown>;
  for (const name of Object.keys(object)) {
    const known = members.has(name) ? name : rename(shape, object, name, how, at);
    if (known === undefined) continue;
    const member = members.get(known)!;
    if (object[known] === null) {
      if (!member.nullable) delete object[known];
    } else if (typeof object[known] === 'object') {
      const inner = member.shape();
      if (inner) tidy(inner, object[known], how, `${at}/${known}`, depth + 1);
    }
  }
}

/** Gives a member its known name; one that has none is taken out and told. */
function rename(
  { members, folded: names }: Shape,
  object: Record<string, unknown>,
  given: string,
  { careful, notes }: Tidying,
  at: string,
): string | undefined {
  const value = object[given];
  delete object[given];
  const known = names.get(folded(given));
  const pointer = `${at}/${escaped(given)}`;
  if (known !== undefined) {
    if (Object.hasOwn(object, known)) {
      throw invalidField(pointer, `is ${known}, which is there too: say once what is meant`);
    }
    object[known] = value;
    notes.spelt.set(`${at}/${known}`, pointer);
    return known;
  }
  if (careful && value !== null) {
    const meant = misspelt(
      given,
      [...members!.keys()].filter((name) => !Object.hasOwn(object, name)),
    );
    if (notes.ignored.length === MAX_NAMES)
      throw invalidField(pointer, `is not a known field, after ${MAX_NAMES} others`);
    if (meant) throw invalidField(pointer, `is not a known field; did you mean ${meant}?`);
  }
  ignore(`${at}/${given}`.slice(1), notes);
  return undefined;
}

function ignore(name: string, { ignored }: Notes): void {
  if (ignored.length < MAX_NAMES) ignored.push(name.slice(0, MAX_NAME));
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** An error in the caller's own spelling, which also names what was ignored: that may be what was meant. */
export function respelt(error: unknown, { ignored, spelt }: Notes): unknown {
  if ((ignored.length === 0 && spelt.size === 0) || !isMeshError(error)) return error;
  const { fields, detail, extra, ...rest } = error.details;
  const spelling = (pointer: string) => {
    for (const [known, given] of spelt) {
      if (pointer === known || pointer.startsWith(`${known}/`)) return given + pointer.slice(known.length);
    }
    return pointer;
  };
  const first = fields?.find(({ pointer }) => detail?.startsWith(`${pointer} `))?.pointer;
  return new MeshError(error.code, {
    ...rest,
    ...(detail !== undefined && { detail: first ? spelling(first) + detail.slice(first.length) : detail }),
    ...(fields && { fields: fields.map((field) => ({ ...field, pointer: spelling(field.pointer) })) }),
    extra: { ...extra, ...(ignored.length > 0 && { ignored }) },
  });
}
