// The Redis tests start servers of their own; this finds the program, or installs it.
import { provideProgram } from './provide-program.js';

const SERVERS = ['redis-server', 'valkey-server', 'redis-check-rdb'];
/**
 * Lines that install a server, one after the other until there is one. Debian's redis-tools is the server's program
 * without the service; the other systems install a service, too, and do not start it.
 */
const MANAGERS = {
  'apt-get': [
    ['install', '-y', '--no-install-recommends', 'redis-tools'],
    ['update'],
    ['install', '-y', '--no-install-recommends', 'redis-tools'],
  ],
  apk: [
    ['add', '--no-cache', 'redis'],
    ['add', '--no-cache', 'valkey'],
  ],
  dnf: [
    ['install', '-y', 'redis'],
    ['install', '-y', 'valkey'],
  ],
  yum: [['install', '-y', 'redis']],
  zypper: [
    ['--non-interactive', 'install', 'redis'],
    ['--non-interactive', 'install', 'valkey'],
  ],
  pacman: [['-Sy', '--noconfirm', 'valkey']],
};

/** Says in one sentence what to do when there is none and none can be installed. */
export function provideRedis(say) {
  if (process.env.REDIS_URL) return;
  provideProgram({
    programs: SERVERS,
    managers: MANAGERS,
    installing: (manager) => `Installing a Redis with ${manager} for the Redis tests ...`,
    skipped: 'The Redis tests are skipped: install redis-server, or set REDIS_URL to a Redis that may be written to.',
    say,
  });
}
