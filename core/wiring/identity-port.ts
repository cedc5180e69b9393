import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { equalBytes } from '../bytes.ts';
import { openKeyFile, requireAgentId } from '../identity/key-file.ts';
import { defineNetwork } from '../identity/network.ts';
import { Verifier as VerifierService } from '../identity/verifier.ts';
import { optional } from '../plugin.ts';
import { port } from '../port.ts';
import { Ledger, Random } from '../ports.ts';
import { networkParts } from './network-parts.ts';
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

/** Which mesh this is: its name and, where it settles on a ledger, the deployment it settles with. */
export const networkPort = port(Network, {
  uses: { ledger: optional(Ledger) },
  open({ ledger }, { settings }) {
    const network = defineNetwork(networkParts(ledger, settings.network));
    const stored = ledger?.settlement?.deployment.network;
    if (stored && !equalBytes(stored, network.id)) throw new Error('the settlement config is of another network');
    return network;
  },
});

export const verifierPort = port(Verifier, { open: () => new VerifierService() });
