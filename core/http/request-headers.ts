import type { IncomingHttpHeaders } from 'node:http';
import type { Contracts } from '../contracts/contracts.ts';
import { MeshError } from '../contracts/errors.ts';
import type { Contract } from '../contracts/typed.ts';
import type { RequestHeaders } from './call.ts';

/** The headers a handler gets, by their lower-case names. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface DeclaredHeader {
  readonly name: string;
  readonly contract: Contract;
  readonly required: boolean;
}

const NONE: Headers = {};
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** Core and guards read the first four, which carry credentials; the others are core's own business. */
const NOT_OURS = new Set([
  ...['authorization', 'cookie', 'proxy-authorization', 'sec-websocket-protocol'],
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'idempotency-key', 'last-event-id'],
]);

export function declaredHeaders(headers: RequestHeaders = {}): DeclaredHeader[] {
  return Object.entries(headers).map(([name, given]) =>
    typeof given === 'object' && 'required' in given
      ? { name, contract: given.required, required: true }
      : { name, contract: given, required: false },
  );
}

export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

/** Why a name that is no header's name is refused, with the one that is meant. */
export function notInLowerCase(name: string): string {
  const meant = name.toLowerCase().replaceAll('_', '-');
  return `is no name of a header in lower case${isHeaderName(meant) ? `; write ${JSON.stringify(meant)}` : ''}`;
}

/** Why no endpoint may declare a request header of this name. */
export function headerNameFault(name: string): string | undefined {
  if (!isHeaderName(name)) return notInLowerCase(name);
  if (NOT_OURS.has(name)) return 'never reaches a handler: guards and core read it';
  return undefined;
}

/** The declared headers of a request; one that does not fit is refused by its name. */
export function headersOf(
  declared: readonly DeclaredHeader[],
  given: IncomingHttpHeaders,
  contracts: Contracts,
): Headers {
  if (declared.length === 0) return NONE;
  const read = declared.map(({ name, contract, required }): [string, string | undefined] => {
    const text = given[name] === undefined ? undefined : [given[name]].flat().join(', ');
    if (text === undefined && required) throw wrong(name, 'is required');
    const [problem] = text === undefined ? [] : contracts.problems(contract, text);
    if (problem) throw wrong(name, problem.message);
    return [name, text];
  });
  return Object.fromEntries(read);
}

function wrong(name: string, what: string): MeshError {
  const message = `the ${name} header ${what}`;
  return new MeshError('invalid_request', { detail: `${message}.`, fields: [{ pointer: '', message }] });
}

/** How often a request has a header, by its lower-case name. Node keeps one value of some that came twice. */
export function timesIn(rawHeaders: readonly string[], name: string): number {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]!;
    if (header.length === name.length && header.toLowerCase() === name) times += 1;
  }
  return times;
}
