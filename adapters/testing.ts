/// <reference types="node" preserve="true" />
/**
 * `agent-mesh/testing`: for authors of plugins and adapters. A whole node with one plugin in it, and the contract
 * suites. They bring no test runner: hand in the functions of yours, those of mocha and node:test fit as they are.
 */

import type { Plugin } from '../core/plugin.ts';
import { describePlugin } from '../core/testing/plugin-contract.ts';
import type { PluginTrialOptions } from '../core/testing/plugin-trial.ts';
import type { TestRunner } from '../core/testing/runner.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../core/testing/test-node.ts';
import { adapters } from './index.ts';

export { type Provider, provider, value } from '../core/provider.ts';
export type { Delivered, DeliverOptions } from '../core/testing/deliver.ts';
export { fakeAgents } from '../core/testing/fakes/agents.ts';
export { type FakeAggregatorCalls, fakeAggregatorCalls } from '../core/testing/fakes/aggregator-calls.ts';
export { fakeBlobs } from '../core/testing/fakes/blobs.ts';
export { fakeCardKeys } from '../core/testing/fakes/card-keys.ts';
export { type FakeDeals, type FakeStep, fakeDeals, sampleDeal } from '../core/testing/fakes/deals.ts';
export { FakeEvents } from '../core/testing/fakes/events.ts';
export { FakeHistory } from '../core/testing/fakes/history.ts';
export { type FakeAnswer, type FakeHttp, fakeHttp } from '../core/testing/fakes/http.ts';
export { FakeInbox } from '../core/testing/fakes/inbox.ts';
export {
  type FakeEscrowAccounts,
  type FakeJudging,
  type FakeVerdict,
  fakeEscrowAccounts,
  fakeJudging,
} from '../core/testing/fakes/judging.ts';
export { type FakeLedgerAccounts, fakeLedgerAccounts } from '../core/testing/fakes/ledger-accounts.ts';
export { type FakeLocalAgent, type FakeLocalAgents, fakeLocalAgents } from '../core/testing/fakes/local-agents.ts';
export { FakeMessages, type FakeSent } from '../core/testing/fakes/messages.ts';
export {
  type FakeOwner,
  type FakeOwnerLinks,
  fakeOwner,
  fakeOwnerLinks,
  fakeSignature,
} from '../core/testing/fakes/owners.ts';
export { type FakePayments, type FakePaymentsOptions, fakePayments } from '../core/testing/fakes/payments.ts';
export { type FakePeers, fakePeers } from '../core/testing/fakes/peers.ts';
export { fakeSelf } from '../core/testing/fakes/self.ts';
export { type FakeSignatures, fakeSignatures } from '../core/testing/fakes/signatures.ts';
export { type FakeTransactions, fakeTransactions } from '../core/testing/fakes/transactions.ts';
export { type LedgerBench, ledgerContract } from '../core/testing/ledger-contract.ts';
export type { EndpointExample, PluginTrialOptions } from '../core/testing/plugin-trial.ts';
export type { TestRunner } from '../core/testing/runner.ts';
export { type CreateStorage, type StorageUnderTest, storageContract } from '../core/testing/storage-contract.ts';
export { type TestAgent, testAgent } from '../core/testing/test-agent.ts';
export type { CallOptions, Reply } from '../core/testing/test-call.ts';
export type { TestNode, TestNodeOptions } from '../core/testing/test-node.ts';
export { type TransportPair, transportContract } from '../core/testing/transport-contract.ts';

const parts = { adapters, plugins: {} };

/**
 * Boots a whole node with one plugin; see `TestNode` for what can be done with it.
 *
 *     const node = await testNode(weather, { config: { city: 'Oslo' } });
 *     const { status, body } = await node.call('GET /weather');
 *     await node.stop();
 */
export function testNode(plugin: Plugin, options: TestNodeOptions = {}): Promise<TestNode> {
  return startTestNode(parts, plugin, options);
}

/** The tests that every plugin must pass: `pluginContract(weather, { config: { city: 'Oslo' } }, { describe, it })`. */
export function pluginContract(
  plugin: Plugin,
  options: PluginTrialOptions,
  runner: Pick<TestRunner, 'describe' | 'it'>,
): void {
  describePlugin(parts, plugin, options, runner);
}
