/** Net payments between clusters: by payer, and for each payer by target, in the order of their numbers. */
export interface Links {
  readonly payer: Int32Array;
  readonly target: Int32Array;
  /** USDC, always above 0. */
  readonly net: Float64Array;
  /** USDC of all payments of the pair that way, before what came back is taken off. */
  readonly gross: Float64Array;
  /** The share of that with which the payee may vouch: what went to keys that were never changed. */
  readonly vouching: Float64Array;
  /** The place of a pair; -1 when the first paid the second nothing net. */
  placeOf(payer: number, target: number): number;
}

/** A payment of the cluster `payer[i]` to the cluster `target[i]`, in minor units, in any order; inside one it is none. */
export interface Payments {
  readonly clusters: number;
  readonly payer: Int32Array;
  readonly target: Int32Array;
  readonly minorUnits: Float64Array;
  /** 1 where the payment went to a key that was replaced or replaced another: it vouches for nobody. Nowhere unless given. */
  readonly silent?: Uint8Array | undefined;
}

const MINOR_UNITS = 1e6;

export function linksOf({ clusters, payer, target, minorUnits, silent }: Payments): Links {
  // Two stable sorts by counting: first by target, then by payer.
  const all = Int32Array.from(payer.keys());
  const order = sortedBy(sortedBy(all, target, clusters), payer, clusters);
  const from = new Int32Array(order.length);
  const to = new Int32Array(order.length);
  const paid = new Float64Array(order.length);
  const muted = new Float64Array(order.length);
  let last = -1;
  for (let place = 0; place < order.length; place++) {
    const index = order[place]!;
    if (payer[index] === target[index] || minorUnits[index] === 0) continue;
    if (last < 0 || from[last] !== payer[index] || to[last] !== target[index]) {
      last += 1;
      from[last] = payer[index]!;
      to[last] = target[index]!;
    }
    paid[last]! += minorUnits[index]!;
    if (silent?.[index]) muted[last]! += minorUnits[index]!;
  }
  const placed = indexOf(clusters, from.subarray(0, last + 1), to);
  const net = new Float64Array(last + 1);
  const gross = new Float64Array(last + 1);
  const vouching = new Float64Array(last + 1);
  let kept = 0;
  const payers = new Int32Array(last + 1);
  const targets = new Int32Array(last + 1);
  for (let place = 0; place <= last; place++) {
    const back = placed(to[place]!, from[place]!);
    const left = paid[place]! - (back < 0 ? 0 : paid[back]!);
    if (left <= 0) continue;
    payers[kept] = from[place]!;
    targets[kept] = to[place]!;
    gross[kept] = paid[place]! / MINOR_UNITS;
    vouching[kept] = (paid[place]! - muted[place]!) / paid[place]!;
    net[kept++] = left / MINOR_UNITS;
  }
  const [payerOf, targetOf] = [payers.slice(0, kept), targets.slice(0, kept)];
  return {
    ...{ payer: payerOf, target: targetOf, net: net.slice(0, kept), gross: gross.slice(0, kept) },
    vouching: vouching.slice(0, kept),
    placeOf: indexOf(clusters, payerOf, targetOf),
  };
}

/** A stable sort of `order` by the numbers below `limit` that `keys` gives. */
export function sortedBy(order: Int32Array, keys: Int32Array, limit: number): Int32Array {
  const ends = endsOf(keys, limit);
  const sorted = new Int32Array(order.length);
  for (let index = order.length - 1; index >= 0; index--) {
    const entry = order[index]!;
    sorted[--ends[keys[entry]!]!] = entry;
  }
  return sorted;
}

/** For each number below `limit`, how many keys are not above it. */
export function endsOf(keys: ArrayLike<number>, limit: number): Int32Array {
  const ends = new Int32Array(limit);
  for (let index = 0; index < keys.length; index++) ends[keys[index]!]! += 1;
  for (let number = 1; number < limit; number++) ends[number]! += ends[number - 1]!;
  return ends;
}

/** Finds a pair in lists that are in the order of payer and target. */
function indexOf(clusters: number, payer: Int32Array, target: Int32Array): Links['placeOf'] {
  const ends = endsOf(payer, clusters);
  return (from, to) => {
    let low = from === 0 ? 0 : ends[from - 1]!;
    let high = ends[from]!;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (target[middle]! < to) low = middle + 1;
      else high = middle;
    }
    return low < ends[from]! && target[low] === to ? low : -1;
  };
}
