import { typed } from '../../../core/plugin.ts';
import type { Http } from '../../../core/services.ts';
import type { PushConfig } from '../config.ts';
import { type Outcome, outcomeOf, type PushProvider, TIMEOUT, wakeData } from './provider.ts';

interface Ticket {
  readonly status: 'ok' | 'error';
  readonly id?: string;
  readonly message?: string;
  readonly details?: { readonly error?: string };
}

const TICKET = {
  type: 'object',
  required: ['status'],
  properties: {
    status: { enum: ['ok', 'error'] },
    id: { type: 'string', maxLength: 256 },
    message: { type: 'string' },
    details: { type: 'object', properties: { error: { type: 'string' } } },
  },
};
const TICKETS = typed<{ data: Ticket[] }>({
  type: 'object',
  required: ['data'],
  properties: { data: { type: 'array', minItems: 1, maxItems: 1, items: TICKET } },
});
const RECEIPTS = typed<{ data: Record<string, Ticket> }>({
  type: 'object',
  required: ['data'],
  properties: { data: { type: 'object', additionalProperties: TICKET } },
});

/** The service of Expo, which passes pushes on to Apple and Google. */
export function expoProvider(http: Http, contracts: Fits, config: NonNullable<PushConfig['expo']>): PushProvider {
  const { url = 'https://exp.host', accessToken } = config;
  const headers = { accept: 'application/json', ...(accessToken && { authorization: `Bearer ${accessToken}` }) };
  const post = (path: string, json: unknown, signal: AbortSignal) =>
    http.request(url + path, { json, headers, timeout: TIMEOUT, maxBytes: 65_536, signal });
  return {
    name: 'expo',
    recognises: (token) => /^Expo(nent)?PushToken\[.{1,256}\]$/.test(token),
    check: async () => {},
    laneOf: () => ({ kind: 'service', name: 'expo' }),
    async wake(token, agentId, signal) {
      const message = { to: token, data: wakeData(agentId), priority: 'high', _contentAvailable: true };
      const answer = await post('/--/api/v2/push/send', [message], signal);
      if (answer.status !== 200) return notGone(outcomeOf(answer.status, answer.headers));
      const told = contracts.read(TICKETS, answer.text());
      return told ? outcomeOfTicket(told.data[0]!) : { result: 'later', reason: 'an answer of another shape' };
    },
    async became(ticket, signal) {
      const answer = await post('/--/api/v2/push/getReceipts', { ids: [ticket] }, signal);
      if (answer.status !== 200) return undefined;
      const receipt = contracts.read(RECEIPTS, answer.text())?.data[ticket];
      return receipt && outcomeOfTicket(receipt);
    },
  };
}

/** Reads JSON that fits. */
export interface Fits {
  read<T>(contract: ReturnType<typeof typed<T>>, text: string): T | undefined;
}

function outcomeOfTicket({ status, id, message, details }: Ticket): Outcome {
  if (status === 'ok') return { result: 'sent', ...(id !== undefined && { ticket: id }) };
  const reason = details?.error ?? message ?? 'an error without a name';
  if (reason === 'DeviceNotRegistered') return { result: 'gone' };
  if (reason === 'MessageRateExceeded') return { result: 'later', reason, ofDevice: true };
  return { result: 'refused', reason };
}

/** A status speaks of the service's address, never of the device. */
export function notGone(outcome: Outcome): Outcome {
  return outcome.result === 'gone' ? { result: 'refused', reason: 'the service is not at this address' } : outcome;
}
