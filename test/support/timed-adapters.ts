import { adapters } from '../../adapters/index.ts';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { declaring } from '../../core/host/wiring/adapter-settings.ts';
import type { Adapters } from '../../core/host/wiring/adapters.ts';

const { redis } = adapters.storage;

/** This package's adapters, but that a store on Redis goes by the clock that the test shifts, as those in files and in memory do. */
export const timedAdapters: Adapters = {
  ...adapters,
  storage: {
    ...adapters.storage,
    redis: declaring({ ...redis }, async ({ settings, clock, log }) => {
      const { url, prefix = 'mesh' } = settings;
      return redisStorage({ url: String(url), prefix: String(prefix), clock, log });
    }),
  },
};
