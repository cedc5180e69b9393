import { invalidField, MeshError } from '../../contracts/errors.ts';
import { inboxState } from '../../messaging/inbox-records.ts';
import type { LocalRecipients } from '../../messaging/local-recipients.ts';
import { nonces } from '../../messaging/records.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import type { BeaconPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { NO_CONVERSATION } from '../../protocol/identity/ids.ts';
import type { HostedIdentity } from '../../protocol/signer/agent-signer.ts';
import type { NewLocalAgent } from '../../services.ts';
import type { Space } from '../../storage/space.ts';
import { NodeEvents } from '../services/node-events.ts';
import type { AgentGround } from './awake-agent.ts';
import type { HostDirectory } from './host-directory.ts';
import { MoveTurns } from './move-turns.ts';
import { Moves, successionsOf, successorOf } from './moves.ts';
import type { PublishedClaims } from './published-claims.ts';
import { type ClaimPlace, checkedIdentity, claimedRecord } from './resident-claims.ts';
import { type Resident, ResidentMemory } from './resident-memory.ts';
import { RESIDENTS_SPACE, type ResidentRecord, residents, spaceNameOf } from './resident-records.ts';

const MOST = 10_000;
/** As many as a BEACON holds. */
const CLAIMS = 128;
/** Agents announced by themselves with one BEACON of their node. */
const ANNOUNCED = 50;
const SUCCESSIONS = 16;
const BEACON_SECS = 300;
const NAME = /^[ -~]{0,64}$/;

export interface ResidentsOptions {
  readonly ground: AgentGround;
  readonly recipients: LocalRecipients;
  readonly hosts: HostDirectory;
  /** The node's own key. */
  readonly own: string;
  readonly published: PublishedClaims;
  /** Somebody who can be reached from now on: for the outbox of the node's own agent. */
  readonly arrived: (id: string) => void;
}

/**
 * The agents that live on this node beside its own: who they are, by whom they were added, and the claims by which the mesh finds them.
 */
export class Residents {
  readonly #options: ResidentsOptions;
  readonly #records: Space;
  readonly #all = new Map<string, Resident>();
  readonly #memory: ResidentMemory;
  /** Agents that are being closed. */
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #watchers = new Set<() => void>();
  /** The place of the claims that are shown next, when they are too many for one BEACON. */
  #turn: Resident[] = [];
  /** How many at its beginning no BEACON has shown since they were added. */
  #unshown = 0;
  /** Those that go on under other keys, or for them. */
  readonly #moved: MoveTurns<Resident>;
  readonly #moves: Moves;

  constructor(options: ResidentsOptions) {
    const { ground, recipients, hosts, own, published } = options;
    this.#options = options;
    this.#records = ground.store.space(RESIDENTS_SPACE);
    const save = (resident: Resident, record: ResidentRecord) => this.#save(resident, record);
    const find = (id: string) => this.#all.get(id);
    const period = (ground.settings.mesh.beaconSecs ?? BEACON_SECS) * 1_000;
    this.#moved = new MoveTurns({ clock: ground.clock, places: SUCCESSIONS / 2, period });
    this.#memory = new ResidentMemory({ ground, save, find });
    this.#moves = new Moves({
      ...{ ground, hosts, own, find, published },
      save: (resident, record) => this.#saveMoved(resident, record),
      again: (resident) => this.#shownAgain(resident),
      hasDeals: (resident) =>
        this.#memory.use(resident, async ({ deals }) => (await deals.page(undefined, 1)).length > 0),
    });
    // A sender that knows the host must not be told for good that nobody of that name is here, while the plugin starts.
    recipients.expect(async (key) => (await this.#records.get(residents.ref(key))) !== undefined);
  }

  get ground(): AgentGround {
    return this.#options.ground;
  }

  get size(): number {
    return this.#all.size;
  }

  get memory(): ResidentMemory {
    return this.#memory;
  }

  /** `told` hears that other agents live here than before. */
  watch(told: () => void): () => void {
    this.#watchers.add(told);
    return () => void this.#watchers.delete(told);
  }

  async add({ signer, name, recoveryKey }: NewLocalAgent, plugin: string): Promise<Resident> {
    const identity = checkedIdentity(signer);
    const id = identity.address;
    if (id === this.#options.own) throw new MeshError('conflict', 'This is the key of the node itself.');
    if (name !== undefined && !NAME.test(name))
      throw invalidField('/name', 'must be at most 64 printable ASCII characters');
    // Two of one key would write into one space.
    await this.#leaving.get(id);
    const stored = await this.#records.get(residents.ref(id));
    const known = this.#all.get(id);
    if (known && known.plugin !== plugin)
      throw new MeshError('conflict', `The plugin ${known.plugin} has added this agent.`);
    // The name that came with another key stays, also where its plugin has not heard of it before a crash.
    const wanted = (stored?.succeeds ? stored.name : name) ?? stored?.name ?? id.slice(0, 8);
    const claimed = claimedRecord(identity, this.#hosting(), recoveryKey, stored);
    // After a removal nobody knows what waits for it.
    const awake = stored ? stored.awake : await this.#hasHistory(identity);
    const record = { ...claimed, name: wanted, plugin, awake };
    if (!known && this.#all.size >= MOST)
      throw new MeshError('rate_limited', { detail: `${MOST} agents live on this node already.`, retryAfter: 3_600 });
    const resident = known ?? this.#enter(identity, plugin, record);
    // A key that was replaced while it did not live here signs nothing more, also before a BEACON tells of it again.
    resident.heir = await this.#options.hosts.successorOf(id);
    await this.#save(resident, record);
    this.#memory.setDue(resident, awake ? 0 : (stored?.wake_at ?? Number.POSITIVE_INFINITY));
    this.#options.arrived(id);
    this.#memory.appeared(id);
    for (const told of this.#watchers) told();
    return resident;
  }

  get(id: string): Resident | undefined {
    return this.#all.get(id);
  }

  all(): IterableIterator<Resident> {
    return this.#all.values();
  }

  async remove(resident: Resident): Promise<void> {
    if (resident.removed) return;
    resident.removed = true;
    this.#all.delete(resident.id);
    const place = this.#turn.indexOf(resident);
    this.#turn.splice(place, 1);
    if (place < this.#unshown) this.#unshown -= 1;
    this.#moved.remove(resident);
    this.#options.recipients.remove(resident.id);
    const { id } = resident;
    const left = this.#records.del(residents.ref(id)).then(() => this.#memory.forget(resident));
    const settled = left.catch(() => {}).then(() => void this.#leaving.delete(id));
    this.#leaving.set(id, settled);
    await left;
    for (const told of this.#watchers) told();
  }

  /** For the node's BEACON: all claims where they fit, or those whose turn it is; new ones first. */
  claims(): NonNullable<BeaconPayload['hosted']> {
    const shown = this.#turn.slice(0, CLAIMS);
    this.#unshown = Math.max(0, this.#unshown - CLAIMS);
    if (this.#turn.length > CLAIMS) this.#turn = [...this.#turn.slice(CLAIMS), ...shown];
    return shown.map((resident) => {
      const { identity, id: agent_id } = resident;
      const fresh = claimedRecord(identity, this.#hosting(), undefined, resident.record);
      if (fresh !== resident.record) void this.#save(resident, fresh).catch(() => {});
      const { recovery_key, not_after, signature_b64 } = fresh;
      return { agent_id, recovery_key, not_after, signature_b64 };
    });
  }

  /** Whether claims are left that no BEACON has shown. */
  get hasUnshownClaims(): boolean {
    return this.#unshown > 0;
  }

  /** Whether successions are left that no BEACON has shown since they changed. */
  get hasUnshownSuccessions(): boolean {
    return this.#moved.hasFresh;
  }

  /** For the node's BEACON: of the agents that go on under other keys, or for them, those whose turn it is. */
  successions(): NonNullable<BeaconPayload['successions']> {
    return this.#moved.next().flatMap(successionsOf);
  }

  /** Agents that go on under other keys, or for them. */
  get moves(): Moves {
    return this.#moves;
  }

  /** Has agents say their name to the mesh that have not said it yet, some at a time. */
  async announce(): Promise<void> {
    const { network } = this.#options.ground;
    const news = [...this.#all.values()].filter(
      (resident) => resident.record.announced !== resident.record.name && !successorOf(resident),
    );
    for (const resident of news.slice(0, ANNOUNCED)) {
      const { name } = resident.record;
      const body = codecOf('BEACON', network.version).encode({ name, hubs: [] }, resident.identity.key);
      const draft = { msgType: 'BEACON', conversationId: NO_CONVERSATION, body } as const;
      const { status } = await this.#memory.use(resident, ({ messages }) => messages.send(draft));
      if (status !== 'broadcast') return;
      await this.#save(resident, { ...resident.record, announced: name });
    }
  }

  close(): Promise<void> {
    return this.#memory.close();
  }

  #enter(identity: HostedIdentity, plugin: string, record: ResidentRecord): Resident {
    const { clock } = this.#options.ground;
    const [id, events] = [identity.address, new NodeEvents(clock)];
    const state = { awake: undefined, closed: Promise.resolve(), uses: 0, usedAt: clock.now(), removed: false };
    const resident: Resident = { id, plugin, identity, events, record, ...state };
    this.#all.set(id, resident);
    this.#turn.unshift(resident);
    this.#unshown += 1;
    if (successionsOf(resident).length > 0) this.#moved.add(resident);
    this.#options.recipients.add(id, async (...given) =>
      // A replaced key takes nothing: its sender learns at once that it has to write to the successor.
      successorOf(resident) !== undefined
        ? { reason: 'blocked' }
        : this.#memory.use(resident, ({ messages }) => messages.receive(...given)),
    );
    return resident;
  }

  /** Whether it was here before: it has signed something, or something was sent to it. */
  async #hasHistory({ key, address }: HostedIdentity): Promise<boolean> {
    const space = this.ground.store.space(spaceNameOf(key));
    const known = await Promise.all([space.get(nonces.ref(address)), space.get(inboxState)]);
    return known.some((document) => document !== undefined);
  }

  #hosting(): ClaimPlace {
    const { own, ground } = this.#options;
    return { host: own, network: ground.network, now: ground.clock.now() };
  }

  /** The mesh is told of it with the next BEACON, which goes soon. */
  async #saveMoved(resident: Resident, record: ResidentRecord): Promise<void> {
    await this.#save(resident, record);
    if (resident.removed || successionsOf(resident).length === 0) return;
    this.#moved.changed(resident);
    for (const told of this.#watchers) told();
  }

  #shownAgain(resident: Resident): void {
    if (resident.removed || !this.#moved.again(resident)) return;
    for (const told of this.#watchers) told();
  }

  async #save(resident: Resident, record: ResidentRecord): Promise<void> {
    resident.record = record;
    if (!resident.removed) await this.#records.put(residents.ref(resident.id), record);
  }
}
