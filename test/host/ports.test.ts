import assert from 'node:assert/strict';
import { provider, value } from '../../core/host/boot/boot-node.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { definePlugin, optional, token } from '../../core/plugin.ts';
import { Clock } from '../../core/services.ts';
import { bootFailure } from '../support/boot-failure.ts';
import { testNode } from '../support/node.ts';

const Farewell = token<{ bye(): string }>('test/farewell');

describe('providers', () => {
  it('are opened by their needs, closed last, and named when they fail', async () => {
    const events: string[] = [];
    const Disk = token<string>('test/disk');
    const Cache = token<string>('test/cache');
    const providers = [
      provider(Cache, {
        uses: { disk: Disk, farewell: optional(Farewell) },
        open({ disk, farewell }, { defer, note }) {
          events.push(`cache on ${disk} ${farewell}`);
          note('the cache is warm');
          defer(() => events.push('cache closed'));
          return 'cache';
        },
      }),
      provider(Disk, {
        async open(_, { defer }) {
          events.push('disk');
          defer(() => events.push('disk closed'));
          return 'disk';
        },
      }),
    ];
    const user = definePlugin({
      name: 'user',
      api: '2.0',
      node: {
        uses: { cache: Cache },
        setup: ({ cache }, { defer, signal }) => {
          events.push(`face on ${cache}`);
          defer(() => events.push(`face closed ${signal.aborted}`));
          return {
            ready: () => void events.push('face ready'),
            stop: () => void events.push('face stopped'),
          };
        },
      },
    });
    const node = await testNode({ providers, plugins: [user] });
    assert.deepEqual(node.report.notes, ['the cache is warm']);
    assert.deepEqual(await node.stop(), []);
    assert.deepEqual(events, [
      'disk',
      'cache on disk undefined',
      'face on cache',
      'face ready',
      'face stopped',
      'face closed true',
      'cache closed',
      'disk closed',
    ]);
    const replaced = await testNode({ providers: [...providers, value(Disk, 'floppy')], plugins: [user] });
    assert.ok(events.includes('cache on floppy undefined'));
    await replaced.stop();

    const broken = provider(Disk, {
      open() {
        throw new Error('it is full; delete something');
      },
    });
    const error = await bootFailure({ providers: [...providers, broken], plugins: [user] });
    assert.deepEqual(error.problems, [
      { where: 'test/disk', what: 'could not be opened: it is full; delete something' },
    ]);
    const shut = provider(Disk, {
      open() {
        throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
      },
    });
    const refused = await bootFailure({ providers: [...providers, shut], plugins: [user] });
    assert.match(refused.message, /permission denied; start as the user who owns it, or give it to this one/);
    const missing = await bootFailure({ providers: providers.slice(0, 1), plugins: [user] });
    assert.match(missing.message, /test\/cache: uses test\/disk, which nobody provides/);
    const twice = await bootFailure({ providers: [value(Clock, systemClock)] });
    assert.match(twice.message, /clock: provides clock, which core provides already/);
  });
});
