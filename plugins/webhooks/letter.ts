import { createHmac } from 'node:crypto';

/** Characters of a body; the content of a larger event is left out and fetched from the node. */
const MOST_BODY = 64 * 1024;
const PREFIX = 'whsec_';

export interface Told {
  readonly id: string;
  /** `message.PROPOSE` or `event.deal`. */
  readonly type: string;
  readonly source: string;
  readonly time: number;
  readonly data: object;
}

/** The event as a JSON CloudEvent 1.0. Amounts are digits and bytes base64. */
export function letterOf({ id, type, source, time, data }: Told): string {
  const head = {
    specversion: '1.0',
    ...{ id, source, type: `agent-mesh.${type}`, time: new Date(time).toISOString() },
    datacontenttype: 'application/json',
  };
  const whole = JSON.stringify({ ...head, data }, plain);
  if (whole.length <= MOST_BODY) return whole;
  const { payload: _, ...rest } = data as { payload?: unknown };
  const short = JSON.stringify({ ...head, data: { ...rest, truncated: true } }, plain);
  return short.length <= MOST_BODY ? short : JSON.stringify({ ...head, data: { truncated: true } });
}

function plain(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

/** The headers of Standard Webhooks: a receiver checks the signature and that the time is recent. */
export function signedHeaders(secret: string, id: string, at: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const key = Buffer.from(secret, 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/cloudevents+json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

/** The secret as its receiver gets it, once. */
export function shownSecret(secret: string): string {
  return `${PREFIX}${secret}`;
}
