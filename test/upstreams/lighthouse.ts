import { Assembler } from './transfer/assembler.ts';

export const LIGHTHOUSE = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';

/**
 * Stands in for the program by whose assertions wallets guard a transaction: one without accounts whose second byte is 255 fails, as an
 * assertion that does not hold; every other passes.
 */
export function lighthouseProgram(): Buffer {
  const code = new Assembler();
  // The count of accounts, the length of the data, the data.
  code.load('word', 2, 1).jumpUnless(2, 0, 'holds').load('byte', 3, 1, 17).jumpUnless(3, 255, 'holds');
  return code.set(0, 6_001).exit().label('holds').set(0, 0).exit().program();
}
