import { typed } from '../../../core/plugin.ts';
import type { Clock, Http } from '../../../core/services.ts';
import type { ApnsConfig } from '../config.ts';
import { type Fits, notGone } from './expo.ts';
import { outcomeOf, type PushProvider, TIMEOUT, wakeData } from './provider.ts';
import { privateKey, webToken } from './tokens.ts';

/** Apple takes a token for an hour, and a new one every 20 minutes at most. */
const TOKEN_FOR = 40 * 60_000;
const REASON = typed<{ reason?: string }>({
  type: 'object',
  properties: { reason: { type: 'string', maxLength: 100 } },
});
const DEAD = new Set(['BadDeviceToken', 'DeviceTokenNotForTopic', 'Unregistered', 'ExpiredToken']);

/** Apple's service, over HTTP/2 with a token that is signed here. */
export function apnsProvider(http: Http, clock: Clock, fits: Fits, config: ApnsConfig): PushProvider {
  const { keyId, teamId, bundleId, url = 'https://api.push.apple.com' } = config;
  const key = privateKey(config.key, 'ec', 'plugins.push.apns.key');
  let made: { readonly token: string; readonly at: number } | undefined;
  function token(): string {
    const now = clock.now();
    if (!made || now - made.at > TOKEN_FOR)
      made = { token: webToken(key, { kid: keyId }, { iss: teamId, iat: Math.floor(now / 1000) }), at: now };
    return made.token;
  }
  return {
    name: 'apns',
    recognises: (device) => /^[0-9a-f]{64,200}$/i.test(device),
    check: async () => {},
    laneOf: () => ({ kind: 'service', name: 'apns' }),
    async wake(device, agentId, signal) {
      const answer = await http.request(`${url}/3/device/${device.toLowerCase()}`, {
        http2: true,
        headers: {
          authorization: `bearer ${token()}`,
          'apns-topic': bundleId,
          'apns-push-type': 'background',
          'apns-priority': '5',
          'apns-expiration': String(Math.floor(clock.now() / 1000) + 86_400),
        },
        json: { aps: { 'content-available': 1 }, ...wakeData(agentId) },
        ...{ timeout: TIMEOUT, maxBytes: 4_096, signal },
      });
      if (answer.status === 200) return { result: 'sent' };
      const { reason = `status ${answer.status}` } = fits.read(REASON, answer.text()) ?? {};
      if (answer.status === 410 || DEAD.has(reason)) return { result: 'gone' };
      if (reason === 'ExpiredProviderToken') {
        made = undefined;
        return { result: 'later', reason };
      }
      // Apple says it of one device alone.
      if (reason === 'TooManyRequests') return { result: 'later', reason, ofDevice: true };
      const outcome = notGone(outcomeOf(answer.status, answer.headers));
      return outcome.result === 'sent' ? { result: 'later', reason } : { ...outcome, reason };
    },
  };
}
