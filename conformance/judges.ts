import type { Judge } from './judge.ts';
import { a2a } from './judges/a2a.ts';
import { asyncapi } from './judges/asyncapi.ts';
import { fuzz } from './judges/fuzz.ts';
import { jsonSchema } from './judges/json-schema.ts';
import { mcp } from './judges/mcp.ts';
import { metrics } from './judges/metrics.ts';
import { noise } from './judges/noise.ts';
import { openapi } from './judges/openapi.ts';
import { site } from './judges/site.ts';
import { chacha, ed25519, x25519 } from './judges/wycheproof.ts';

export const judges: readonly Judge[] = [
  ed25519,
  x25519,
  chacha,
  noise,
  jsonSchema,
  openapi,
  asyncapi,
  metrics,
  site,
  fuzz,
  mcp,
  a2a,
];
