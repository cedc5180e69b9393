/**
 * What a program imports that starts a node or calls one. Plugins import `agent-mesh/plugin` and `agent-mesh/ports`;
 * adapters to start a node with are in `agent-mesh/adapters`.
 */

export { BootError, type BootReport, describeReport, type RunningNode } from './boot/boot-node.ts';
export { AggregatorClient } from './client/aggregator-client.ts';
export { ClientError } from './client/client-error.ts';
export { NodeClient } from './client/node-client.ts';
export { type Log, silentLog } from './log.ts';
export { VERSION } from './version.ts';
export { type Parts, type StartOptions, startNode } from './wiring/composition.ts';
