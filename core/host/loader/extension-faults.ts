import type { LedgerEventName } from '../../messaging/extension-points.ts';
import { didYouMean } from '../../platform/nearest-name.ts';
import type { Problem } from '../../platform/problem.ts';
import type { Profile } from '../../plugin.ts';
import { isPrivate, MESSAGE_TYPES, type MessageName } from '../../protocol/envelopes/message-types.ts';
import { faceOf } from './declarations.ts';
import type { Loaded } from './load.ts';
import { placed } from './own-files.ts';
import { member } from './plugin-shape.ts';

const TYPES: readonly string[] = MESSAGE_TYPES.map(({ name }) => name);
const EVENTS: Readonly<Record<LedgerEventName, true>> = {
  escrow_locked: true,
  payee_changed: true,
  escrow_delivered: true,
  escrow_disputed: true,
  escrow_contested: true,
  escrow_approved: true,
  escrow_refunded: true,
  escrow_reclaimed: true,
  escrow_claimed: true,
  escrow_decided: true,
  escrow_split: true,
  agent_opened: true,
  agent_id_changed: true,
  lease_paid: true,
  stake_added: true,
  unlock_requested: true,
  agent_resumed: true,
  stake_withdrawn: true,
  batch_submitted: true,
  agent_accused: true,
  accusation_answered: true,
  accusation_voided: true,
  agent_slashed: true,
  owner_claimed: true,
  gap: true,
};

/** The points whose keys are names that core knows, the profile they are for, and how one is written. */
const NAMED = {
  receives: { names: TYPES, kind: 'message type', only: 'node', written: 'receives: { MESSAGE: true }' },
  sends: { names: TYPES, kind: 'message type', only: 'node', written: 'sends: { MESSAGE: true }' },
  indexes: { names: TYPES, kind: 'message type', only: 'aggregator', written: 'indexes: { FEEDBACK: true }' },
  ledgerEvents: {
    names: Object.keys(EVENTS),
    kind: 'event of the ledger',
    only: undefined,
    written: 'ledgerEvents: { owner_claimed: true }',
  },
} as const;
const GATES = "inboundGates: { registered: ['BEACON'] }";
const GATE_NAME = /^[a-z][A-Za-z0-9_-]{0,63}$/;
const MOST_GATES = 16;

type Fault = Omit<Problem, 'where'> & { readonly find?: RegExp };

const UNKEPT: Readonly<Record<string, Fault>> = {
  receives: {
    what: 'it receives BEACON, which no node journals',
    hint: 'handle it in envelopes, or ask a gate',
    find: member('BEACON'),
  },
  sends: {
    what: 'it takes part in sending BEACON, which the node does by itself',
    hint: 'leave it out',
    find: member('BEACON'),
  },
};

/** The faults of what a face declares for the points where core asks plugins. */
export function extensionProblems(loaded: Loaded, profile: Profile): Problem[] {
  const face = faceOf(loaded, profile) as object as Readonly<Record<string, unknown>>;
  const { name: where, permissions = [] } = loaded.plugin;
  const faults = [
    ...gateFaults(face['inboundGates'], profile),
    ...Object.entries(NAMED).flatMap(([point, said]) => namedFaults(point, face[point], said, profile)),
    ...permissionFaults(face, permissions),
  ];
  return faults.map((fault) => placed({ where, ...fault }, loaded.url));
}

function gateFaults(declared: unknown, profile: Profile): Fault[] {
  if (declared === undefined) return [];
  const find = member('inboundGates');
  if (!isObject(declared)) return [{ what: 'its inboundGates are no object', hint: `write ${GATES}`, find }];
  if (profile !== 'node')
    return [{ what: 'its aggregator face has inboundGates, which a node alone asks', hint: 'move them to node', find }];
  const gates = Object.entries(declared);
  if (gates.length > MOST_GATES) return [{ what: `it has more than ${MOST_GATES} inboundGates`, find }];
  return gates.flatMap(([name, types]): Fault[] => {
    if (!GATE_NAME.test(name))
      return [{ what: `${JSON.stringify(name)} is no name of a gate`, hint: `write ${GATES}`, find }];
    if (types === true) return [];
    if (!Array.isArray(types) || types.length === 0)
      return [
        {
          what: `its gate ${name} names no message types`,
          hint: `write ${GATES}, or true for all types`,
          find: member(name),
        },
      ];
    const [unknown] = types.filter((type) => !TYPES.includes(type));
    return unknown === undefined
      ? []
      : [{ ...unknownName('message type', String(unknown), TYPES), find: member(name) }];
  });
}

function namedFaults(
  point: string,
  declared: unknown,
  { names, kind, only, written }: (typeof NAMED)[keyof typeof NAMED],
  profile: Profile,
): Fault[] {
  if (declared === undefined) return [];
  const hint = `write ${written}, and its part under the same key in what setup returns`;
  if (!isObject(declared)) return [{ what: `its ${point} are no object`, hint, find: member(point) }];
  if (only !== undefined && profile !== only) {
    const what = `its ${profile} face has ${point}, which ${only === 'node' ? 'a node' : 'an aggregator'} alone has`;
    return [{ what, hint: `move them to ${only}`, find: member(point) }];
  }
  return Object.entries(declared).flatMap(([name, value]): Fault[] => {
    if (!names.includes(name)) return [{ ...unknownName(kind, name, names), find: member(name) }];
    if (name === 'BEACON' && UNKEPT[point]) return [UNKEPT[point]];
    if (value === true) return [];
    return [{ what: `its ${point} give ${name} something else than true`, hint, find: member(name) }];
  });
}

/** A plugin that keeps messages out, or reads private ones, says so in its permissions. */
function permissionFaults(face: Readonly<Record<string, unknown>>, permissions: readonly string[]): Fault[] {
  const faults: Fault[] = [];
  const lacks = (permission: string, what: string, find: RegExp) => {
    if (permissions.includes(permission)) return;
    faults.push({
      what: `${what} without the permission ${permission}`,
      hint: `its author adds permissions: ['${permission}']`,
      find,
    });
  };
  for (const point of ['inboundGates', 'receives', 'sends'] as const)
    if (isObject(face[point])) lacks('messages:gate', `has ${point}`, member(point));
  for (const [point, verb] of [['receives', 'receives'] as const, ['sends', 'takes part in sending'] as const]) {
    const types = isObject(face[point]) ? Object.keys(face[point]) : [];
    const [first] = types.filter((type) => TYPES.includes(type) && isPrivate(type as MessageName));
    if (first !== undefined) lacks('messages:read', `${verb} ${first}, which is private,`, member(first));
  }
  return faults;
}

function unknownName(kind: string, name: string, names: readonly string[]): Fault {
  return { what: `there is no ${kind} ${name}${didYouMean(name, names)}`, hint: `there are ${names.join(', ')}` };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
