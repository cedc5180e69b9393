import type { UpgradeAuthority } from '../ledger/program-deployment.ts';
import { type Terminal, UsageError } from './command.ts';

/** The upgrade authority that the command line names; undefined when it names none. */
export function givenAuthority(address: string | undefined, final: boolean): UpgradeAuthority | undefined {
  if (final && address !== undefined)
    throw new UsageError('--final and --upgrade-authority exclude each other: give one of them');
  if (final) return 'final';
  if (address === undefined) return undefined;
  return address === 'payer' || address === 'final' ? address : { address };
}

const MISSING = `Say who may change the program later, before anything is uploaded:
  --upgrade-authority ADDRESS  a multisig (its vault); whoever holds it can replace the rules that hold everybody's money
  --final                      nobody: the rules stay, and so do their mistakes`;

/** The choice for a cluster: what was given, the paying key on a localnet, else what the person at the terminal says. */
export async function chosenAuthority(
  given: UpgradeAuthority | undefined,
  cluster: string,
  { ask, tell }: { readonly ask: Terminal['ask'] | undefined; readonly tell: (text: string) => void },
): Promise<UpgradeAuthority> {
  if (given !== undefined) return given;
  if (cluster === 'localnet') {
    tell('upgrades: by the paying key, as this is a localnet; elsewhere give --upgrade-authority or --final');
    return 'payer';
  }
  if (!ask) throw new UsageError(MISSING);
  tell(MISSING);
  const answer = (await ask('Address of the multisig, or "final": ')).trim();
  const authority = givenAuthority(answer === '' ? undefined : answer, false);
  if (authority === undefined || authority === 'payer') throw new UsageError(MISSING);
  return authority;
}
