import type { SchemaTypes } from '../../schemas/types.ts';
import type { Settings } from '../internal-services.ts';
import type { AdvertisePayload } from '../protocol/envelopes/payloads/payloads.ts';
import { collection } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';

const advertisements = collection<SchemaTypes['advertisement-record']>('advertisements', {
  schema: 'advertisement-record',
});
const OWN = advertisements.ref('own');

type Members = Record<string, string>;

/**
 * An agent says of itself its configuration, with what it said at the API over it. Of a member that was said over a
 * configuration which has changed since, the configuration is the newer word.
 */
export class Advertisement {
  readonly #space: Space;
  readonly #configured: Members;
  #said: Members;

  private constructor(space: Space, configured: Members, said: Members) {
    this.#space = space;
    this.#configured = configured;
    this.#said = said;
  }

  static async open(space: Space, { agent }: Pick<Settings, 'agent'>): Promise<Advertisement> {
    const configured = membersOf(configuredIn(agent));
    const stored = await space.get(OWN);
    const said = Object.entries(stored?.said ?? {}).filter(([name]) => stored!.configured[name] === configured[name]);
    return new Advertisement(space, configured, Object.fromEntries(said));
  }

  get payload(): AdvertisePayload {
    const members = Object.entries({ ...this.#configured, ...this.#said });
    return Object.fromEntries(members.map(([name, json]) => [name, JSON.parse(json)]));
  }

  /** Whether there is anything to say. */
  get isEmpty(): boolean {
    return Object.keys(this.payload).length === 0;
  }

  async say(changes: AdvertisePayload): Promise<void> {
    this.#said = { ...this.#said, ...membersOf(changes) };
    await this.#space.put(OWN, { said: this.#said, configured: this.#configured });
  }
}

function configuredIn({ capabilities, description, geo, priceRangeUsd }: Settings['agent']): AdvertisePayload {
  const country = geo?.country?.toUpperCase();
  const place = { ...(country && { country }), ...(geo?.city && { city: geo.city }) };
  return {
    ...(capabilities && { capabilities }),
    ...(description && { description }),
    ...(Object.keys(place).length > 0 && { geo: place }),
    ...(priceRangeUsd && { price_range_usd: priceRangeUsd as [number, number] }),
  };
}

/** Each member as JSON, so that it can be compared and kept whatever it is. */
function membersOf(payload: AdvertisePayload): Members {
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, JSON.stringify(value)]));
}
