import { isIP, isIPv4 } from 'node:net';

export interface ListenAddress {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** Reads `127.0.0.1:9090`, `[::1]:9090`, `localhost:0`, `:9090` (all interfaces) or `9090` (loopback). */
export function parseListen(text: string): ListenAddress | undefined {
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]]*):)?(\d{1,5})$/.exec(text);
  if (!match) return undefined;
  const port = Number(match[2]);
  if (port > 65_535) return undefined;
  if (match[1] === undefined) return { host: '127.0.0.1', port };
  return { host: match[1] === '' ? '0.0.0.0' : match[1].replace(/^\[|\]$/g, ''), port };
}

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  const plain = host.startsWith('::ffff:') ? host.slice(7) : host;
  return isIPv4(plain) && plain.startsWith('127.');
}

export function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`;
}
