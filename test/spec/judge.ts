import assert from 'node:assert/strict';
import type { DocumentSchemas, Operation } from './api-document.ts';
import type { Answered } from './http-caller.ts';

/** Errors of a process without a ledger and without the services that plugins call: neither is there in these tests. */
const UNREACHED: Readonly<Record<string, number>> = {
  ledger_unavailable: 503,
  ledger_program_missing: 503,
  upstream_failed: 502,
};
const PROBLEM = { $ref: '#/components/schemas/problem' };

/** Statuses of what is found once a request is read. */
const FOUND_LATER: readonly number[] = [400, 413, 415];

/** Holds answers against what the document says of an operation. Throws what is wrong. */
export class Judge {
  readonly #schemas: DocumentSchemas;
  /** Whether the operation first tells that nothing it needs is there, whatever else is wrong with a request. */
  readonly #isUnserved: boolean;

  constructor(schemas: DocumentSchemas, isUnserved = false) {
    this.#schemas = schemas;
    this.#isUnserved = isUnserved;
  }

  /** A documented status with a body of its documented shape; a 5xx only where the ledger or a called service is missing. */
  documented({ spec, line }: Operation, answer: Answered): void {
    const { status } = answer;
    const told = spec.responses[String(status)];
    assert.ok(told, `${line} answers ${status}, which is not documented: ${answer.text.slice(0, 300)}`);
    if (status >= 400) {
      this.problem(answer);
      return;
    }
    const [type, media] = Object.entries((told.content ?? {}) as Record<string, any>)[0] ?? [];
    if (!type) {
      assert.equal(answer.text, '');
      return;
    }
    assert.ok(answer.type.startsWith(type), `${line} answers with ${answer.type}`);
    if (type === 'application/json') assert.deepEqual(this.#schemas.problems(media.schema, answer.json), [], line);
  }

  /** A problem document whose members agree with each other and the status line. */
  problem({ status, type, json, text }: Answered, expected?: number): void {
    assert.match(type, /^application\/problem\+json/, text.slice(0, 300));
    assert.deepEqual(this.#schemas.problems(PROBLEM, json), []);
    assert.equal(json.status, status);
    assert.equal(json.error, json.code);
    assert.equal(json.type, `urn:agent-mesh:error:${json.code}`);
    if (status >= 500) assert.equal(status, UNREACHED[json.code], text.slice(0, 300));
    if (this.#isUnserved && expected !== undefined && FOUND_LATER.includes(expected)) assert.equal(status, 503, text);
    else if (expected !== undefined) assert.equal(status, expected, text.slice(0, 300));
  }

  /** 400 that names one of these places or something inside it. */
  refusedField(answer: Answered, ...pointers: string[]): void {
    this.problem(answer, 400);
    if (this.#isUnserved) return;
    const told: string[] = (answer.json.fields ?? []).map((field: { pointer: string }) => field.pointer);
    const named = told.some((one) => pointers.some((pointer) => one === pointer || one.startsWith(`${pointer}/`)));
    assert.ok(named, `names ${told.join(', ') || 'no field'}, not ${pointers.join(', ')}`);
  }
}
