import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicUrl } from '../client/http-caller.ts';
import { confirmsAgentIds } from '../host/config/registry-plugin.ts';
import { IdentityError, requireAgentId, useKeyFile } from '../host/key-file.ts';
import type { Settings } from '../internal-services.ts';
import { systemClock, systemRandom } from '../platform/system-clock.ts';
import { tokenSigner } from '../protocol/signer/token-signer.ts';
import { command, Failure, UsageError } from './command.ts';
import { aggregatorUrlOf, settingsOf } from './target.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** `mesh token`: what an agent shows an aggregator for one request, for clients that cannot sign. */
export const token = command({
  summary:
    'Prints an agent token for one request to an aggregator, signed with this node’s key; it holds 5 minutes, once.',
  options: {
    path: { takes: 'PATH', summary: 'what the request asks for, with its query' },
    method: { takes: 'METHOD', summary: 'its method', default: 'GET, or POST with a body' },
    body: { takes: 'FILE', summary: 'its body' },
    aud: { takes: 'URL', summary: "the aggregator's public URL", default: 'the first aggregator configured' },
  },
  flags: ['data-dir', 'keypair-path', 'agent-id', 'aggregator-url'],
  examples: ['token --path /push/sleep --body sleep.json'],
  async run({ options: { json, path, body: file, method: given, aud }, flags }, _, terminal) {
    const settings = settingsOf(flags, terminal);
    const method = (given ?? (file === undefined ? 'GET' : 'POST')).toUpperCase();
    if (!METHODS.includes(method)) throw new UsageError(`--method is one of ${METHODS.join(', ')}`);
    const request = {
      audience: audienceOf(aud ?? aggregatorUrlOf(settings)),
      method,
      target: targetOf(path),
      body: file === undefined ? new Uint8Array(0) : contentOf(file),
    };
    try {
      const signed = tokenSigner(identityOf(settings), systemClock, systemRandom)(request);
      const { iss: agent_id, jti, exp } = signed.claims;
      const { audience, target } = request;
      const about = { agent_id, audience, method, path: target, jti, expires_at: new Date(exp * 1_000).toISOString() };
      terminal.out(json ? JSON.stringify({ token: signed.token, ...about }) : signed.token);
      return 0;
    } catch (error) {
      if (!(error instanceof IdentityError)) throw error;
      throw new Failure(error.message, {}, error);
    }
  },
});

function identityOf(settings: Settings) {
  const { agent, dataDir } = settings;
  const file = agent.keyFile ?? join(dataDir, 'identity.key');
  const identity = useKeyFile(file);
  if (agent.id !== undefined && !confirmsAgentIds(settings, settings.profile)) requireAgentId(identity, agent.id, file);
  return identity;
}

function audienceOf(url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new UsageError(`--aud takes an http address, not ${url}`);
  return publicUrl(url);
}

/** A path that HTTP clients send as it is, so that what is signed is what arrives. */
function targetOf(path: string | undefined): string {
  if (path === undefined) throw new UsageError('--path says what the request asks for');
  const sent = path.startsWith('/') && URL.canParse(path, 'http://mesh') ? new URL(path, 'http://mesh') : undefined;
  if (sent?.host !== 'mesh')
    throw new UsageError(`--path takes a path with its query, such as /push/sleep, not ${path}`);
  const target = sent.pathname + sent.search;
  if (target !== path) throw new UsageError(`--path ${path} is sent as ${target}; sign that`);
  return target;
}

function contentOf(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`--body ${file} cannot be read: ${(error as Error).message}`);
  }
}
