import type { Contracts } from '../contracts/contracts.ts';
import type { Contract } from '../contracts/typed.ts';
import { folded } from '../platform/nearest-name.ts';

/** The names and ids that a contract allows at one place. Inner shapes are made when first looked at. */
export interface Shape {
  readonly members: ReadonlyMap<string, Member>;
  /** Whether names beside those of `members` are taken. */
  readonly open: boolean;
  /** Known names without case and separators, so that `conversationId` finds `conversation_id`. */
  readonly folded: ReadonlyMap<string, string>;
  readonly items: () => Shape | undefined;
  /** Of values under names that are not known. */
  readonly others: () => Shape | undefined;
  /** Which id a text at this place is. */
  readonly id: IdKind | undefined;
}

export type IdKind = (typeof ID_KINDS)[number];

export interface Member {
  /** Whether its contract gives `null` a meaning. */
  readonly nullable: boolean;
  readonly shape: () => Shape | undefined;
}

const ID_KINDS = ['agent-id', 'conversation-id'] as const;

type Schema = Readonly<Record<string, any>>;

/** A schema with the file its references are relative to. */
interface Piece {
  readonly schema: Schema;
  readonly file: object;
}

const BRANCHES = ['allOf', 'anyOf', 'oneOf'] as const;
const SINGLE = ['then', 'else'] as const;
const NAMES_ITS_KIND = ['type', 'const', 'enum', '$ref', ...BRANCHES];

/** Shapes of contracts, each made once. */
export class Shapes {
  readonly #contracts: Contracts;
  readonly #known = new Map<Contract, Shape | undefined>();

  constructor(contracts: Contracts) {
    this.#contracts = contracts;
  }

  of(contract: Contract): Shape | undefined {
    if (!this.#known.has(contract)) {
      const schema = this.#contracts.schemaOf(contract) as Schema;
      const file = typeof contract === 'string' ? this.#fileOf(contract) : schema;
      this.#known.set(contract, this.#shapeOf([{ schema, file }]));
    }
    return this.#known.get(contract);
  }

  #fileOf(name: string): object {
    for (const document of this.#contracts.documents.values()) {
      if (Object.hasOwn((document as Schema)['$defs'] ?? {}, name)) return document;
    }
    return {};
  }

  #shapeOf(given: readonly Piece[]): Shape | undefined {
    const pieces = given.flatMap((piece) => this.#parts(piece));
    const found = new Map<string, Piece[]>();
    for (const { schema, file } of pieces) {
      for (const [name, member] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)) {
        found.set(name, [...(found.get(name) ?? []), { schema: member, file }]);
      }
    }
    const within = (keyword: 'items' | 'additionalProperties') =>
      pieces.flatMap(({ schema, file }) => (isSchema(schema[keyword]) ? [{ schema: schema[keyword], file }] : []));
    const [items, others] = [within('items'), within('additionalProperties')];
    const id = ID_KINDS.find((kind) => pieces.some(({ schema }) => schema === this.#contracts.schemaOf(kind)));
    if (found.size === 0 && items.length === 0 && others.length === 0 && id === undefined) return undefined;
    const members = [...found].map(([name, own]): [string, Member] => [
      name,
      { nullable: own.every((piece) => this.#takesNull(piece)), shape: later(() => this.#shapeOf(own)) },
    ]);
    return {
      members: new Map(members),
      open: found.size === 0 || pieces.some(({ schema }) => takesAnyName(schema)),
      folded: new Map(members.map(([name]) => [folded(name), name])),
      items: later(() => (items.length > 0 ? this.#shapeOf(items) : undefined)),
      others: later(() => (others.length > 0 ? this.#shapeOf(others) : undefined)),
      id,
    };
  }

  /** The schema with all that may speak of the same value. */
  #parts(piece: Piece, seen = new Set<Schema>()): Piece[] {
    const { schema, file } = piece;
    if (seen.has(schema)) return [];
    seen.add(schema);
    const target = this.#target(piece);
    const inner = [
      ...BRANCHES.flatMap((keyword) => (schema[keyword] ?? []) as Schema[]),
      ...SINGLE.flatMap((keyword) => (isSchema(schema[keyword]) ? [schema[keyword] as Schema] : [])),
    ].map((one) => ({ schema: one, file }));
    return [piece, ...[...(target ? [target] : []), ...inner].flatMap((one) => this.#parts(one, seen))];
  }

  #target({ schema, file }: Piece): Piece | undefined {
    const ref: unknown = schema['$ref'];
    if (typeof ref !== 'string') return undefined;
    const [id = '', pointer = ''] = ref.split('#');
    const document = id === '' ? file : this.#contracts.documents.get(id);
    const target = pointer
      .split('/')
      .slice(1)
      .reduce<any>((at, name) => at?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], document);
    return isSchema(target) ? { schema: target, file: document! } : undefined;
  }

  #takesNull(piece: Piece, depth = 0): boolean {
    const { schema, file } = piece;
    if (depth > 16) return false;
    if (!NAMES_ITS_KIND.some((keyword) => keyword in schema)) return true;
    const takes = (one: Schema) => this.#takesNull({ schema: one, file }, depth + 1);
    const target = this.#target(piece);
    return (
      (schema['type'] === undefined || [schema['type']].flat().includes('null')) &&
      (!('const' in schema) || schema['const'] === null) &&
      (schema['enum'] === undefined || schema['enum'].includes(null)) &&
      (target === undefined || this.#takesNull(target, depth + 1)) &&
      (schema['allOf'] ?? []).every(takes) &&
      (schema['anyOf'] === undefined || schema['anyOf'].some(takes)) &&
      (schema['oneOf'] === undefined || schema['oneOf'].some(takes))
    );
  }
}

function takesAnyName({ additionalProperties, unevaluatedProperties, patternProperties }: Schema): boolean {
  const others = additionalProperties ?? unevaluatedProperties ?? false;
  return others !== false || patternProperties !== undefined;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function later<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
