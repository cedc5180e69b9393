import { didYouMean } from '../../platform/nearest-name.ts';
import type { Problem } from '../../platform/problem.ts';
import type { Profile } from '../../plugin.ts';
import { isPrivate, MESSAGE_TYPES, type MessageName } from '../../protocol/envelopes/message-types.ts';
import { faceOf } from './declarations.ts';
import type { Loaded } from './load.ts';

const NAMES: readonly string[] = MESSAGE_TYPES.map(({ name }) => name);
const SHAPE = 'write envelopes: { MESSAGE: true }, and the handlers under the same keys in what setup returns';

/** The faults of the message types that a face says it handles. */
export function envelopeProblems(loaded: Loaded, profile: Profile): Problem[] {
  const { name: where } = loaded.plugin;
  const declared: unknown = faceOf(loaded, profile).envelopes ?? {};
  if (typeof declared !== 'object' || Array.isArray(declared))
    return [{ where, what: 'its envelopes name no message types', hint: SHAPE }];
  return Object.entries(declared ?? {}).flatMap(([type, value]): Problem[] => {
    if (!isMessageName(type)) return [{ where, ...unknownType(type) }];
    if (value !== true) return [{ where, what: `its envelopes give ${type} something else than true`, hint: SHAPE }];
    return isPrivate(type) ? privateProblems(loaded, profile, type) : [];
  });
}

/** A node hands private messages to plugins that hold `messages:read`; an aggregator never has them. */
function privateProblems({ plugin }: Loaded, profile: Profile, type: MessageName): Problem[] {
  const { name: where, permissions = [] } = plugin;
  if (profile === 'aggregator') {
    const what = `handles ${type}, which is private: an aggregator gets receipts of it, not what it says`;
    return [{ where, what, hint: 'handle it in the face of a node' }];
  }
  if (permissions.includes('messages:read')) return [];
  const what = `handles ${type}, which is private, without the permission messages:read`;
  return [{ where, what, hint: "its author adds permissions: ['messages:read']" }];
}

function unknownType(type: string): Omit<Problem, 'where'> {
  return {
    what: `there is no message type ${type}${didYouMean(type, NAMES)}`,
    hint: `there are ${NAMES.join(', ')}`,
  };
}

function isMessageName(type: string): type is MessageName {
  return NAMES.includes(type);
}
