import type { Provider } from '../provider.ts';
import { aggregatorsProvider } from './aggregators/port.ts';
import { reportingProvider } from './aggregators/reporting-provider.ts';
import { dealProviders } from './deals/providers.ts';
import { deliveryProviders } from './deliveries/providers.ts';
import { listeningProviders } from './listening-providers.ts';
import { messagingProviders } from './messaging-providers.ts';
import { offeredDealsProvider } from './offered/deals.ts';
import { offeredPaymentsProvider } from './offered/payments.ts';
import { peersProvider } from './offered/peers-provider.ts';
import { offeredMessaging } from './offered/providers.ts';
import { valueProviders } from './value-providers.ts';

/** The services of a node beyond those every profile has. */
export const nodeProviders: readonly Provider[] = [
  ...messagingProviders,
  ...offeredMessaging,
  ...listeningProviders,
  ...deliveryProviders,
  ...dealProviders,
  aggregatorsProvider,
  reportingProvider,
  ...valueProviders,
  offeredDealsProvider,
  offeredPaymentsProvider,
  peersProvider,
];
