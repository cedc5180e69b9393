import type { IncomingMessage } from 'node:http';
import type { Query } from './target.ts';

const TOKEN_PROTOCOL = 'mesh.bearer';

/** The token a request shows, in its header, as a subprotocol, or in its query as `token` where that is allowed. */
export function tokenOf({ headers }: IncomingMessage, inQuery: Query[string] | undefined): string | undefined {
  return (
    /^Bearer ([^\s]+)$/i.exec(headers.authorization ?? '')?.[1] ??
    tokenOfProtocols(headers['sec-websocket-protocol']) ??
    (inQuery === undefined || inQuery === '' ? undefined : String(inQuery))
  );
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
