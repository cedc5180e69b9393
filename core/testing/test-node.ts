import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Parts, startNode } from '../host/wiring/composition.ts';
import type { Clock, Random } from '../platform/clock.ts';
import { type Log, silentLog } from '../platform/log.ts';
import type { Problem } from '../platform/problem.ts';
import type { LedgerEventName, MessageName, Payloads, Plugin, Profile, Token } from '../plugin.ts';
import type { Provider } from '../provider.ts';
import { type Delivered, type DeliverOptions, deliver } from './deliver.ts';
import { type EventFactsOf, ledgerEvent } from './ledger-event.ts';
import type { TestAgent } from './test-agent.ts';
import { type CallOptions, callNode, openEvents, openStream, type Reply } from './test-call.ts';

export interface TestNodeOptions {
  /** The plugin's object in plugins.json; `{}` unless given. */
  readonly config?: object;
  /** `node` when the plugin has a face for it, else `aggregator`. */
  readonly profile?: Profile;
  /** Services in place of core's own or of other plugins: `value(Weather, fake)`. */
  readonly services?: readonly Provider[];
  /** Other plugins it works with, each with its configuration. */
  readonly beside?: readonly (readonly [plugin: Plugin, config: object])[];
  readonly clock?: Clock;
  readonly random?: Random;
  /** Silent unless given. */
  readonly log?: Log;
}

export interface TestNode {
  readonly url: string;
  /** The Bearer value of its API. */
  readonly secret: string;
  /**
   * `call('POST /notes', { body: { text: 'hello' } })`: calls it with the API secret. Gives every answer, refusals
   * too; `auth: false` sends no credential, a text that one, `sign` of a `testAgent` a token signed for this call.
   */
  call(line: string, options?: CallOptions): Promise<Reply>;
  /** Opens a stream such as `/ws/notes` and gives its frames; it is closed when the loop over them is left. */
  stream(path: string, options?: Pick<CallOptions, 'auth'>): Promise<AsyncGenerator<any, void>>;
  /**
   * `deliver(testAgent(), 'MESSAGE', { text: 'hello' })`: hands it an envelope of a test agent as the mesh would, or, where an
   * aggregator hears of it by a report, as that. Resolves with the node's answer, and once the handlers of plugins are done;
   * those of a BEACON, or of a BROADCAST that the node does not keep, may still run.
   */
  deliver<N extends MessageName>(
    from: TestAgent,
    type: N,
    payload: Payloads[N],
    options?: DeliverOptions,
  ): Promise<Delivered>;
  /**
   * `ledgerEvent('owner_claimed', { key, agentId, owner })`: hands it an event of the settlement program, as what reads the ledger does.
   * Resolves once the parts of plugins are durable.
   */
  ledgerEvent<N extends LedgerEventName>(name: N, facts: EventFactsOf<N>): Promise<void>;
  /**
   * Opens a stream of server-sent events such as `/notes/live` and gives the data of each, until the loop over them is left;
   * `headers: { 'last-event-id': '7' }` goes on behind an event.
   */
  events(path: string, options?: Pick<CallOptions, 'auth' | 'headers'>): Promise<AsyncGenerator<any, void>>;
  /** A service of this node. */
  get<T>(token: Token<T>): T;
  /** Stops it and removes its files. Gives what went wrong while stopping. */
  stop(): Promise<readonly Problem[]>;
}

/**
 * Boots a whole node with one plugin: real HTTP on a free port, storage in memory, no ledger, no peers, and files in a
 * folder that `stop` removes. Every reply and frame is checked. Rejects with a BootError that has every reason.
 */
export async function startTestNode(parts: Parts, plugin: Plugin, options: TestNodeOptions = {}): Promise<TestNode> {
  const { config = {}, services = [], beside = [], log = silentLog, clock, random } = options;
  const folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const all = [...beside, [plugin, config] as const];
  const brought = Object.fromEntries(all.map(([one]) => [one.name, () => one]));
  const settings = settingsFor(plugin, options);
  try {
    const node = await startNode({
      parts: { ...parts, plugins: brought },
      providers: services,
      config: { value: settings, folder },
      log,
      checkReplies: true,
      grace: 1_000,
      ...(clock && { clock }),
      ...(random && { random }),
    });
    const address = { url: node.url, secret: node.apiSecret };
    return {
      ...address,
      call: (line, given) => callNode(address, line, given),
      stream: (path, given) => openStream(address, path, given),
      deliver: (...given) => deliver((token) => node.get(token), settings.profile, ...given),
      ledgerEvent: (name, facts) => ledgerEvent((token) => node.get(token), name, facts),
      events: (path, given) => openEvents(address, path, given),
      get: (token) => node.get(token),
      async stop() {
        const problems = await node.stop();
        await remove();
        return problems;
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The plugins.json of a test node. */
export function settingsFor(plugin: Plugin, { config = {}, beside = [], profile }: TestNodeOptions) {
  return {
    profile: profile ?? profileOf(plugin),
    listen: '127.0.0.1:0',
    dataDir: './data',
    storage: { use: 'memory' },
    api: { readAuth: true },
    plugins: Object.fromEntries([...beside, [plugin, config] as const].map(([{ name }, own]) => [name, own])),
  };
}

function profileOf(plugin: Plugin): Profile {
  return plugin.node ? 'node' : 'aggregator';
}
