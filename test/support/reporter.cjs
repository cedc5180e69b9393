// mocha's own report, closed by lines that any tool can read.
//
// A test is tried twice, because real sockets, servers and disks on a busy machine are late now and then. What passed only
// at its second try is named with its first error, so that nobody overlooks it. A property that failed has found
// something: no second try with other values outvotes it.
const { reporters, Runner } = require('mocha');

const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_RETRY } = Runner.constants;

const PATIENCE = 15_000;

module.exports = class Reporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    this.retried = [];
    this.failed = [];
    runner.on(EVENT_TEST_RETRY, (test, error) => {
      if (/^Property (failed|interrupted)/.test(error.message)) runner.fail(test, error);
      else this.retried.push(named(test, error));
    });
    runner.on(EVENT_TEST_FAIL, (test, error) => this.failed.push(named(test, error)));
    runner.once(EVENT_RUN_END, () => this.close(runner.stats));
  }

  close({ passes, failures, pending }) {
    endWithPatience();
    process.once('exit', () =>
      process.stdout.write(closingLines({ retried: this.retried, passes, failures, pending })),
    );
  }
};

Object.assign(module.exports, { closingLines, endWithPatience });

function closingLines({ retried, passes, failures, pending }) {
  const list = retried.length === 0 ? '' : `\n${retried.length} tried again:\n${retried.join('\n')}\n`;
  return `${list}\n${passes} passed, ${failures} failed, ${pending} skipped\n`;
}

/** What a failed test left open would keep everybody waiting for the exit code. */
function endWithPatience() {
  setTimeout(() => {
    process.stdout.write('\nSomething that a test left open keeps this process alive; it ends now.\n');
    process.exit();
  }, PATIENCE).unref();
}

function named(test, error) {
  return `  ${test.fullTitle()}\n    ${error.stack ?? error}`;
}
