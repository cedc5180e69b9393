import type { StoredAgent } from '../store/agents.ts';

/** Milliseconds of a round trip: not sooner than light in a fibre, nor later than a bad line takes. */
type Bounds = readonly [least: number, most: number];

/** The regions whose round trips tell something about a country. */
const REGIONS = ['us-east', 'eu-west', 'africa-south', 'asia-southeast'] as const;

/** Countries that are about as far from each of the regions, in their order. */
type Area = readonly [usEast: Bounds, euWest: Bounds, africaSouth: Bounds, asiaSoutheast: Bounds, countries: string];

const AREAS: readonly Area[] = [
  [[0, 80], [30, 220], [120, 420], [80, 360], 'US CA MX'],
  [[10, 140], [55, 260], [95, 420], [150, 440], 'CU DO HT JM TT BB CR PA GT HN SV NI BZ'],
  [[28, 220], [60, 300], [65, 440], [130, 480], 'BR AR CL CO PE VE EC BO PY UY GY SR GF'],
  [[42, 200], [0, 60], [65, 280], [85, 300], 'DE FR GB NL BE CH AT SE NO DK FI IE PT ES IT LU IS'],
  [[60, 220], [10, 100], [65, 300], [78, 320], 'PL CZ SK HU RO BG HR RS SI GR EE LV LT UA BY MD CY AL MK BA ME XK'],
  [[55, 260], [16, 180], [48, 340], [50, 340], 'EG MA DZ TN LY AE SA QA KW BH OM IQ IR IL JO LB SY TR'],
  [
    [58, 300],
    [40, 220],
    [0, 300],
    [50, 420],
    'NG GH KE ZA ET TZ UG RW SN CI CM CD AO MZ ZM ZW BW NA MG MU TG BJ ML BF NE TD SO ER SS',
  ],
  [[105, 360], [55, 300], [58, 420], [10, 200], 'IN PK BD LK NP AF MV'],
  [[125, 380], [80, 340], [75, 440], [0, 200], 'SG MY TH PH ID VN MM KH LA BN TL'],
  [[95, 340], [62, 360], [80, 460], [8, 260], 'JP KR CN TW HK MO MN'],
  [[85, 280], [35, 280], [70, 380], [45, 360], 'KZ UZ TM KG TJ'],
  [[110, 380], [130, 420], [78, 480], [24, 300], 'AU NZ FJ PG SB VU WS TO'],
];

const areas = new Map(AREAS.flatMap((area) => area[4].split(' ').map((country) => [country, area] as const)));

/**
 * Whether the measured round trips can be those of an agent in the country that it claims. Undefined while none was
 * measured from one of the regions, or the country is unknown.
 */
export function isConsistent({ country, latency }: Pick<StoredAgent, 'country' | 'latency'>): boolean | undefined {
  const area = country === undefined ? undefined : areas.get(country);
  if (!area || !latency) return undefined;
  const judged = REGIONS.map((region, place) => fits(latency[region], area[place as 0 | 1 | 2 | 3]));
  const known = judged.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : known.every(Boolean);
}

function fits(measured: number | undefined, [least, most]: Bounds): boolean | undefined {
  return measured === undefined ? undefined : measured >= least && measured <= most;
}
