import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { packageRoot } from '../../core/platform/package-root.ts';
import type { Profile } from '../../core/plugin.ts';

export interface Operation {
  /** `POST /deliver`; a WebSocket is `WS /ws/inbox`. */
  readonly line: string;
  readonly method: string;
  /** With `{name}` segments. */
  readonly path: string;
  readonly spec: any;
}

/** The committed document of a profile with every plugin; `documents.test.ts` keeps it equal to the code. */
export function apiDocument(profile: Profile): any {
  return JSON.parse(readFileSync(join(packageRoot, `docs/openapi-${profile}.json`), 'utf8'));
}

export function operationsOf(document: any): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, spec]) => {
      const socket = spec['x-frame'] !== undefined || spec['x-socket'] !== undefined;
      return { line: `${socket ? 'WS' : method.toUpperCase()} ${path}`, method: method.toUpperCase(), path, spec };
    }),
  );
}

/** Checks values against the schemas of a document, references included. Gives the problems in words. */
export class DocumentSchemas {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #document: any;

  constructor(document: any) {
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ $id: 'document', components: document.components });
    this.#document = document;
  }

  problems(schema: object, value: unknown): string[] {
    return this.#errors(schema, value).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  /** JSON pointers of what is wrong with a value, as a client would be told them. */
  pointers(schema: object, value: unknown): string[] {
    return this.#errors(schema, value).map(({ instancePath, params }) => {
      const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
      const name = missingProperty ?? additionalProperty;
      return name === undefined ? instancePath : `${instancePath}/${name}`;
    });
  }

  /** The schema itself when this is a reference to one. */
  resolved(schema: any): any {
    if (!schema?.$ref) return schema;
    const target = this.#document.components.schemas[schema.$ref.split('/').at(-1)];
    const { $ref: _, ...beside } = schema;
    return { ...this.resolved(target), ...beside };
  }

  #errors(schema: object, value: unknown): readonly ErrorObject[] {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components');
    const check = this.#compiled.get(text) ?? this.#ajv.compile(JSON.parse(text));
    this.#compiled.set(text, check);
    return check(value) ? [] : (check.errors ?? []);
  }
}
