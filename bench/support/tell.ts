import { type Agent, request } from 'node:http';
import { CborWriter } from '../../core/protocol/envelopes/cbor-writer.ts';
import type { Report } from './agents.ts';

/** Reports in one request, requests under way. */
const BODY = 256;
export const SIDE_BY_SIDE = 4;

/** Tells reports to these aggregators in turn, a body after the other. */
export async function tell(urls: readonly string[], agent: Agent, reports: readonly Report[]): Promise<void> {
  const bodies: Buffer[] = [];
  for (let at = 0; at < reports.length; at += BODY) bodies.push(bodyOf(reports.slice(at, at + BODY)));
  await Promise.all(
    Array.from({ length: SIDE_BY_SIDE }, async (_, lane) => {
      const url = urls[lane % urls.length]!;
      for (let body = bodies.shift(); body; body = bodies.shift()) await post(url, agent, body);
    }),
  );
}

function bodyOf(reports: readonly Report[]): Buffer {
  const writer = new CborWriter(4_096);
  writer.array(reports.length);
  for (const { bytes } of reports) writer.bytes(bytes);
  return Buffer.from(writer.finish());
}

function post(url: string, agent: Agent, body: Buffer): Promise<void> {
  const headers = { 'content-type': 'application/cbor', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/ingest/envelopes`, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode !== 200) return reject(new Error(`${response.statusCode} ${text}`));
        const refused = JSON.parse(text).results.find(({ status }: { status: string }) => status !== 'accepted');
        if (refused) reject(new Error(JSON.stringify(refused)));
        else resolve();
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
