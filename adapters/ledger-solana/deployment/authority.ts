import { MeshError } from '../../../core/contracts/errors.ts';
import type { DeployOptions, UpgradeAuthority } from '../../../core/ledger/program-deployment.ts';
import { type Account, publicKey } from '../holdings.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../instructions.ts';
import { LOADER, programDataAddress } from '../program/index.ts';

/** The address that may change the program afterwards; null for nobody. Refuses one that cannot be meant. */
export function authorityAddress(
  choice: UpgradeAuthority,
  cluster: string,
  { payer, keys }: Pick<DeployOptions, 'payer' | 'keys'>,
): string | null {
  if (choice === 'final') return null;
  if (choice === 'payer') {
    if (cluster === 'mainnet-beta')
      throw refusal('The paying key lies in a file of this machine, so it may not change the program on mainnet-beta.');
    return payer.address;
  }
  const address = publicKey(choice.address).toBase58();
  if (address === payer.address)
    throw refusal('The upgrade authority is the paying key, which lies in a file of this machine.');
  const program = keys.program.address;
  const parts = [program, keys.config.address, keys.buffer.address, programDataAddress(program), LOADER];
  if (parts.includes(address)) throw refusal(`${address} is a part of the deployment and signs nothing.`);
  if (
    publicKey(address)
      .toBytes()
      .every((byte) => byte === 0)
  )
    throw refusal(`${address} is the System program; --final says that nobody may change the program.`);
  return address;
}

const CANNOT_SIGN = [
  LOADER,
  TOKEN_PROGRAM.toBase58(),
  TOKEN_2022_PROGRAM.toBase58(),
  'NativeLoader1111111111111111111111111111111',
];

/** A program or a token account given for a multisig would lose the right for ever. One that does not exist yet may be right. */
export function checkCanSign(address: string, account: Account | null | undefined): void {
  if (account && CANNOT_SIGN.includes(account.owner))
    throw refusal(`${address} is a program or a token account (owner ${account.owner}), which signs nothing.`);
}

function refusal(why: string): MeshError {
  return new MeshError(
    'invalid_request',
    `${why} Give --upgrade-authority the address of a multisig (of its vault, which signs), or --final.`,
  );
}
