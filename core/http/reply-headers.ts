import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Contracts } from '../contracts/contracts.ts';
import { isMeshError, MeshError } from '../contracts/errors.ts';
import type { Redirect } from './call.ts';
import { isMarked, REDIRECT } from './marks.ts';
import { isHeaderName, notInLowerCase } from './request-headers.ts';
import type { Route } from './route.ts';

type Given = Readonly<Record<string, string>>;
type Spec = Route['spec'];

/** Its documentation is `media`. */
const ALWAYS = 'content-type';
const OWN =
  /^(access-control-.*|connection|content-length|content-type|date|keep-alive|location|ratelimit.*|set-cookie|transfer-encoding|upgrade|vary|x-content-type-options|x-request-id)$/;
/** Stands for this server while an address is taken apart. */
const HERE = 'https://here.invalid';

/** Why no route may declare an answer's header of this name. */
export function replyHeaderFault(name: string): string | undefined {
  if (!isHeaderName(name)) return notInLowerCase(name);
  if (name === 'location') return 'is set by a redirect, whose targets stand under redirects';
  return OWN.test(name) ? 'is set by core' : undefined;
}

/**
 * The headers of an answer that its route declares. In development any other is a fault, as is one that breaks its contract;
 * in production it is left out. One that cannot be sent is a fault in both, while there still is another answer to give.
 */
export function replyHeaders(spec: Spec, given: Given, contracts: Contracts, strict: boolean): Given {
  const declared = spec.replyHeaders ?? {};
  const kept: Record<string, string> = {};
  for (const [spelt, value] of Object.entries(given)) {
    const name = spelt.toLowerCase();
    validateHeaderName(name);
    validateHeaderValue(name, value);
    const contract = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (!contract && name !== ALWAYS) {
      if (strict) throw new Error(`the answer sets the header ${name}, which its route does not declare`);
      continue;
    }
    const [problem] = strict && contract ? contracts.problems(contract, value) : [];
    if (problem) throw new Error(`the header ${name} of the answer breaks its contract: it ${problem.message}`);
    kept[name] = value;
  }
  return kept;
}

/**
 * A refusal of a handler with the headers that its route declares, by the rules of an answer's; its own `Content-Type` stays. Any other
 * error as it is.
 */
export function withReplyHeaders(error: unknown, spec: Spec, contracts: Contracts, strict: boolean): unknown {
  if (!isMeshError(error) || error.details.headers === undefined) return error;
  const { headers, ...details } = error.details;
  const { [ALWAYS]: _, ...kept } = replyHeaders(spec, headers, contracts, strict);
  return new MeshError(error.code, { ...details, headers: kept });
}

export function isRedirect(value: unknown): value is Redirect {
  return isMarked(value, REDIRECT);
}

/** The address of a redirect as it is sent. One that its route does not declare is a fault. */
export function locationOf({ redirects = {} }: Spec, { redirect, status }: Redirect): string {
  const url = addressOf(redirect);
  const declared = redirects[status] ?? [];
  if (url && declared.some((target) => covers(target, url))) return textOf(url);
  throw new Error(`the redirect ${status} to ${JSON.stringify(redirect)} is not declared by its route`);
}

/** Why a route cannot declare a target for redirects. */
export function redirectFault(target: string): string | undefined {
  const url = addressOf(target);
  if (!url) return 'is neither a path of this server nor an https URL';
  const normal = textOf(url);
  return normal === target ? undefined : `is no address as it is sent; write ${normal}`;
}

function covers(target: string, url: URL): boolean {
  const base = new URL(target, HERE);
  if (base.origin !== url.origin) return false;
  return target.endsWith('/') ? url.pathname.startsWith(base.pathname) : textOf(url) === target;
}

/** Own paths and https URLs without credentials; undefined for everything else. */
function addressOf(text: string): URL | undefined {
  const isOwn = /^\/(?![/\\])/.test(text);
  if (!(isOwn || /^https:\/\//i.test(text)) || !URL.canParse(text, HERE)) return undefined;
  const url = new URL(text, HERE);
  // Taken apart, `/.//host/` begins with the two slashes that lead a browser to another host.
  const stays = isOwn === (url.origin === HERE) && !(isOwn && url.pathname.startsWith('//'));
  return stays && url.protocol === 'https:' && url.username === '' && url.password === '' ? url : undefined;
}

function textOf(url: URL): string {
  return url.origin === HERE ? url.href.slice(HERE.length) : url.href;
}
