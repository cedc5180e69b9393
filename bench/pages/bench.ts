import { findChromium } from '../../test/plugins/explorer/support/browser.ts';
import type { Bench, Figure } from '../framework/bench.ts';
import type { Read } from './readers.ts';
import type { Visited } from './visits.ts';

const READERS = 1_000;

/**
 * The pages of explorer and console as a visitor with a slow machine meets them, and a thousand open overviews as the
 * aggregator does.
 */
export const bench: Bench = {
  name: 'pages',
  summary: 'bytes and time to the first figure of every page, and 1,000 open overviews',
  onDemand: true,
  async run({ quick, folder, phase, say }) {
    const figures: Figure[] = [];
    if (!findChromium()) say('  no Chromium is installed: the pages are not visited');
    else figures.push(...visited(await phase<Visited[]>('pages/visits.ts', [quick ? 1 : 3])));
    const read = await phase<Read>('pages/readers.ts', [folder(), READERS, quick ? 5 : 20]);
    return [...figures, ...ofReaders(read)];
  },
};

function visited(visits: readonly Visited[]): Figure[] {
  return visits.flatMap(({ name, ms, cpu, files, data, requests, load }) => [
    {
      name: `page_${name}_kB`,
      value: (files + data) / 1_000,
      // Documentation reads a guide or the API document, and has no figures.
      ...(!name.startsWith('docs') && { goal: '<= 60' as const }),
      unit: 'kB',
      from: { files_kB: files / 1_000, data_kB: data / 1_000, requests },
    },
    { name: `page_${name}_s`, value: ms / 1_000, goal: '<= 1', unit: 's', from: { thread_s: cpu / 1_000, load } },
  ]);
}

function ofReaders({ opened, alone, open }: Read): Figure[] {
  return [
    {
      name: 'readers_open_s',
      value: opened.took / 1_000,
      unit: 's',
      from: { cpu_ms_each: opened.cpu / opened.readers },
    },
    {
      name: 'readers_reached_ms',
      value: open.reached.median,
      unit: 'ms',
      from: {
        worst_ms: open.reached.worst,
        reports: open.reports,
        told_alone_ms: alone.told.median,
        told_ms: open.told.median,
      },
    },
    {
      name: 'readers_cpu_us',
      value: ((open.cpu - alone.cpu) * 1_000) / open.deliveries,
      unit: 'us/delivery',
      from: { deliveries: open.deliveries, cores_alone: alone.cpu / alone.took, cores: open.cpu / open.took },
    },
    {
      name: 'readers_reads_cpu',
      value: open.reads.cpu / open.reads.took,
      unit: 'cores',
      from: { reads_per_s: (open.reads.count / open.reads.took) * 1_000 },
    },
  ];
}
