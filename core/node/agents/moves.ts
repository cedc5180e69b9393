import { invalidField, MeshError } from '../../contracts/errors.ts';
import { genuineClaims } from '../../messaging/host-claims.ts';
import {
  genuineSuccessions,
  lastMoment,
  type Succession,
  successionBytes,
  untimely,
} from '../../messaging/successions.ts';
import { toBase64 } from '../../platform/bytes.ts';
import { OneByOne } from '../../platform/one-by-one.ts';
import { parseAgentId } from '../../protocol/identity/ids.ts';
import { verify } from '../../protocol/identity/verify.ts';
import type { MoveNotice, NamedSuccessor, PendingSuccessor } from '../../services.ts';
import type { AgentGround } from './awake-agent.ts';
import type { HostDirectory } from './host-directory.ts';
import type { PublishedClaims } from './published-claims.ts';
import type { Resident } from './resident-memory.ts';
import type { ResidentRecord } from './resident-records.ts';

type Named = Pick<Succession, 'agent_id' | 'successor' | 'time'>;
type Moved = NonNullable<ResidentRecord['moved']>;

export interface MoveMeans {
  readonly ground: AgentGround;
  readonly hosts: HostDirectory;
  /** The node's own key. */
  readonly own: string;
  find(id: string): Resident | undefined;
  /** Durable when it resolves. */
  save(resident: Resident, record: ResidentRecord): Promise<void>;
  /** Asks for one whose succession is told already to be told again. */
  again(resident: Resident): void;
  /** The recovery keys that the mesh knows of an agent that this node has not heard of. */
  readonly published: PublishedClaims;
  /** Whether an agent has a deal. */
  hasDeals(resident: Resident): Promise<boolean>;
}

/** Successors that were named and have not accepted are remembered up to this number, the newest ones. */
const MOST_NAMED = 8;

/** The key that an agent goes on under: both the recovery key and that key have signed it, or it was known when the agent was added. */
export function successorOf({ record, heir }: Pick<Resident, 'record' | 'heir'>): string | undefined {
  return acceptedOf(record) ?? heir;
}

function acceptedOf({ moved }: ResidentRecord): string | undefined {
  return moved?.accepted_b64 === undefined ? undefined : moved.successor;
}

/** The successions that an agent is part of, with both signatures. */
export function successionsOf({ id, record: { moved, succeeds } }: Resident): Succession[] {
  const left = moved && toSuccession(id, moved);
  return [...(succeeds ? [succeeds] : []), ...(left ? [left] : [])];
}

function toSuccession(agent_id: string, moved: Moved): Succession | undefined {
  const { successor, time, signature_b64, accepted_b64 } = moved;
  return accepted_b64 === undefined ? undefined : { agent_id, successor, time, signature_b64, accepted_b64 };
}

/** Agents of this node that go on under keys of other hosts, and agents that go on for such keys. */
export class Moves {
  readonly #means: MoveMeans;
  readonly #turns = new OneByOne();

  constructor(means: MoveMeans) {
    const { hosts, own, find } = means;
    this.#means = means;
    hosts.watch({
      claimOf(id) {
        const resident = find(id);
        if (!resident) return undefined;
        const { recovery_key, not_after } = resident.record;
        return { host: own, recovery_key, not_after, heard_at: 0 };
      },
      isUntold(id) {
        const resident = find(id);
        return resident !== undefined && acceptedOf(resident.record) === undefined;
      },
      taken: (one) => this.#taken(one),
    });
  }

  /**
   * Has the recovery key of an agent name its successor. The agent stays until a successor has accepted: the first one that does counts, of all that
   * were named and have not expired. The same one again gives the same notice.
   */
  nameSuccessor(resident: Resident, named: NamedSuccessor): Promise<MoveNotice> {
    return this.#inTurn(resident, () => this.#name(resident, named));
  }

  /** The keys that may still accept, the one that was named last first. */
  pendingOf(resident: Resident): PendingSuccessor[] {
    if (successorOf(resident) !== undefined) return [];
    const { network } = this.#means.ground;
    return this.#openOf(resident).map((named) => ({ successor: named.successor, until: lastMoment(named, network) }));
  }

  /** Has an agent that has done nothing go on for another key. Once, and the same one again. */
  takeOver(resident: Resident, notice: MoveNotice): Promise<Succession> {
    return this.#inTurn(resident, () => this.#takeOver(resident, notice));
  }

  async #name(resident: Resident, { successor, time, signature_b64 }: NamedSuccessor): Promise<MoveNotice> {
    const { ground, save } = this.#means;
    const { id: agent_id, record } = resident;
    const { recovery_key } = record;
    const heir = successorOf(resident);
    const open = this.#openOf(resident);
    const before = record.moved?.successor === successor ? record.moved : undefined;
    const holds = before && (heir === successor || open.some(({ time: at }) => at === before.time));
    if (holds) return this.#noticeOf(resident, before);
    if (heir !== undefined) throw new MeshError('conflict', `This agent has moved to ${heir} already.`);
    const named = { agent_id, successor, time: time ?? Math.floor(ground.clock.now() / 1_000) };
    this.#requireTimely(named);
    const signed = signature_b64 ?? this.#signedHere(resident, named);
    const message = successionBytes(named, ground.network);
    if (!verify(message, Buffer.from(signed, 'base64'), parseAgentId(recovery_key)!))
      throw invalidField('/signature_b64', `is not that of the recovery key ${recovery_key} over this succession`);
    // A successor that was named before can still accept, so it is shown until its time is over.
    const others = open.filter((one) => one.successor !== successor).slice(0, MOST_NAMED - 1);
    const moved = { successor, time: named.time, signature_b64: signed, ...(others.length > 0 && { others }) };
    await save(resident, { ...record, moved });
    return this.#noticeOf(resident, moved);
  }

  /** The successors that were named and can still accept, the newest first. */
  #openOf({ id: agent_id, record: { moved } }: Resident): Pick<Named, 'successor' | 'time'>[] {
    const { network, clock } = this.#means.ground;
    if (!moved) return [];
    const all = [{ successor: moved.successor, time: moved.time }, ...(moved.others ?? [])];
    return all.filter((one) => untimely({ agent_id, ...one }, network, clock.now()) === undefined);
  }

  #noticeOf({ id, record }: Resident, { successor, time, signature_b64 }: Moved): MoveNotice {
    const { name, recovery_key, not_after } = record;
    const claim = { host: this.#means.own, recovery_key, not_after, signature_b64: record.signature_b64 };
    return { agent_id: id, successor, time, signature_b64, ...(name !== '' && { name }), claim };
  }

  #signedHere({ id, record: { recovery_key }, identity }: Resident, named: Named): string {
    if (recovery_key !== id)
      throw invalidField('/signature_b64', `is needed: the recovery key ${recovery_key} alone can name a successor`);
    return toBase64(identity.signSuccession(this.#means.ground.network, fieldsOf(named)));
  }

  async #takeOver(resident: Resident, notice: MoveNotice): Promise<Succession> {
    const { ground, hosts, save, again } = this.#means;
    const { agent_id, successor, time, claim, name } = notice;
    if (successor !== resident.id) throw invalidField('/successor', `is not this agent, ${resident.id}`);
    const { host, recovery_key, not_after } = claim;
    const known = resident.record.succeeds;
    if (known && known.agent_id !== agent_id)
      throw new MeshError('conflict', `This agent has taken over ${known.agent_id} already.`);
    if (known) {
      // Nobody may have heard the BEACON. The claim and the name of this notice are not read: nothing has checked them.
      again(resident);
      return known;
    }
    const one = await this.#accepted(resident, notice, { agent_id, successor, time });
    const [isGenuine] = await genuineSuccessions([one], [recovery_key], ground);
    if (!isGenuine)
      throw invalidField('/signature_b64', `is not that of the recovery key ${recovery_key} over this succession`);
    // First, so that a crash in between leaves a notice that can be repeated.
    await hosts.succeeded(one, { host, recovery_key, not_after });
    // The claim that was signed for this name is told by the next BEACON, and by that of the agent itself.
    await save(resident, { ...resident.record, name: name ?? resident.record.name, succeeds: one });
    return one;
  }

  /** The succession with the signature of this agent, once nothing speaks against it. */
  async #accepted(resident: Resident, { signature_b64, claim }: MoveNotice, named: Named): Promise<Succession> {
    const { ground, hosts, hasDeals } = this.#means;
    const { agent_id, successor } = named;
    this.#requireTimely(named);
    if (!parseAgentId(agent_id)) throw invalidField('/agent_id', 'is no agent id');
    if (resident.record.moved || (await hosts.successorOf(successor)))
      throw new MeshError('conflict', 'This agent is moving on itself.');
    if (await hasDeals(resident))
      throw new MeshError('conflict', 'This agent has deals of its own: register a fresh one, and let that take over.');
    const other = await hosts.successorOf(agent_id);
    if (other !== undefined && other !== successor)
      throw new MeshError('conflict', `The agent ${agent_id} goes on under the key ${other} already.`);
    const heard = await hosts.recoveryKeyOf(agent_id);
    const published = heard === undefined ? await this.#means.published(agent_id) : [heard];
    const first = published.find((key) => key !== claim.recovery_key);
    if (first !== undefined)
      throw invalidField('/claim/recovery_key', `is not the one that was published first, ${first}`);
    const [isClaimed] = await genuineClaims(claim.host, [{ agent_id, ...claim }], ground);
    if (!isClaimed) throw invalidField('/claim', 'is not signed by the key that is replaced');
    const accepted_b64 = toBase64(resident.identity.signSuccession(ground.network, fieldsOf(named)));
    return { ...named, signature_b64, accepted_b64 };
  }

  /** An agent of this node was taken over by another key. */
  async #taken({ agent_id, successor, time, signature_b64, accepted_b64 }: Succession): Promise<void> {
    const resident = this.#means.find(agent_id);
    if (!resident || acceptedOf(resident.record) !== undefined) return;
    const moved = { successor, time, signature_b64, accepted_b64 };
    await this.#means.save(resident, { ...resident.record, moved });
    this.#means.ground.log.info({ agent: agent_id, successor }, 'a hosted agent has moved: its key signs nothing more');
  }

  #inTurn<T>(resident: Resident, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(resident.id, async () => {
      if (resident.removed) throw new MeshError('not_found', `No agent ${resident.id} lives on this node.`);
      return work();
    });
  }

  #requireTimely(named: Named): void {
    const { network, clock } = this.#means.ground;
    const why = untimely(named, network, clock.now());
    if (why === 'circular') throw invalidField('/successor', 'is the key that is replaced');
    if (why === 'time') throw invalidField('/time', 'must be at most 30 seconds ahead and 30 epochs old');
  }
}

function fieldsOf({ agent_id, successor, time }: Named) {
  return { old_key: parseAgentId(agent_id)!, new_key: parseAgentId(successor)!, time };
}
