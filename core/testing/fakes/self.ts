import type { Self } from '../../services.ts';

const ID = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';

/** A node of which a test says what the plugin asks about: `services: [value(Self, fakeSelf({ aggregators: [url] }))]`. */
export function fakeSelf(fields: Partial<Self> = {}): Self {
  return {
    id: ID,
    address: ID,
    name: 'fake',
    network: 'local',
    envelopeVersion: 2,
    profile: 'node',
    aggregators: [],
    url: () => 'http://127.0.0.1:9090',
    ...fields,
  };
}
