// In the place of node:net: the replay of evidence counts no addresses.
export const isIP = (): number => 0;
export const isIPv6 = (): boolean => false;

export class BlockList {
  addSubnet(): void {}
  check(): boolean {
    return false;
  }
}
