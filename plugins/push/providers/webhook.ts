import { invalidField } from '../../../core/plugin.ts';
import type { Http } from '../../../core/services.ts';
import { outcomeOf, type PushProvider, TIMEOUT, wakeData } from './provider.ts';

/** Webhooks, topics of ntfy, endpoints of UnifiedPush: a POST to a URL. */
export function webhookProvider(
  http: Http,
  { allowHttp = false }: { readonly allowHttp?: boolean } = {},
): PushProvider {
  return {
    name: 'webhook',
    recognises: (token) => /^https?:\/\//i.test(token),
    async check(token) {
      if (!allowHttp && !/^https:/i.test(token)) throw invalidField('/push_token', 'must be an https URL');
      await http.check(token).catch((error: unknown) => {
        throw invalidField('/push_token', error instanceof Error ? error.message : 'cannot be called');
      });
    },
    laneOf: (token) => ({ kind: 'host', name: new URL(token).host }),
    async wake(token, agentId, signal) {
      const headers = { ttl: '86400', urgency: 'high' };
      const options = { json: wakeData(agentId), headers, timeout: TIMEOUT, maxBytes: 65_536, signal };
      const { status, headers: told } = await http.request(token, options);
      return outcomeOf(status, told);
    },
  };
}
