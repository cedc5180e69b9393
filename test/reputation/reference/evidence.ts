import type {
  Between,
  Contribution,
  Evidence,
  Mean,
  Opinion,
  RawMass,
  Said,
} from '../../../core/protocol/reputation/evidence.ts';
import { BAD, FREE_UNIT, GOOD, LONE, REQUESTER, SHARE, SHOWN } from '../../../core/protocol/reputation/parameters.ts';

/** What counts of what one cluster said of an agent. */
export function contributionOf(rater: string, said: Said, between: Between): Contribution {
  const { net, share, own, vouched } = between;
  const value = meanValue(said.paid);
  const counted = Math.min(said.paid.mass, net);
  const raw = Math.max(0, counted * own - counted * share);
  const opinions = [
    { rater, usdc: counted * share, value },
    { rater, usdc: said.returned.mass * share, value: meanValue(said.returned) },
    { rater, usdc: REQUESTER * Math.min(vouched, said.word.mass), value: meanValue(said.word) },
  ].filter(({ usdc }) => usdc > 0);
  const voice = meanValue(said.free);
  return {
    opinions,
    raw: raw > 0 ? { usdc: raw, value } : undefined,
    free: said.free.mass > 0 ? { weight: FREE_UNIT * Math.min(1, said.free.mass), value: voice } : undefined,
  };
}

/** Adds up what counts; `abandoned` is the weight of deals the agent left undelivered. */
export function evidenceOf(contributions: readonly Contribution[], abandoned: number, disputes: Mean): Evidence {
  const grounded = groundedMass(contributions.flatMap(({ opinions }) => opinions));
  const raw = contributions.flatMap((one) => one.raw ?? []);
  const free = contributions.flatMap((one) => one.free ?? []);
  return {
    ...grounded,
    rawUp: rawMass(raw.filter(({ value }) => value > 0)),
    rawDown: rawMass(raw.filter(({ value }) => value <= 0)),
    freeUp: freeWeight(free.filter(({ value }) => value > 0)),
    freeDown: freeWeight(free.filter(({ value }) => value <= 0)),
    abandoned,
    disputes,
  };
}

/**
 * No rater gives more than half of an agent's mass, above 5 USDC; bad news counts double. Whoever is content is content:
 * a ring gives nothing but 100, honest customers do not, so from some value on all count alike.
 */
function groundedMass(opinions: readonly Opinion[]): Pick<Evidence, 'mass' | 'sum' | 'rankSum' | 'blameSum'> {
  const byRater = new Map<string, number>();
  for (const { rater, usdc } of opinions) byRater.set(rater, (byRater.get(rater) ?? 0) + usdc);
  const most = Math.max(LONE, SHARE * [...byRater.values()].reduce((sum, usdc) => sum + usdc, 0));
  let mass = 0;
  let sum = 0;
  let rankSum = 0;
  let blameSum = 0;
  for (const { rater, usdc, value } of opinions) {
    const weight = usdc * Math.min(1, most / byRater.get(rater)!) * (value < 0 ? BAD : 1);
    mass += weight;
    sum += weight * lifted(value, SHOWN);
    rankSum += weight * lifted(value, GOOD);
    blameSum += weight * Math.min(0, value);
  }
  return { mass, sum, rankSum, blameSum };
}

function rawMass(parts: readonly { readonly usdc: number; readonly value: number }[]): RawMass {
  let usdc = 0;
  let sum = 0;
  let rankSum = 0;
  for (const part of parts) {
    usdc += part.usdc;
    sum += part.usdc * lifted(part.value, SHOWN);
    rankSum += part.usdc * lifted(part.value, GOOD);
  }
  return { usdc, sum, rankSum };
}

function freeWeight(parts: readonly { readonly weight: number; readonly value: number }[]): number {
  return parts.reduce((sum, { weight, value }) => sum + (weight * Math.abs(value)) / 100, 0);
}

function lifted(value: number, enough: number): number {
  return value > 0 ? Math.min(100, (100 * value) / enough) : value;
}

function meanValue({ mass, sum }: Mean): number {
  return mass > 0 ? sum / mass : 0;
}
