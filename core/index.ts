/// <reference types="node" preserve="true" />
/**
 * A program that starts a node or calls one imports this. Plugins import `agent-mesh/plugin` and `agent-mesh/services`;
 * adapters to start a node with are in `agent-mesh/adapters`.
 */
import { startNode } from './host/wiring/composition.ts';

export { AggregatorClient } from './client/aggregator-client.ts';
export { ClientError } from './client/client-error.ts';
export type { SignRequest } from './client/http-caller.ts';
export { NodeClient } from './client/node-client.ts';
export { BootError, type BootReport, describeReport } from './host/boot/report.ts';
export { keyFileSigner } from './host/key-file-signer.ts';
export type { Parts, StartOptions } from './host/wiring/composition.ts';
export { type Log, silentLog } from './platform/log.ts';
export { VERSION } from './platform/version.ts';
export { startNode };

/** A node or aggregator that runs in this process. */
export type RunningNode = Awaited<ReturnType<typeof startNode>>;
