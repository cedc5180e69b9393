import type { IncomingMessage } from 'node:http';
import { MeshError } from '../contracts/errors.ts';
import { timesIn } from './request-headers.ts';
import type { Query } from './target.ts';

const TOKEN_PROTOCOL = 'mesh.bearer';

/** The token a request shows, in its header, as a subprotocol, or in its query as `token` where that is allowed. */
export function tokenOf(request: IncomingMessage, inQuery: Query[string] | undefined): string | undefined {
  const { headers } = request;
  if (headers.authorization !== undefined) requireOne(request);
  return (
    /^Bearer ([^\s]+)$/i.exec(headers.authorization ?? '')?.[1] ??
    tokenOfProtocols(headers['sec-websocket-protocol']) ??
    (inQuery === undefined || inQuery === '' ? undefined : String(inQuery))
  );
}

/** A proxy in front may have judged by another one than Node keeps, which is the first. */
function requireOne({ rawHeaders }: IncomingMessage): void {
  if (timesIn(rawHeaders, 'authorization') < 2) return;
  const message = 'the authorization header is there twice';
  throw new MeshError('invalid_request', { detail: `${message}.`, fields: [{ pointer: '', message }] });
}

/** `Sec-WebSocket-Protocol: mesh.bearer, <token>` carries a token for clients that cannot set other headers. */
function tokenOfProtocols(header: string | undefined): string | undefined {
  const protocols = header?.split(',').map((name) => name.trim()) ?? [];
  const at = protocols.indexOf(TOKEN_PROTOCOL);
  return at === -1 ? undefined : protocols[at + 1];
}

/** The subprotocol to confirm: the token's marker, never the token. */
export function confirmedProtocol(offered: ReadonlySet<string>): string | false {
  return offered.has(TOKEN_PROTOCOL) ? TOKEN_PROTOCOL : false;
}
