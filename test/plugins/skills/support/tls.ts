import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate for these names that signs itself, made by openssl. */
export function certificateFor(...names: string[]): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'mesh-tls-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const { status, stderr } = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-keyout', key, '-out', cert, '-subj', '/CN=skills tests'],
      ...['-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join()}`],
    ]);
    if (status !== 0) throw new Error(`openssl: ${stderr}`);
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Has this process trust a certificate beside its usual roots, until the returned function is called. */
export function trust({ cert }: Certificate): () => void {
  const original = tls.createSecureContext;
  tls.createSecureContext = (options) => {
    const context = original(options);
    context.context.addCACert(cert);
    return context;
  };
  return () => {
    tls.createSecureContext = original;
  };
}

export interface Listening {
  readonly server: Server;
  readonly port: number;
  /** Connections so far, also those that never asked for anything. */
  readonly connections: () => number;
}

export async function listen(
  certificate: Certificate,
  host: string,
  port: number,
  answer: RequestListener,
): Promise<Listening> {
  const server = createServer(certificate, answer);
  let count = 0;
  server.on('connection', () => {
    count += 1;
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, host, listening);
  });
  return { server, port: (server.address() as AddressInfo).port, connections: () => count };
}
