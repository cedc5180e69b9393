/** `agent-mesh/client`: the typed client of nodes and aggregators. It imports nothing of Node and runs wherever `fetch` does. */
export { agentKey, agentSigner, type KeyPair, type SignBytes } from './agent-key.ts';
export { AggregatorClient } from './aggregator-client.ts';
export { ClientError } from './client-error.ts';
export type { AggregatorApi } from './generated/aggregator.ts';
export type { InboxFrame, InboxPage, InboxStreamFrame } from './generated/frames.ts';
export type { NodeApi } from './generated/node.ts';
export type { CallOptions, ClientOptions, SignRequest, StreamOptions, WebSocketClass } from './http-caller.ts';
export { type EscrowStepName, type InboxOptions, NodeClient, type ReadyState } from './node-client.ts';
