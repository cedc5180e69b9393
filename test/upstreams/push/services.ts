import { createHash, generateKeyPairSync, type KeyObject, randomBytes, verify } from 'node:crypto';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Upstream, type UpstreamAnswer, type UpstreamRequest } from './upstream.ts';

const LARGEST = 4_096;
const WITH_CONTENT = ['notification', 'title', 'body', 'alert', 'sound', 'badge'];

/** A webhook, a topic of ntfy or an endpoint of UnifiedPush. */
export function startWebhook(): Promise<Upstream> {
  return Upstream.start((request, self) => {
    if (request.method !== 'POST') return self.complain(`${request.method} is no push`);
    if (request.body.length > LARGEST) return self.complain('larger than 4096 bytes');
    return wantsSilence(request, self) ?? { status: 200, json: {} };
  });
}

/** The service of Expo: tickets at once, receipts later. */
export async function startExpo(): Promise<Upstream & { readonly dead: Set<string>; readonly late: Set<string> }> {
  const dead = new Set<string>();
  const late = new Set<string>();
  const tickets = new Map<string, string>();
  const upstream = await Upstream.start((request, self) => {
    const json = JSON.parse(request.body);
    if (request.path === '/--/api/v2/push/getReceipts') {
      const told = (json.ids as string[]).map((id) => [id, late.has(tickets.get(id)!) ? failure() : { status: 'ok' }]);
      return { status: 200, json: { data: Object.fromEntries(told) } };
    }
    if (request.path !== '/--/api/v2/push/send') return { status: 404 };
    if (!Array.isArray(json) || json.length > 100) return self.complain('no list of up to 100 messages');
    const silent = wantsSilence(request, self);
    if (silent) return silent;
    const data = json.map(({ to, _contentAvailable, priority }) => {
      if (!/^Expo(nent)?PushToken\[.+\]$/.test(to)) self.complaints.push(`${to} is no token`);
      if (_contentAvailable !== true || priority !== 'high') self.complaints.push('does not wake anybody');
      if (dead.has(to)) return failure();
      const id = randomBytes(8).toString('hex');
      tickets.set(id, to);
      return { status: 'ok', id };
    });
    return { status: 200, json: { data } };
  });
  return Object.assign(upstream, { dead, late });
}

function failure() {
  return { status: 'error', message: 'not registered', details: { error: 'DeviceNotRegistered' } };
}

export interface ApnsAccount {
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
  readonly bundleId: string;
}

/** Apple's service over HTTP/2 by prior knowledge; its clients' tokens are checked as Apple does. */
export async function startApns(now: () => number) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const account: ApnsAccount = {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    keyId: 'ABC123DEFG',
    teamId: 'DEF123GHIJ',
    bundleId: 'org.example.agent',
  };
  const dead = new Set<string>();
  const tokens = new Set<string>();
  let connections = 0;
  const server = createServer();
  server.on('session', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => void sessions.add(session));
  const upstream = Upstream.on(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  server.on('stream', (stream, headers) => {
    const parts: Buffer[] = [];
    stream.on('error', () => {});
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const asked = { method: String(headers[':method']), path: String(headers[':path']), headers, body };
      const send = (status: number, told: Record<string, string>, text: string) => {
        if (stream.destroyed) return;
        stream.respond({ ':status': status, ...told });
        stream.end(text);
      };
      void upstream.answer(asked as UpstreamRequest, judge, send);
    });
  });
  function judge(request: UpstreamRequest): UpstreamAnswer {
    const refuse = (status: number, reason: string): UpstreamAnswer => {
      if (status !== 410) upstream.complaints.push(reason);
      return { status, json: { reason } };
    };
    const { headers, path, body } = request;
    const [, token] = /^bearer (.+)$/.exec(String(headers['authorization'])) ?? [];
    const claims = token && claimsOf(token, publicKey, 'ES256');
    if (!claims || claims.header.kid !== account.keyId || claims.body.iss !== account.teamId)
      return refuse(403, 'InvalidProviderToken');
    if (Math.abs(now() / 1000 - claims.body.iat) > 3_600) return refuse(403, 'ExpiredProviderToken');
    tokens.add(token);
    if (headers['apns-topic'] !== account.bundleId) return refuse(400, 'DeviceTokenNotForTopic');
    if (headers['apns-push-type'] !== 'background' || headers['apns-priority'] !== '5')
      return refuse(400, 'BadPriority');
    if (body.length > LARGEST) return refuse(413, 'PayloadTooLarge');
    if (JSON.parse(body).aps?.['content-available'] !== 1) return refuse(400, 'BadMessage');
    const [, device] = /^\/3\/device\/([0-9a-f]{64})$/.exec(path) ?? [];
    if (!device) return refuse(400, 'BadDeviceToken');
    if (dead.has(device)) return refuse(410, 'Unregistered');
    return wantsSilence(request, upstream) ?? { status: 200 };
  }
  return Object.assign(upstream, { account, dead, tokens, connections: () => connections });
}

/** Google's service with its endpoint for access tokens. */
export async function startFcm(now: () => number) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const project = 'mesh-tests';
  const email = 'push@mesh-tests.iam.example.com';
  const dead = new Set<string>();
  const granted = new Set<string>();
  let grants = 0;
  const upstream = await Upstream.start((request, self) => {
    if (request.path === '/token') {
      const form = new URLSearchParams(request.body);
      const claims = claimsOf(form.get('assertion') ?? '', publicKey, 'RS256');
      if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return self.complain('grant_type');
      if (!claims || claims.body.iss !== email || claims.body.aud !== `${self.url}/token`)
        return self.complain('assertion');
      if (claims.body.scope !== 'https://www.googleapis.com/auth/firebase.messaging') return self.complain('scope');
      if (claims.body.exp - claims.body.iat > 3_600 || Math.abs(claims.body.iat - now() / 1000) > 300)
        return self.complain('times of the assertion');
      grants += 1;
      const access = randomBytes(16).toString('hex');
      granted.add(access);
      return { status: 200, json: { access_token: access, expires_in: 3_599, token_type: 'Bearer' } };
    }
    const fail = (status: number, code: string) => ({
      status,
      json: { error: { code: status, status: code, details: [{ errorCode: code }] } },
    });
    if (request.path !== `/v1/projects/${project}/messages:send`) return { status: 404 };
    const [, access] = /^Bearer (.+)$/.exec(String(request.headers['authorization'])) ?? [];
    if (!access || !granted.has(access)) return fail(401, 'UNAUTHENTICATED');
    const { message } = JSON.parse(request.body);
    if (Object.values(message.data ?? {}).some((value) => typeof value !== 'string'))
      return fail(400, 'INVALID_ARGUMENT');
    if (dead.has(message.token)) return fail(404, 'UNREGISTERED');
    return wantsSilence(request, self) ?? { status: 200, json: { name: `projects/${project}/messages/1` } };
  });
  const account = JSON.stringify({
    type: 'service_account',
    project_id: project,
    client_email: email,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${upstream.url}/token`,
  });
  return Object.assign(upstream, { account, dead, granted, grants: () => grants });
}

/** A push that anybody could see, or read something in, is none. */
function wantsSilence({ body }: UpstreamRequest, self: Upstream): UpstreamAnswer | undefined {
  const loud = WITH_CONTENT.find((name) => body.includes(`"${name}"`));
  return loud === undefined ? undefined : self.complain(`it shows a ${loud}`);
}

function claimsOf(token: string, key: KeyObject, alg: string): { header: any; body: any } | undefined {
  const [header, body, signature] = token.split('.');
  if (!header || !body || !signature) return undefined;
  const options = { key, dsaEncoding: 'ieee-p1363' as const };
  if (!verify('sha256', Buffer.from(`${header}.${body}`), options, Buffer.from(signature, 'base64url')))
    return undefined;
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  return read(header).alg === alg ? { header: read(header), body: read(body) } : undefined;
}

/** A device token of Apple's form. */
export function deviceToken(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}
