import { EnvelopeHandlers, HttpNetwork, Settings } from '../../internal-services.ts';
import type { Token } from '../../plugin.ts';
import { Clock, Contracts, Metrics, Operations, Random } from '../../services.ts';

/** What every node offers before any provider of the caller is opened. */
export const CORE_SERVICES: readonly Token<any>[] = [
  Clock,
  Random,
  HttpNetwork,
  Metrics,
  Contracts,
  Settings,
  EnvelopeHandlers,
  Operations,
];
