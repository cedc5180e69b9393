import type { Clock, Contracts, Http } from '../../../core/services.ts';
import type { PushConfig } from '../config.ts';
import { apnsProvider } from './apns.ts';
import { expoProvider, type Fits } from './expo.ts';
import { fcmProvider } from './fcm.ts';
import type { PushProvider } from './provider.ts';
import { webhookProvider } from './webhook.ts';

export interface ProviderServices {
  readonly http: Http;
  readonly clock: Clock;
  readonly contracts: Contracts;
}

/** The services that are set up; the first that recognises a token is taken. */
export function providersOf({ http, clock, contracts }: ProviderServices, config: PushConfig): readonly PushProvider[] {
  const fits: Fits = {
    read(contract, text) {
      try {
        const value = JSON.parse(text);
        return contracts.problems(contract, value).length === 0 ? value : undefined;
      } catch {
        return undefined;
      }
    },
  };
  const { webhook, expo, apns, fcm } = config;
  return [
    webhookProvider(http, webhook),
    ...(expo ? [expoProvider(http, fits, expo)] : []),
    ...(apns ? [apnsProvider(http, clock, fits, apns)] : []),
    ...(fcm ? [fcmProvider(http, clock, fits, fcm)] : []),
  ];
}
