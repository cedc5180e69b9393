/** Minor units of an amount of the configuration. */
export function microOf(text: string): bigint {
  const [whole = '0', part = ''] = text.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'));
}

/** The shortest text of minor units. */
export function usdcText(micro: bigint): string {
  const part = String(micro % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return `${micro / 1_000_000n}${part && `.${part}`}`;
}
