import { statSync } from 'node:fs';
import { validateHeaderValue } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { didYouMean } from '../platform/nearest-name.ts';
import { formatUsdc, parseUsdc } from '../platform/usdc.ts';
import { MOST_FILLED } from './filled-page.ts';
import { isPath, parameterNames, WILDCARD_RULE } from './path.ts';
import { redirectFault, replyHeaderFault } from './reply-headers.ts';
import { headerNameFault } from './request-headers.ts';
import type { Endpoint, Files, Route } from './route.ts';

/** Minor units of USDC. */
const MAX_PRICE = 10_000_000n;
const STATUSES = ['302', '303', '307', '308'];

const NO_PATH = 'this is no path; it begins with / and a parameter is a whole segment, as in /hello/:name';

/** The faults of one declaration by itself, in sentences for its author. */
export function endpointFaults(endpoint: Endpoint): string[] {
  const { path, spec } = endpoint;
  const names = parameterNames(path);
  const faults: string[] = [];
  if (!isPath(path)) faults.push(path.includes('*') ? WILDCARD_RULE : NO_PATH);
  else if (new Set(names).size < names.length) faults.push('two of its parameters have the same name');
  for (const name of Object.keys(spec.headers ?? {})) {
    const fault = headerNameFault(name);
    if (fault) faults.push(`the header ${JSON.stringify(name)} ${fault}`);
  }
  for (const name of Object.keys(spec.params ?? {})) {
    if (!names.includes(name)) faults.push(`its path has no parameter ${name}${didYouMean(name, names)}`);
  }
  faults.push(...priceFaults(endpoint));
  if (endpoint.kind === 'route') faults.push(...routeFaults(endpoint));
  if (endpoint.kind === 'files') faults.push(...filesFaults(endpoint));
  return faults;
}

function priceFaults({ kind, spec }: Endpoint): string[] {
  const isSold = spec.auth === 'x402';
  const price = (spec as Partial<Route['spec']>).price;
  if (!isSold) return price === undefined ? [] : ["it has a price, which needs auth: 'x402'"];
  if (kind !== 'route') return ["only a route can have auth: 'x402'"];
  const { idempotency, body } = spec;
  const amount = typeof price === 'string' ? parseUsdc(price) : undefined;
  return [
    ...(amount === undefined || amount === 0n || amount > MAX_PRICE
      ? [`its price is decimal USDC from 0.000001 to ${formatUsdc(MAX_PRICE)}, as in price: '0.01'`]
      : []),
    ...(idempotency ? ['a payment buys one answer already; it takes no idempotency key'] : []),
    ...(body === 'stream'
      ? ['a body that is sold for is read before the payment is taken; it cannot be a stream']
      : []),
  ];
}

function routeFaults({ spec: { replyHeaders = {}, redirects = {} } }: Route): string[] {
  const headers = Object.keys(replyHeaders).flatMap((name) => {
    const fault = replyHeaderFault(name);
    return fault ? [`the header ${JSON.stringify(name)} of its answer ${fault}`] : [];
  });
  const targets = Object.entries(redirects).flatMap(([status, allowed]) =>
    STATUSES.includes(status)
      ? (allowed ?? []).flatMap((target) => {
          const fault = redirectFault(target);
          return fault ? [`the target ${JSON.stringify(target)} of its redirects ${fault}`] : [];
        })
      : [`${status} is no status of a redirect; there are ${STATUSES.join(', ')}`],
  );
  return [...headers, ...targets];
}

function filesFaults({ path, spec: { folder, policy, pages = {}, facts = {}, missing } }: Files): string[] {
  const faults = parameterNames(path).length > 1 ? ['a folder of files has no parameters in its path'] : [];
  const fault = folderFault(folder);
  if (fault) faults.push(fault);
  else faults.push(...Object.entries(pages).flatMap(([at, name]) => pageFaults(folder, at, name)));
  for (const [name, at] of Object.entries(facts)) {
    const [path = ''] = at.split('?');
    const own = Object.keys(pages).filter((page) => pages[page as `/${string}`] === name);
    if (own.length === 0 || !isPath(path))
      faults.push(`its facts for ${JSON.stringify(name)} are not those of a path for one of its pages`);
    else if (!own.every((page) => parameterNames(path).every((one) => parameterNames(page).includes(one))))
      faults.push(
        `its facts for ${JSON.stringify(name)} are those of ${at}, whose parameters are not all in ${own.join(', ')}`,
      );
    else if (!fault && isTooLong(folder, name))
      faults.push(`its page ${name} has facts and more than ${MOST_FILLED} bytes`);
  }
  if (missing !== undefined && !fault) {
    if (!isFileOf(folder, missing))
      faults.push(`its missing is ${JSON.stringify(missing)}, which is no file of the folder itself`);
    else if (isTooLong(folder, missing)) faults.push(`its missing ${missing} has more than ${MOST_FILLED} bytes`);
  }
  if (policy !== undefined && !isHeaderValue(policy)) faults.push('its policy cannot be sent as a header');
  return faults;
}

function pageFaults(folder: URL, at: string, name: string): string[] {
  if (!isPath(at) || at.includes('*') || at.startsWith('/:') || (at !== '/' && at.endsWith('/')))
    return [
      `its page ${JSON.stringify(at)} is no path without a wildcard, a parameter at its beginning or a slash at its end`,
    ];
  return isFileOf(folder, name)
    ? []
    : [`its page ${at} is ${JSON.stringify(name)}, which is no file of the folder itself`];
}

function isFileOf(folder: URL, name: unknown): boolean {
  return typeof name === 'string' && /^[\w-][\w.-]*$/.test(name) && isFile(join(fileURLToPath(folder), name));
}

function isTooLong(folder: URL, name: string): boolean {
  return (sizeOf(join(fileURLToPath(folder), name)) ?? 0) > MOST_FILLED;
}

function folderFault(folder: unknown): string | undefined {
  const path = pathOf(folder);
  if (path === undefined) return "its folder is not the URL of one; write new URL('./public/', import.meta.url)";
  return isFolder(path) ? undefined : `there is no folder ${path}; make it, or correct the folder of files`;
}

function pathOf(folder: unknown): string | undefined {
  try {
    return folder instanceof URL ? fileURLToPath(folder) : undefined;
  } catch {
    return undefined;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isHeaderValue(text: string): boolean {
  try {
    validateHeaderValue('content-security-policy', text);
    return true;
  } catch {
    return false;
  }
}
