import { normaliseAgentId } from '../../core/plugin.ts';
import type { AgentSigner, LocalAgents, Random } from '../../core/services.ts';
import { seal, unseal } from './sealed.ts';

const SEED_LENGTH = 32;

export interface SubKey {
  /** The agent's id in base58, which is the key itself. */
  readonly id: string;
  /** The seed as it is stored. */
  readonly sealed: string;
  readonly signer: AgentSigner;
}

/** The keys of hosted agents. A seed is decrypted for one signature and wiped again; nothing hands one out. */
export class SubKeys {
  readonly #key: Uint8Array;
  readonly #agents: Pick<LocalAgents, 'signerOf'>;
  readonly #random: Pick<Random, 'bytes'>;

  constructor(key: Uint8Array, agents: Pick<LocalAgents, 'signerOf'>, random: Pick<Random, 'bytes'>) {
    this.#key = key;
    this.#agents = agents;
    this.#random = random;
  }

  /** A fresh key. */
  make(): SubKey {
    const seed = this.#random.bytes(SEED_LENGTH);
    try {
      const { key } = this.#agents.signerOf(seed);
      const id = idOf(key);
      const sealed = seal(this.#key, seed, id, this.#random);
      return { id, sealed, signer: this.#signer(id, key, sealed) };
    } finally {
      seed.fill(0);
    }
  }

  /** The signer of a stored seed. Throws for one that is damaged, or of another agent. */
  open(id: string, sealed: string): AgentSigner {
    const key = this.#with(id, sealed, (signer) => signer.key);
    if (idOf(key) !== id) throw new Error(`the stored key of agent ${id} is that of another agent; restore a backup`);
    return this.#signer(id, key, sealed);
  }

  #signer(id: string, key: Uint8Array, sealed: string): AgentSigner {
    return {
      key,
      sign: (bytes) => this.#with(id, sealed, (signer) => signer.sign(bytes)),
      open: (...given) => this.#with(id, sealed, (signer) => signer.open(...given)),
    };
  }

  #with<T>(id: string, sealed: string, work: (signer: AgentSigner) => T): T {
    const seed = unseal(this.#key, sealed, id);
    if (!seed) throw new Error(`the stored key of agent ${id} is damaged; restore a backup`);
    try {
      return work(this.#agents.signerOf(seed));
    } finally {
      seed.fill(0);
    }
  }
}

function idOf(key: Uint8Array): string {
  const id = normaliseAgentId(Buffer.from(key).toString('hex'));
  if (id === undefined) throw new Error('a signer has no key of 32 bytes');
  return id;
}
