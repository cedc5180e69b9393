import type { SchemaTypes } from '../../schemas/types.ts';

/** The name of a schema under `$defs` of one of `schemas/*.json`. */
export type SchemaName = keyof SchemaTypes;

/** A JSON Schema (draft 2020-12) with the TypeScript type it describes, for plugins that bring their own shapes. */
export interface TypedSchema<T> {
  readonly schema: object;
  readonly type?: T;
}

export function typed<T>(schema: object): TypedSchema<T> {
  return { schema };
}

/** The shape of a value: a schema of this package by name, or a schema with its type. */
export type Contract = SchemaName | TypedSchema<any>;
export type TypeOf<K> = K extends SchemaName ? SchemaTypes[K] : K extends TypedSchema<infer T> ? T : never;
