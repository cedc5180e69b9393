import type { Peers, Self } from '../../../core/services.ts';
import type { A2aConfig, ServedAgent } from '../config.ts';
import { agentCard, type CardFacts } from './agent-card.ts';
import type { CardKey } from './card-key.ts';

const TOKEN = 'The token that the operator of this node gave to the client.';
const SECRET = 'The API secret of the node.';

export interface CardRackMeans {
  readonly self: Self;
  readonly peers: Peers;
  readonly key: CardKey;
  readonly config: A2aConfig;
}

/** The cards of the agents that this node serves, and of those that it can hire. */
export class CardRack {
  readonly #means: CardRackMeans;

  constructor(means: CardRackMeans) {
    this.#means = means;
  }

  /** The agent's part of the configuration; undefined for one that is not served here. */
  served(id: string): ServedAgent | undefined {
    const { self, config } = this.#means;
    const { description, skills, agents } = config;
    if (id === self.id) return { id, name: self.name, skills, ...(description !== undefined && { description }) };
    return agents.find((one) => one.id === id);
  }

  card(agent: ServedAgent, extended = false): object {
    const { self, key, config } = this.#means;
    const { id, name = id.slice(0, 8), skills = [] } = agent;
    const isOwn = id === self.id;
    const facts: CardFacts = {
      ...{ agentId: id, name, url: `${self.url()}/a2a/${id}` },
      description: agent.description ?? `${name}, an agent of the mesh ${self.network}.`,
      skills: extended ? [...skills, ...config.extendedSkills] : skills,
      pushes: config.clients.length > 0,
      extended: isOwn && config.extendedSkills.length > 0,
      token: config.guests ? undefined : TOKEN,
      ...(config.price !== '0' && { price: config.price }),
    };
    return agentCard(facts, self, key);
  }

  /** An agent of the mesh as this node hires it, by what it says of itself. */
  async hired(id: string): Promise<object> {
    const { self, peers, key } = this.#means;
    const { name = '', capabilities = [] } = (await peers.get(id)) ?? {};
    const shown = name || id.slice(0, 8);
    const skills = capabilities.slice(0, 32).map((capability) => ({
      ...{ id: capability, name: capability, description: `${shown} says it does this.`, tags: [capability] },
    }));
    const facts: CardFacts = {
      ...{
        agentId: id,
        name: shown,
        url: `${self.url()}/a2a/hire/${id}`,
        skills,
        pushes: true,
        extended: false,
        token: SECRET,
      },
      description: `${shown}, an agent of the mesh ${self.network}, hired and paid by the node ${self.name}.`,
    };
    return agentCard(facts, self, key);
  }
}
