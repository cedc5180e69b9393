import type { Plugin } from '../plugin.ts';
import { agentProcessFace } from './faces/agent-process-face.ts';
import { aggregatorsFace } from './faces/aggregators-face.ts';
import { batchesFace } from './faces/batches-face.ts';
import { dealsFace } from './faces/deals-face.ts';
import { deliveriesFace } from './faces/deliveries-face.ts';
import { envelopesFace } from './faces/envelopes-face.ts';
import { escrowFace } from './faces/escrow-face.ts';
import { eventsFace } from './faces/events-face.ts';
import { exemptFace } from './faces/exempt-face.ts';
import { feedbackFace } from './faces/feedback-face.ts';
import { identityFace } from './faces/identity-face.ts';
import { inboxFace } from './faces/inbox-face.ts';
import { inspectionFace } from './faces/inspection-face.ts';
import { latencyFace } from './faces/latency-face.ts';
import { leaseFace } from './faces/lease-face.ts';
import { marketFace } from './faces/market-face.ts';
import { meshFace } from './faces/mesh-face.ts';
import { moneyFace } from './faces/money-face.ts';
import { negotiationFace } from './faces/negotiation-face.ts';
import { peersFace } from './faces/peers-face.ts';
import { portfolioFace } from './faces/portfolio-face.ts';
import { reputationFace } from './faces/reputation-face.ts';
import { stakeFace } from './faces/stake-face.ts';
import { topicsFace } from './faces/topics-face.ts';
import { walletFace } from './faces/wallet-face.ts';
import { watchFace } from './faces/watch-face.ts';

/** The node profile: what every node serves, written with the plugin contract. */
export const nodeProfile: readonly Plugin[] = [
  meshFace,
  latencyFace,
  identityFace,
  peersFace,
  aggregatorsFace,
  topicsFace,
  marketFace,
  envelopesFace,
  negotiationFace,
  feedbackFace,
  reputationFace,
  dealsFace,
  deliveriesFace,
  escrowFace,
  inboxFace,
  eventsFace,
  portfolioFace,
  moneyFace,
  walletFace,
  batchesFace,
  stakeFace,
  leaseFace,
  watchFace,
  exemptFace,
  inspectionFace,
  agentProcessFace,
];
