import type { Economy } from '../../core/protocol/reputation/ground.ts';

/**
 * An economy as a story: `A*>B 100` (an anchor paid B 100 USDC), `burn P 50`, `stake P 100`, `risk A 100` (put down,
 * given back, and spoken ill of), parted by commas.
 */
export function economyOf(story: string) {
  const steps = story.split(', ').map((step) => step.split(' '));
  const named = steps.flatMap(([what, who]) => (what!.includes('>') ? what!.split('>') : [who!]));
  const anchors = new Set(named.filter((name) => name.endsWith('*')).map(bare));
  const names = [...new Set(named.map(bare))].sort();
  const place = new Map(names.map((name, index) => [name, index]));
  const paid = new Map<string, number>();
  const sums = { burn: names.map(() => 0), stake: names.map(() => 0), risk: names.map(() => 0) };
  for (const [what, ...rest] of steps) {
    if (what === 'burn' || what === 'stake' || what === 'risk') {
      sums[what][place.get(bare(rest[0]!))!]! += Number(rest[1]);
    } else {
      const pair = what!.split('>').map(bare).join('>');
      paid.set(pair, (paid.get(pair) ?? 0) + Number(rest[0]));
    }
  }
  const pairs = [...paid]
    .map(([pair, usdc]) => {
      const [from, to] = pair.split('>') as [string, string];
      return { pair, from: place.get(from)!, to: place.get(to)!, net: usdc - (paid.get(`${to}>${from}`) ?? 0) };
    })
    .filter(({ net }) => net > 0)
    .sort((one, other) => one.from - other.from || one.to - other.to);
  const economy: Economy = {
    clusters: names.length,
    payer: Int32Array.from(pairs, ({ from }) => from),
    target: Int32Array.from(pairs, ({ to }) => to),
    net: Float64Array.from(pairs, ({ net }) => net),
    risk: Float64Array.from(sums.risk),
    burnt: Float64Array.from(sums.burn),
    staked: Float64Array.from(sums.stake),
    anchor: Uint8Array.from(names, (name) => (anchors.has(name) ? 1 : 0)),
  };
  const indexes = new Map(pairs.map(({ pair }, index) => [pair, index]));
  return { economy, names, pairOf: (name: string) => indexes.get(name) };
}

function bare(name: string): string {
  return name.replace('*', '');
}
