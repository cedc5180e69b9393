import { typed } from '../../../core/plugin.ts';
import type { Clock, Http } from '../../../core/services.ts';
import type { FcmConfig } from '../config.ts';
import { type Fits, notGone } from './expo.ts';
import { type Outcome, outcomeOf, type PushProvider, TIMEOUT, wakeData } from './provider.ts';
import { privateKey, webToken } from './tokens.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Milliseconds before its end when an access token is not used any more. */
const SPARE = 300_000;

interface Account {
  readonly client_email: string;
  readonly private_key: string;
  readonly project_id: string;
  readonly token_uri: string;
}

const text = { type: 'string', minLength: 1 };
const ACCOUNT = typed<Account>({
  type: 'object',
  required: ['client_email', 'private_key', 'project_id', 'token_uri'],
  properties: {
    ...{ client_email: text, private_key: text },
    project_id: { type: 'string', pattern: '^[a-z0-9:.-]{1,64}$' },
    token_uri: { type: 'string', pattern: '^https?://' },
  },
});
const ACCESS = typed<{ access_token: string; expires_in: number }>({
  type: 'object',
  required: ['access_token', 'expires_in'],
  properties: {
    access_token: { ...text, maxLength: 4_096 },
    expires_in: { type: 'number', minimum: 0, maximum: 86_400 },
  },
});
const FAULT = typed<{ error: { status?: string; details?: { errorCode?: string }[] } }>({
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'object', properties: { status: text, details: { type: 'array', items: { type: 'object' } } } },
  },
});

/** Google's service, version 1, with the access token of a service account. */
export function fcmProvider(http: Http, clock: Clock, fits: Fits, config: FcmConfig): PushProvider {
  const account = fits.read(ACCOUNT, config.account);
  if (!account) throw new Error('plugins.push.fcm.account is not the JSON of a service account');
  const key = privateKey(account.private_key, 'rsa', 'private_key of plugins.push.fcm.account');
  const { url = 'https://fcm.googleapis.com' } = config;
  let access: { readonly token: string; readonly until: number } | undefined;

  async function accessToken(signal: AbortSignal): Promise<string | Outcome> {
    const now = clock.now();
    if (access && now < access.until) return access.token;
    const iat = Math.floor(now / 1000);
    const { client_email: iss, token_uri: aud } = account!;
    const assertion = webToken(key, { typ: 'JWT' }, { iss, scope: SCOPE, aud, iat, exp: iat + 3_600 });
    const answer = await http.request(aud, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: GRANT, assertion }).toString(),
      ...{ timeout: TIMEOUT, maxBytes: 65_536, signal },
    });
    if (answer.status !== 200) return notGone(outcomeOf(answer.status, answer.headers));
    const told = fits.read(ACCESS, answer.text());
    if (!told) return { result: 'later', reason: 'an access token of another shape' };
    access = { token: told.access_token, until: now + told.expires_in * 1000 - SPARE };
    return told.access_token;
  }

  return {
    name: 'fcm',
    // The form of its tokens is not promised: whatever is of no other service.
    recognises: (device) => /^[\w:.-]{32,2048}$/.test(device) && !/^[0-9a-f]+$/i.test(device),
    check: async () => {},
    laneOf: () => ({ kind: 'service', name: 'fcm' }),
    async wake(device, agentId, signal) {
      const token = await accessToken(signal);
      if (typeof token !== 'string') return token;
      const message = {
        token: device,
        data: wakeData(agentId),
        android: { priority: 'high', ttl: '86400s' },
        apns: {
          headers: { 'apns-priority': '5', 'apns-push-type': 'background' },
          payload: { aps: { 'content-available': 1 } },
        },
      };
      const answer = await http.request(`${url}/v1/projects/${account.project_id}/messages:send`, {
        headers: { authorization: `Bearer ${token}` },
        json: { message },
        ...{ timeout: TIMEOUT, maxBytes: 65_536, signal },
      });
      if (answer.status === 200) return { result: 'sent' };
      const { error } = fits.read(FAULT, answer.text()) ?? { error: {} };
      const codes = [error.status, ...(error.details ?? []).map(({ errorCode }) => errorCode)];
      if (codes.includes('UNREGISTERED')) return { result: 'gone' };
      if (answer.status === 401) {
        access = undefined;
        return { result: 'later', reason: 'the access token was refused' };
      }
      const outcome = notGone(outcomeOf(answer.status, answer.headers));
      const reason = codes.find((code) => typeof code === 'string') ?? `status ${answer.status}`;
      return outcome.result === 'sent' ? { result: 'later', reason } : { ...outcome, reason };
    },
  };
}
