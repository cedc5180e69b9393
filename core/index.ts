/// <reference types="node" preserve="true" />
/**
 * What a program imports that starts a node or calls one. Plugins import `agent-mesh/plugin` and `agent-mesh/ports`;
 * adapters to start a node with are in `agent-mesh/adapters`.
 */
import { startNode } from './wiring/composition.ts';

export { BootError, type BootReport, describeReport } from './boot/report.ts';
export { AggregatorClient } from './client/aggregator-client.ts';
export { ClientError } from './client/client-error.ts';
export type { SignRequest } from './client/http-caller.ts';
export { keyFileSigner } from './client/key-file-signer.ts';
export { NodeClient } from './client/node-client.ts';
export { type Log, silentLog } from './log.ts';
export { VERSION } from './version.ts';
export type { Parts, StartOptions } from './wiring/composition.ts';
export { startNode };

/** A node or aggregator that runs in this process. */
export type RunningNode = Awaited<ReturnType<typeof startNode>>;
