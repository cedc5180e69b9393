import type { Contracts } from '../../contracts/contracts.ts';
import type { Contract } from '../../contracts/typed.ts';
import type { Schema } from './example.ts';

const LOCAL = '#/components/schemas/';

/** The schemas a document refers to, collected while it is written; references point into the document. */
export class Components {
  readonly #contracts: Contracts;
  readonly #schemas = new Map<string, Schema>();

  constructor(contracts: Contracts) {
    this.#contracts = contracts;
  }

  /** The form of a contract in the document: a reference to a named schema, or the schema itself. */
  use(contract: Contract): Schema {
    if (typeof contract !== 'string') return this.#localised(contract.schema as Schema, '') as Schema;
    this.#add(contract, this.#contracts.schemaOf(contract), this.#fileOf(contract));
    return { $ref: LOCAL + contract };
  }

  /** The schema itself, for what is taken apart and referred to by nothing. */
  inline(contract: Contract): Schema {
    const file = typeof contract === 'string' ? this.#fileOf(contract) : '';
    return this.#localised(this.#contracts.schemaOf(contract), file) as Schema;
  }

  resolve(ref: string): Schema | undefined {
    return this.#schemas.get(ref.slice(LOCAL.length));
  }

  schemas(): Record<string, Schema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #add(name: string, schema: object, file: string): void {
    if (this.#schemas.has(name)) return;
    this.#schemas.set(name, {});
    this.#schemas.set(name, this.#localised(schema, file) as Schema);
  }

  #localised(value: unknown, file: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#localised(item, file));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
        if (key === '$id' || key === '$schema') return [];
        if (key === '$ref' && typeof inner === 'string') return [[key, this.#reference(inner, file)]];
        if (key === 'examples' || key === 'default' || key === 'const' || key === 'enum') return [[key, inner]];
        return [[key, this.#localised(inner, file)]];
      }),
    );
  }

  #reference(ref: string, file: string): string {
    const [document = '', pointer = ''] = ref.split('#');
    const id = document || file;
    const target = this.#contracts.documents.get(id) as { $defs?: Record<string, object> } | undefined;
    const name = pointer.startsWith('/$defs/') ? pointer.slice('/$defs/'.length) : id.replaceAll('/', '.');
    const schema = pointer.startsWith('/$defs/') ? target?.$defs?.[name] : target;
    if (schema) this.#add(name, schema, id);
    return LOCAL + name;
  }

  #fileOf(name: string): string {
    for (const [file, document] of this.#contracts.documents) {
      if (Object.hasOwn((document as { $defs?: object }).$defs ?? {}, name)) return file;
    }
    return '';
  }
}
