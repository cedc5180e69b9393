import { EnvelopeHandlers, ExtensionPoints, HttpNetwork, Inspection, Settings } from '../../internal-services.ts';
import type { Token } from '../../plugin.ts';
import { Clock, Contracts, Metrics, Operations, Random } from '../../services.ts';

/** The services that every node has before it opens the caller's providers. */
export const CORE_SERVICES: readonly Token<any>[] = [
  Clock,
  Random,
  HttpNetwork,
  Metrics,
  Contracts,
  Settings,
  EnvelopeHandlers,
  ExtensionPoints,
  Inspection,
  Operations,
];
