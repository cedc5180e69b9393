import type { Token } from '../../plugin.ts';
import {
  Clock,
  Contracts,
  EnvelopeHandlers,
  HttpNetwork,
  Metrics,
  Operations,
  Random,
  Settings,
} from '../../services.ts';

/** What every node offers before any port of the caller is opened. */
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
