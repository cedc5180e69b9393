import type { Contracts, Reading } from '../contracts/contracts.ts';
import { invalidField, isMeshError, MeshError } from '../contracts/errors.ts';
import type { Contract } from '../contracts/typed.ts';
import { folded, misspelt } from '../platform/nearest-name.ts';
import { type Shape, Shapes } from './shapes.ts';

/** Names of an answer's `ignored`, and characters of each. */
const MAX_NAMES = 20;
const MAX_NAME = 64;
const MAX_DEPTH = 32;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export interface Notes {
  /** Members of the request that nobody knows, as the caller spelt them. */
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
  readonly shapes: Shapes;
  readonly #contracts: Contracts;

  constructor(contracts: Contracts) {
    this.#contracts = contracts;
    this.shapes = new Shapes(contracts);
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
    const shape = this.shapes.of(contract);
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

/** Mends a value in place and gives it back; a text comes back in the one spelling of its kind. */
function tidy(shape: Shape, value: unknown, how: Tidying, at: string, depth: number): unknown {
  if (typeof value === 'string') return shape.id === 'conversation-id' ? conversationText(value) : value;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const items = shape.items();
    if (items)
      for (const index of value.keys()) value[index] = tidy(items, value[index], how, `${at}/${index}`, depth + 1);
    return value;
  }
  const object = value as Record<string, unknown>;
  for (const name of Object.keys(object)) {
    const known = shape.members.has(name) ? name : rename(shape, object, name, how, at);
    const member = known === undefined ? undefined : shape.members.get(known);
    if (known === undefined || !member) continue;
    const inner = member.shape();
    if (object[known] === null && !member.nullable) delete object[known];
    else if (inner) object[known] = tidy(inner, object[known], how, `${at}/${known}`, depth + 1);
  }
  return value;
}

/** A conversation id in lower case and without the dashes of a UUID. */
export function conversationText(text: string): string {
  return UUID.test(text) ? text.replaceAll('-', '').toLowerCase() : text.length === 32 ? text.toLowerCase() : text;
}

/** Gives a member its known name; one that has none is taken out and told. */
function rename(
  { members, folded: names, open }: Shape,
  object: Record<string, unknown>,
  given: string,
  { careful, notes }: Tidying,
  at: string,
): string | undefined {
  const known = names.get(folded(given));
  if (known === undefined && open) return undefined;
  const value = object[given];
  delete object[given];
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
      [...members.keys()].filter((name) => !Object.hasOwn(object, name)),
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

/**
 * An error in the caller's own spelling, which also names what was ignored: that may be what was meant. `within` is where
 * in the request the value stands that was read.
 */
export function respelt(error: unknown, { ignored, spelt }: Notes, within = ''): unknown {
  if ((ignored.length === 0 && spelt.size === 0 && within === '') || !isMeshError(error)) return error;
  const { fields, detail, extra, ...rest } = error.details;
  const spelling = (pointer: string) => {
    for (const [known, given] of spelt) {
      if (pointer === known || pointer.startsWith(`${known}/`)) return within + given + pointer.slice(known.length);
    }
    return within + pointer;
  };
  const first = fields?.find(({ pointer }) => detail?.startsWith(`${pointer} `))?.pointer;
  return new MeshError(error.code, {
    ...rest,
    ...(detail !== undefined && { detail: first ? spelling(first) + detail.slice(first.length) : detail }),
    ...(fields && { fields: fields.map((field) => ({ ...field, pointer: spelling(field.pointer) })) }),
    extra: { ...extra, ...(ignored.length > 0 && { ignored: ignored.map((name) => `${within}/${name}`.slice(1)) }) },
  });
}
