import type { Self } from '../../../core/services.ts';
import type { Skill } from '../config.ts';
import { DEAL_EXTENSION } from '../protocol/objects.ts';
import type { CardKey } from './card-key.ts';

/** Of the interface that clients see. */
const VERSION = '1.0.0';
const MODES = ['text/plain', 'application/json'];
const WORK: Skill = {
  id: 'work',
  name: 'Work on request',
  description: 'Takes a task in words and answers with a result.',
  tags: ['agent-mesh'],
};

export interface CardFacts {
  readonly agentId: string;
  readonly name: string;
  readonly description: string;
  /** Of the interfaces, absolute. */
  readonly url: string;
  readonly skills: readonly Skill[];
  readonly pushes: boolean;
  readonly extended: boolean;
  /** Sentence about the token that callers need; undefined where everybody may call. */
  readonly token: string | undefined;
  readonly price?: string;
}

/**
 * An agent card, signed. No member is empty: the specification and the stock SDKs canonicalise empty members in different ways. Members
 * of ours stand in an extension, because the SDKs drop others before they verify.
 */
export function agentCard(facts: CardFacts, self: Self, key: CardKey): object {
  const { agentId, name, description, url, skills, pushes, extended, token, price } = facts;
  const deal = {
    agent_id: agentId,
    node_id: self.id,
    network: self.network,
    ...key.certificate,
    ...(price && { price_usdc: price }),
  };
  const card = {
    name,
    description,
    supportedInterfaces: ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({
      url,
      protocolBinding,
      protocolVersion: '1.0',
    })),
    provider: { organization: self.name, url: self.url() },
    version: VERSION,
    capabilities: {
      ...{ streaming: true, pushNotifications: pushes, extendedAgentCard: extended },
      extensions: [
        { uri: DEAL_EXTENSION, description: 'A task is a deal of the mesh; its terms and steps.', params: deal },
      ],
    },
    ...(token !== undefined && {
      securitySchemes: { token: { httpAuthSecurityScheme: { scheme: 'Bearer', description: token } } },
      securityRequirements: [{ schemes: { token: { list: ['tasks'] } } }],
    }),
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: skills.length > 0 ? skills : [WORK],
  };
  return { ...card, signatures: [key.sign(card, `${self.url()}/.well-known/jwks.json`)] };
}
