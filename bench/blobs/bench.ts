import type { Bench } from '../framework/bench.ts';
import type { Carried } from './phase.ts';

/** Blobs of an aggregator: signed for, hashed, counted and forced to the disk, beside a server that only copies files. */
export const bench: Bench = {
  name: 'blobs',
  thorough: true,
  summary: 'uploads and downloads of blobs beside a plain copy of files over HTTP',
  async run({ quick, phase }) {
    const count = quick ? 40 : 160;
    const { uploads, plain_uploads, downloads, plain_downloads } = await phase<Carried>('blobs/phase.ts', [count]);
    const unit = 'of a plain copy over HTTP';
    return [
      {
        name: 'blob_uploads',
        value: uploads / plain_uploads,
        unit,
        from: { mib_per_s: uploads, plain_mib_per_s: plain_uploads },
      },
      {
        name: 'blob_downloads',
        value: downloads / plain_downloads,
        unit,
        from: { mib_per_s: downloads, plain_mib_per_s: plain_downloads },
      },
    ];
  },
};
