import type { FieldProblem } from '../../../contracts/errors.ts';

/**
 * Reads one value of an untrusted structure: the result has the type, the bounds and the one spelling that the rest
 * of the system relies on. `undefined` means that a problem was noted.
 */
export interface Shape<T> {
  read(value: unknown, at: string, problems: FieldProblem[]): T | undefined;
}

export interface OptionalShape<T> extends Shape<T> {
  readonly optional: true;
  /** Whether an empty text reads as missing. */
  readonly empty?: true;
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type ValueOf<S> = S extends Shape<infer T> ? T : never;
type OptionalKeys<F extends Fields> = { [K in keyof F]: F[K] extends OptionalShape<unknown> ? K : never }[keyof F];
export type RecordOf<F extends Fields> = { [K in Exclude<keyof F, OptionalKeys<F>>]: ValueOf<F[K]> } & {
  [K in OptionalKeys<F>]?: ValueOf<F[K]>;
};

/** May be missing or null; both read as missing. */
export function optional<T>(shape: Shape<T>): OptionalShape<T> {
  return { optional: true, read: shape.read };
}

/** May also be an empty text, which reads as missing: the public network writes a missing hash that way. */
export function optionalOrEmpty<T>(shape: Shape<T>): OptionalShape<T> {
  return { optional: true, empty: true, read: shape.read };
}

/** An object with these members, in this order; others are left out. */
export function record<F extends Fields>(fields: F): Shape<RecordOf<F>> {
  const members = Object.entries(fields);
  return {
    read(value, at, problems) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return problem(problems, at, 'must be an object');
      }
      const result: Record<string, unknown> = {};
      for (const [name, shape] of members) {
        const member = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
        if (member === '' && 'empty' in shape) continue;
        if (member !== undefined && member !== null) result[name] = shape.read(member, `${at}/${name}`, problems);
        else if (!('optional' in shape)) problem(problems, `${at}/${name}`, 'is missing');
      }
      return problems.length === 0 ? (result as RecordOf<F>) : undefined;
    },
  };
}

/** At most `max` items; reading stops at the first that does not fit. */
export function list<T>(item: Shape<T>, max: number): Shape<T[]> {
  return {
    read(value, at, problems) {
      if (!Array.isArray(value)) return problem(problems, at, 'must be an array');
      if (value.length > max) return problem(problems, at, `must have at most ${max} items`);
      const result: T[] = [];
      for (const [index, each] of value.entries()) {
        const read = item.read(each, `${at}/${index}`, problems);
        if (read === undefined) return undefined;
        result.push(read);
      }
      return result;
    },
  };
}

/** A shape out of a function that returns undefined for a value that does not fit; `must` completes "it must be …". */
export function shapeOf<T>(must: string, read: (value: unknown) => T | undefined): Shape<T> {
  return {
    read(value, at, problems) {
      const result = read(value);
      return result === undefined ? problem(problems, at, `must be ${must}`) : result;
    },
  };
}

/** A shape whose value must also satisfy `holds`; `must` completes "it must …". */
export function where<T>(shape: Shape<T>, must: string, holds: (value: T) => boolean): Shape<T> {
  return {
    read(value, at, problems) {
      const result = shape.read(value, at, problems);
      return result === undefined || holds(result) ? result : problem(problems, at, `must ${must}`);
    },
  };
}

function problem(problems: FieldProblem[], pointer: string, message: string): undefined {
  problems.push({ pointer, message });
}
