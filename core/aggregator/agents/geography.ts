import type { StoredAgent } from '../store/agents.ts';

/** Milliseconds of a round trip: not sooner than light in a fibre, nor later than a bad line takes. */
type Bounds = readonly [least: number, most: number];

/** Countries that are about as far from each of the two coasts of the Atlantic where regions are known. */
interface Area {
  readonly usEast: Bounds;
  readonly euWest: Bounds;
  readonly countries: string;
}

const AREAS: readonly Area[] = [
  { usEast: [0, 80], euWest: [30, 220], countries: 'US CA MX' },
  { usEast: [10, 140], euWest: [55, 260], countries: 'CU DO HT JM TT BB CR PA GT HN SV NI BZ' },
  { usEast: [28, 220], euWest: [60, 300], countries: 'BR AR CL CO PE VE EC BO PY UY GY SR GF' },
  { usEast: [42, 200], euWest: [0, 60], countries: 'DE FR GB NL BE CH AT SE NO DK FI IE PT ES IT LU IS' },
  {
    usEast: [60, 220],
    euWest: [10, 100],
    countries: 'PL CZ SK HU RO BG HR RS SI GR EE LV LT UA BY MD CY AL MK BA ME XK',
  },
  { usEast: [55, 260], euWest: [16, 180], countries: 'EG MA DZ TN LY AE SA QA KW BH OM IQ IR IL JO LB SY TR' },
  {
    usEast: [58, 300],
    euWest: [40, 220],
    countries: 'NG GH KE ZA ET TZ UG RW SN CI CM CD AO MZ ZM ZW BW NA MG MU TG BJ ML BF NE TD SO ER SS',
  },
  { usEast: [105, 360], euWest: [55, 300], countries: 'IN PK BD LK NP AF MV' },
  { usEast: [125, 380], euWest: [80, 340], countries: 'SG MY TH PH ID VN MM KH LA BN TL' },
  { usEast: [95, 340], euWest: [62, 360], countries: 'JP KR CN TW HK MO MN' },
  { usEast: [85, 280], euWest: [35, 280], countries: 'KZ UZ TM KG TJ' },
  { usEast: [110, 380], euWest: [130, 420], countries: 'AU NZ FJ PG SB VU WS TO' },
];

const areas = new Map(AREAS.flatMap((area) => area.countries.split(' ').map((country) => [country, area] as const)));

/**
 * Whether the measured round trips can be those of an agent in the country that it claims. Undefined while none was
 * measured from `us-east` or `eu-west`, or the country is unknown.
 */
export function isConsistent({ country, latency }: Pick<StoredAgent, 'country' | 'latency'>): boolean | undefined {
  const area = country === undefined ? undefined : areas.get(country);
  if (!area || !latency) return undefined;
  const judged = [fits(latency['us-east'], area.usEast), fits(latency['eu-west'], area.euWest)];
  const known = judged.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : known.every(Boolean);
}

function fits(measured: number | undefined, [least, most]: Bounds): boolean | undefined {
  return measured === undefined ? undefined : measured >= least && measured <= most;
}
