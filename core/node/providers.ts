import type { Provider } from '../provider.ts';
import { ownAgentProvider } from './agents/own-agent-provider.ts';
import { agentProviders } from './agents/providers.ts';
import { reportingProvider } from './aggregators/reporting-provider.ts';
import { aggregatorsProvider } from './aggregators/standings-provider.ts';
import { dealProviders } from './deals/providers.ts';
import { deliveryProviders } from './deliveries/providers.ts';
import { exemptProvider } from './exempt/exempt-provider.ts';
import { listeningProviders } from './listening-providers.ts';
import { messagingProviders } from './messaging-providers.ts';
import { offeredProviders } from './offered/providers.ts';
import { valueProviders } from './value-providers.ts';

/** The services of a node beyond those every profile has. */
export const nodeProviders: readonly Provider[] = [
  exemptProvider,
  ...messagingProviders,
  ...agentProviders,
  ...listeningProviders,
  ...deliveryProviders,
  ...dealProviders,
  ownAgentProvider,
  aggregatorsProvider,
  reportingProvider,
  ...valueProviders,
  ...offeredProviders,
];
