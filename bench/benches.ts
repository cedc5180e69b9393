import { bench as billing } from './billing/bench.ts';
import { bench as blobs } from './blobs/bench.ts';
import { bench as costs } from './costs/bench.ts';
import { bench as doors } from './doors/bench.ts';
import { bench as escrow } from './escrow/bench.ts';
import { bench as fanout } from './fanout/bench.ts';
import { bench as footprint } from './footprint/bench.ts';
import type { Bench } from './framework/bench.ts';
import { bench as hosted } from './hosted/bench.ts';
import { bench as idle } from './idle/bench.ts';
import { bench as ingest } from './ingest/bench.ts';
import { bench as newcomers } from './newcomers/bench.ts';
import { bench as pages } from './pages/bench.ts';
import { bench as score } from './score/bench.ts';
import { bench as serve } from './serve/bench.ts';
import { bench as settlements } from './settlements/bench.ts';
import { bench as several } from './several/bench.ts';
import { bench as storage } from './storage/bench.ts';
import { bench as wire } from './wire/bench.ts';
import { bench as nodes } from './wire/nodes-bench.ts';
import { bench as x402 } from './x402/bench.ts';

/** In the order in which they run. */
export const benches: readonly Bench<any>[] = [
  ingest,
  several,
  score,
  wire,
  nodes,
  newcomers,
  fanout,
  serve,
  storage,
  footprint,
  costs,
  escrow,
  idle,
  hosted,
  blobs,
  billing,
  doors,
  settlements,
  pages,
  x402,
];
