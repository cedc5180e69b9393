import type { Port } from '../provider.ts';
import { aggregatorsPort } from './aggregators/port.ts';
import { reportingPort } from './aggregators/reporting-port.ts';
import { dealPorts } from './deals/ports.ts';
import { deliveryPorts } from './deliveries/ports.ts';
import { listeningPorts } from './listening-ports.ts';
import { messagingPorts } from './messaging-ports.ts';
import { offeredDealsPort } from './offered/deals.ts';
import { offeredPaymentsPort } from './offered/payments.ts';
import { peersPort } from './offered/peers-port.ts';
import { offeredMessaging } from './offered/ports.ts';
import { valuePorts } from './value-ports.ts';

/** The services of a node beyond those every profile has. */
export const nodePorts: readonly Port[] = [
  ...messagingPorts,
  ...offeredMessaging,
  ...listeningPorts,
  ...deliveryPorts,
  ...dealPorts,
  aggregatorsPort,
  reportingPort,
  ...valuePorts,
  offeredDealsPort,
  offeredPaymentsPort,
  peersPort,
];
