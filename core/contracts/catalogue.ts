import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { type Check, CompiledContracts } from './compiled.ts';
import { compilerOf, type Engine, fills } from './engine.ts';
import { prepared } from './preparation.ts';
import type { Contract, TypedSchema } from './typed.ts';

interface SchemaFile {
  readonly $defs?: Readonly<Record<string, object>>;
}

/** A schema of our files: where it stands, and what it says. */
interface NamedSchema {
  readonly document: string;
  readonly pointer: string;
  readonly schema: object;
}

/** A compiler, and the documents it has. */
interface Compiler {
  readonly ajv: Ajv2020;
  readonly has: Set<string>;
}

/**
 * A set of schema documents with what was compiled of it. It never changes: another document makes another catalogue, the same one
 * each time, so nodes of one process that have the same plugins share the work. The build has compiled the schemas of our own files
 * (docs/decisions/041); what it has not is compiled when it is needed, in the catalogue of these files alone.
 */
export class Catalogue {
  readonly documents: ReadonlyMap<string, object>;
  /** Of the texts of our own files. */
  readonly digest: string;
  readonly #named: ReadonlyMap<string, NamedSchema>;
  /** The catalogue of our own files, for one that has more. */
  readonly #ours: Catalogue | undefined;
  readonly #larger = new WeakMap<object, Catalogue>();
  readonly #compiled: CompiledContracts | undefined;
  readonly #compilers = new Map<Engine, Compiler>();
  readonly #checks: Readonly<Record<Engine, Map<string, Check>>> = {
    plain: new Map(),
    exact: new Map(),
    input: new Map(),
    large: new Map(),
    query: new Map(),
  };
  readonly #typedChecks = new WeakMap<object, Partial<Record<Engine, Check>>>();
  readonly #refersBeyond = new WeakMap<object, boolean>();
  readonly #prepared = { exact: new WeakMap<object, object>(), filled: new WeakMap<object, object>() };

  private constructor(
    documents: ReadonlyMap<string, object>,
    named: ReadonlyMap<string, NamedSchema>,
    digest: string,
    ours: Catalogue | undefined,
  ) {
    this.documents = documents;
    this.#named = named;
    this.digest = digest;
    this.#ours = ours;
    this.#compiled = ours ? undefined : CompiledContracts.of(digest, documents);
  }

  /** Every schema under `$defs` of a file of the folder has its name. */
  static read(folder: string): Catalogue {
    const documents = new Map<string, object>();
    const named = new Map<string, NamedSchema>();
    const digest = createHash('sha256');
    const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
    for (const file of files.sort()) {
      const text = readFileSync(join(folder, file), 'utf8');
      digest.update(`${file} ${text.length}\n${text}`);
      const { $schema: _, ...document } = JSON.parse(text) as { $schema?: string };
      documents.set(file, document);
      for (const [name, schema] of Object.entries((document as SchemaFile).$defs ?? {})) {
        named.set(name, { document: file, pointer: `/$defs/${name}`, schema });
      }
    }
    return new Catalogue(documents, named, digest.digest('hex').slice(0, 32), undefined);
  }

  /** The catalogue with a document more, which others refer to by its `$id`. */
  with(document: object): Catalogue {
    const id = (document as { $id?: string }).$id;
    if (!id) throw new Error('a schema needs an $id');
    const known = this.documents.get(id);
    if (known === document) return this;
    if (known) throw new Error(`the schema ${id} is already there`);
    const larger =
      this.#larger.get(document) ??
      new Catalogue(new Map([...this.documents, [id, document]]), this.#named, this.digest, this.#ours ?? this);
    this.#larger.set(document, larger);
    return larger;
  }

  has(name: string): boolean {
    return this.#named.has(name) || this.documents.has(name);
  }

  /** Whether the name is that of a schema of our own files. */
  isOurs(name: string): boolean {
    return this.#named.has(name);
  }

  schemaOf(contract: Contract): object {
    if (typeof contract !== 'string') return contract.schema;
    const entry = this.#named.get(contract);
    if (!entry) throw new Error(`there is no schema named ${contract}`);
    return entry.schema;
  }

  /** Throws unless what a plugin brings is a schema. */
  requireSchema(contract: Contract): void {
    if (typeof contract !== 'string') this.#compiler('plain').ajv.validateSchema(contract.schema, true);
  }

  /** The compiled contract. */
  check(contract: Contract, engine: Engine): Check {
    if (typeof contract === 'string') return this.#namedCheck(contract, engine);
    if (this.#ours && !this.#refersToMore(contract.schema)) return this.#ours.check(contract, engine);
    const kept = this.#typedChecks.get(contract) ?? {};
    this.#typedChecks.set(contract, kept);
    kept[engine] ??= this.#compiled?.typed(engine, contract.schema) ?? this.#compile(contract.schema, engine);
    return kept[engine];
  }

  /** Whether the build has compiled what a plugin or a face brings, so that nothing is wrong with it. */
  isCompiled({ schema }: TypedSchema<unknown>): boolean {
    return (this.#ours ?? this).#compiled?.typed('plain', schema) !== undefined;
  }

  /** Whether a schema needs no document but ours. */
  refersToOurs(schema: object): boolean {
    return refsIn(schema).every((ref) => this.#isOur(documentOf(ref)));
  }

  #compile(schema: object, engine: Engine): Check {
    return this.#knowing(refsIn(schema), engine).compile(this.prepared(schema, engine));
  }

  /** A compiler that has all documents, and keeps the code of what it compiles when it is asked to. */
  compiler(engine: Engine, options?: { readonly source?: boolean }): Ajv2020 {
    const compiler = { ajv: compilerOf(engine, options), has: new Set<string>() };
    for (const id of this.documents.keys()) this.#add(compiler, id, engine);
    return compiler.ajv;
  }

  /** Whether a schema needs a document that is not ours. */
  #refersToMore(schema: object): boolean {
    const known = this.#refersBeyond.get(schema);
    if (known !== undefined) return known;
    const refers = !this.refersToOurs(schema);
    this.#refersBeyond.set(schema, refers);
    return refers;
  }

  #namedCheck(name: string, engine: Engine): Check {
    const kept = this.#checks[engine];
    const known = kept.get(name);
    if (known) return known;
    const check = this.#ours && this.isOurs(name) ? this.#ours.#namedCheck(name, engine) : this.#found(name, engine);
    kept.set(name, check);
    return check;
  }

  /** The contract as it was compiled, or compiled now. */
  #found(name: string, engine: Engine): Check {
    const { document, pointer } = this.#named.get(name) ?? { document: name, pointer: '' };
    const made = this.#compiled?.check(engine, document, pointer);
    if (made) return made;
    const id = pointer === '' ? document : `${document}#${pointer}`;
    const check = this.documents.has(document) && this.#knowing([document], engine).getSchema(`/${id}`);
    if (!check) throw new Error(`there is no schema named ${name}`);
    return check;
  }

  #compiler(engine: Engine): Compiler {
    const known = this.#compilers.get(engine);
    if (known) return known;
    const compiler = { ajv: compilerOf(engine), has: new Set<string>() };
    // Those of plugins are held against the schema of schemas now, whoever refers to them.
    for (const id of this.documents.keys()) if (!this.#isOur(id)) this.#add(compiler, id, engine);
    this.#compilers.set(engine, compiler);
    return compiler;
  }

  /** The compiler with the documents that these references need: all of ours would take it an eighth of a second. */
  #knowing(refs: readonly string[], engine: Engine): Ajv2020 {
    const compiler = this.#compiler(engine);
    for (const ref of refs) this.#add(compiler, documentOf(ref), engine);
    return compiler.ajv;
  }

  /** Adds a document, and those it refers to. */
  #add(compiler: Compiler, id: string, engine: Engine): void {
    const document = this.documents.get(id);
    if (!document || compiler.has.has(id)) return;
    compiler.has.add(id);
    compiler.ajv.addSchema(this.prepared(document, engine, id), `/${id}`, false, !this.#isOur(id));
    for (const ref of refsIn(document)) this.#add(compiler, documentOf(ref), engine);
  }

  #isOur(id: string): boolean {
    return (this.#ours ?? this).documents.has(id);
  }

  /** The schema as an engine gets it: always the same object, because Ajv keeps what it compiled by object. */
  prepared(schema: object, reading: Engine, id = ''): object {
    if (this.#ours?.documents.has(id)) return this.#ours.prepared(schema, reading, id);
    const kept = fills(reading) ? this.#prepared.filled : this.#prepared.exact;
    const known = kept.get(schema);
    if (known) return known;
    const made = prepared(schema, {
      defaults: fills(reading),
      absolute: (ref) => (this.documents.has(documentOf(ref)) ? `/${ref}` : ref),
      resolve: (ref) => {
        const [document = '', pointer = ''] = ref.split('#');
        const target = this.documents.get(document || id) as SchemaFile | undefined;
        return pointer.startsWith('/$defs/') ? target?.$defs?.[pointer.slice('/$defs/'.length)] : target;
      },
    });
    kept.set(schema, made);
    return made;
  }
}

/** The references of a schema that lead out of it. */
function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? (inner.startsWith('#') ? [] : [inner]) : refsIn(inner),
  );
}

function documentOf(ref: string): string {
  return ref.split('#')[0]!;
}
