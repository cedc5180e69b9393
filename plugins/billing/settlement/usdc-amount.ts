const DECIMALS = 6;
const MOST = 2n ** 64n - 1n;
const DECIMAL = /^(\d{1,14})(?:\.(\d{1,6}))?$/;

/** An amount of USDC: an unsigned 64-bit integer of minor units, of which 1 USDC has 1,000,000. */
export class UsdcAmount {
  readonly minor: bigint;

  /** Throws a RangeError outside of 0 to 2^64 - 1. */
  constructor(minor: bigint) {
    if (minor < 0n || minor > MOST) throw new RangeError('a USDC amount is from 0 to 2^64 - 1 minor units');
    this.minor = minor;
  }

  /** `UsdcAmount.parse('1.5').minor` is 1500000n. Throws a RangeError for anything but digits with at most six decimals. */
  static parse(text: string): UsdcAmount {
    const match = DECIMAL.exec(text);
    if (!match) throw new RangeError('a USDC amount is a decimal with at most six places');
    return new UsdcAmount(BigInt(match[1]! + (match[2] ?? '').padEnd(DECIMALS, '0')));
  }

  /** The decimal, without trailing zeros. */
  toString(): string {
    const digits = this.minor.toString().padStart(DECIMALS + 1, '0');
    const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
    return digits.slice(0, -DECIMALS) + (fraction && `.${fraction}`);
  }

  toJSON(): string {
    return this.toString();
  }
}
