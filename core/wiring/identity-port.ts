import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openKeyFile, requireAgentId } from '../identity/key-file.ts';
import { defineNetwork } from '../identity/network.ts';
import { Verifier as VerifierService } from '../identity/verifier.ts';
import { port } from '../port.ts';
import { Random } from '../ports.ts';
import { Identity, Network, Verifier } from './tokens.ts';

/** The key of the key file, made at first start; refused when it is not the one of the agent this must be. */
export const identityPort = port(Identity, {
  uses: { random: Random },
  async open({ random }, { settings, note }) {
    await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
    const { id, keyFile = join(settings.dataDir, 'identity.key') } = settings.agent;
    const identity = openKeyFile(keyFile, random);
    if (id !== undefined) requireAgentId(identity, id, keyFile);
    note(`agent: ${identity.address}`);
    return identity;
  },
});

/** Which mesh this is. The ledger parts of its name are zero until the settlement program is deployed. */
export const networkPort = port(Network, {
  open: (_, { settings }) => defineNetwork({ name: settings.network.id ?? 'localnet' }),
});

/**
 * An aggregator takes reports by the hundred: they wait for the thread pool, so that indexing goes on meanwhile. Few are in
 * the pool at once, because the disk is written through it too.
 */
const FOR_REPORTS = { maxInFlight: 16, maxWaiting: 4_096 };

export const verifierPort = port(Verifier, {
  open: (_, { settings }) => new VerifierService(settings.profile === 'aggregator' ? FOR_REPORTS : {}),
});
