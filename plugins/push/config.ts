import { typed } from '../../core/plugin.ts';

export interface PushConfig {
  readonly token?: string;
  readonly provider?: 'webhook' | 'expo' | 'apns' | 'fcm';
  readonly sleepOnStop?: boolean;
  readonly leaveOpen?: boolean;
  readonly mostHeld?: number;
  readonly webhook?: { readonly allowHttp?: boolean };
  readonly expo?: { readonly url?: string; readonly accessToken?: string };
  readonly apns?: ApnsConfig;
  readonly fcm?: FcmConfig;
}

export interface ApnsConfig {
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
  readonly bundleId: string;
  readonly url?: string;
}

export interface FcmConfig {
  readonly account: string;
  readonly url?: string;
}

const url = { type: 'string', pattern: '^https?://[^/?#@]+$', maxLength: 256 };
const text = { type: 'string', minLength: 1, maxLength: 8192 };

export const pushConfig = typed<PushConfig>({
  type: 'object',
  properties: {
    token: {
      description: 'Of a node: where its device is woken while it sleeps; a URL, or a token of Expo, APNs or FCM.',
      type: 'string',
      minLength: 1,
      maxLength: 2048,
    },
    provider: {
      description: 'By which service, where the token does not show it.',
      enum: ['webhook', 'expo', 'apns', 'fcm'],
    },
    sleepOnStop: {
      description: 'Whether a node says that it sleeps when it stops; it does with a token.',
      type: 'boolean',
    },
    leaveOpen: {
      description:
        'Whether a node leaves private messages for sleepers that it signed open, so that aggregators can read them.',
      type: 'boolean',
    },
    mostHeld: {
      description:
        'Messages held for all agents together, of up to 64 KiB each; 20 000 unless given. Strangers have half of them.',
      type: 'integer',
      minimum: 100,
      maximum: 10_000_000,
    },
    webhook: {
      description: 'Pushes to URLs (webhooks, ntfy, UnifiedPush). Always on.',
      type: 'object',
      properties: { allowHttp: { description: 'Also without TLS.', type: 'boolean' } },
    },
    expo: {
      description: 'Pushes by the service of Expo, when this is here.',
      type: 'object',
      properties: { url: { ...url, description: 'Another address than https://exp.host.' }, accessToken: text },
    },
    apns: {
      description: "Pushes by Apple's service, when this is here.",
      type: 'object',
      required: ['key', 'keyId', 'teamId', 'bundleId'],
      properties: {
        key: { ...text, description: 'The key for tokens (.p8), as PEM.' },
        keyId: { ...text, description: 'Its id.' },
        teamId: { ...text, description: 'The id of the team.' },
        bundleId: { ...text, description: 'The topic: the bundle id of the app.' },
        url: { ...url, description: 'Another address than https://api.push.apple.com, such as the sandbox.' },
      },
    },
    fcm: {
      description: "Pushes by Google's service (FCM v1), when this is here.",
      type: 'object',
      required: ['account'],
      properties: {
        account: { ...text, maxLength: 16_384, description: 'The JSON of the service account.' },
        url: { ...url, description: 'Another address than https://fcm.googleapis.com.' },
      },
    },
  },
});
