import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openKeyFile } from '../identity/key-file.ts';
import { defineNetwork } from '../identity/network.ts';
import { Verifier as VerifierService } from '../identity/verifier.ts';
import { port } from '../port.ts';
import { Random } from '../ports.ts';
import { Identity, Network, Verifier } from './tokens.ts';

/** The key of `identity.key` in the data folder, made at first start. */
export const identityPort = port(Identity, {
  uses: { random: Random },
  async open({ random }, { settings, note }) {
    await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
    const identity = openKeyFile(join(settings.dataDir, 'identity.key'), random);
    note(`agent: ${identity.address}`);
    return identity;
  },
});

/** Which mesh this is. The ledger parts of its name are zero until the settlement program is deployed. */
export const networkPort = port(Network, {
  open: (_, { settings }) => defineNetwork({ name: settings.network.id ?? 'localnet' }),
});

export const verifierPort = port(Verifier, { open: () => new VerifierService() });
