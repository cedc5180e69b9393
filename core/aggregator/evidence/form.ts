import { parseAgentId } from '../../protocol/identity/ids.ts';

type Members = Readonly<Record<string, unknown>>;

/** The last moment that a date can be, Unix milliseconds. */
const LAST = 8.64e15;

/** Whether a line has the members of a head of this format: the file is a stranger's. */
export function isHead(value: Members): boolean {
  const { agent_id, network, as_of, anchors, score, rank, complete, reason, after, next } = value;
  return (
    isId(agent_id) &&
    isNetwork(network) &&
    isMoment(as_of) &&
    Array.isArray(anchors) &&
    anchors.every(isId) &&
    Number.isFinite(score) &&
    Number.isFinite(rank) &&
    typeof complete === 'boolean' &&
    (reason === undefined || typeof reason === 'string') &&
    isCount(after) &&
    (next === null || isCount(next))
  );
}

export function isFact({ id, kind, at, text }: Members): boolean {
  return isCount(id) && typeof kind === 'string' && isMoment(at) && typeof text === 'string';
}

function isNetwork(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { network_id, envelope_version, epoch_secs, ...ledger } = value as Members;
  const addresses = [ledger['genesis_hash'], ledger['program'], ledger['config']];
  return (
    typeof network_id === 'string' &&
    (envelope_version === 1 || envelope_version === 2) &&
    isCount(epoch_secs) &&
    epoch_secs !== 0 &&
    addresses.every((one) => one === undefined || one === null || isId(one))
  );
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && parseAgentId(value) !== undefined;
}

function isMoment(value: unknown): boolean {
  return isCount(value) && (value as number) <= LAST;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
