import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Identity, Ledger, Network, SigningLock, Verifier } from '../../internal-services.ts';
import { networkParts } from '../../ledger/network-parts.ts';
import { lockable, SigningLock as SigningLockService } from '../../messaging/signing-lock.ts';
import { Verifier as VerifierService } from '../../messaging/verification/verifier.ts';
import { equalBytes } from '../../platform/bytes.ts';
import { makeFolder } from '../../platform/new-file.ts';
import { optional } from '../../plugin.ts';
import { parseAgentId } from '../../protocol/identity/ids.ts';
import { defineNetwork } from '../../protocol/identity/network.ts';
import { provider } from '../../provider.ts';
import { Random } from '../../services.ts';
import { UNFINISHED } from '../backup/files.ts';
import { confirmsAgentIds } from '../config/registry-plugin.ts';
import { IdentityError, openKeyFile, requireAgentId } from '../key-file.ts';

export const signingLockProvider = provider(SigningLock, { open: () => new SigningLockService() });

/** The key of the key file, made at first start; refused when it is not the one of the agent this must be. */
export const identityProvider = provider(Identity, {
  uses: { random: Random, halt: SigningLock },
  open({ random, halt }, { settings, profile, note }) {
    requireFinished(settings.dataDir);
    makeFolder(settings.dataDir);
    const { id, keyFile = join(settings.dataDir, 'identity.key') } = settings.agent;
    const identity = openKeyFile(keyFile, random);
    if (id !== undefined && !(confirmsAgentIds(settings, profile) && parseAgentId(id)))
      requireAgentId(identity, id, keyFile);
    note(`agent: ${identity.address}`);
    return lockable(identity, halt);
  },
});

/** Half of a restored node would sign what the other half knows nothing about. */
function requireFinished(dataDir: string): void {
  if (!existsSync(join(dataDir, UNFINISHED))) return;
  throw new IdentityError(`A restore into ${dataDir} was interrupted. Run mesh restore again, with --force.`);
}

/** Which mesh this is: its name and, where it settles on a ledger, the deployment it settles with. */
export const networkProvider = provider(Network, {
  uses: { ledger: optional(Ledger) },
  open({ ledger }, { settings }) {
    const network = defineNetwork(networkParts(ledger, settings.network));
    const stored = ledger?.settlement?.deployment.network;
    if (stored && !equalBytes(stored, network.id)) throw new Error('the settlement config is of another network');
    return network;
  },
});

export const verifierProvider = provider(Verifier, {
  open(_, { defer }) {
    const verifier = new VerifierService();
    defer(() => verifier.close());
    return verifier;
  },
});
