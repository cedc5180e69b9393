// The explorer is looked at in a Chromium; this finds it, or installs it.
import { provideProgram } from './provide-program.js';

const INSTALL = ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'];
const MANAGERS = {
  'apt-get': [INSTALL, ['update'], INSTALL],
  apk: [['add', '--no-cache', 'chromium', 'font-dejavu']],
  dnf: [['install', '-y', 'chromium']],
};

/** Says in one sentence what to do when there is none and none can be installed. */
export function provideChromium(say) {
  provideProgram({
    programs: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    managers: MANAGERS,
    installing: (manager) => `Installing Chromium with ${manager} for the tests of the explorer ...`,
    skipped: 'The tests of the explorer in a browser are skipped: install Chromium.',
    say,
  });
}
