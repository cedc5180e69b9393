// mocha's own report, closed by lines that any tool can read.
//
// A test is tried twice, because real sockets, servers and disks on a busy machine are late now and then. What passed only
// at its second try is named with its first error, so that nobody overlooks it. A property that failed has found
// something: no second try with other values outvotes it.
const { reporters, Runner } = require('mocha');

const { EVENT_RUN_END, EVENT_TEST_RETRY } = Runner.constants;

const PATIENCE = 15_000;

module.exports = class Reporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const again = [];
    runner.on(EVENT_TEST_RETRY, (test, error) => {
      if (/^Property (failed|interrupted)/.test(error.message)) runner.fail(test, error);
      else again.push(`  ${test.fullTitle()}\n    ${error.stack}`);
    });
    runner.once(EVENT_RUN_END, () => {
      const { passes, failures, pending } = runner.stats;
      const retried = again.length === 0 ? '' : `\n${again.length} tried again:\n${again.join('\n')}\n`;
      const sum = `${passes} passed, ${failures} failed, ${pending} skipped`;
      // What a failed test left open would keep everybody waiting for the exit code.
      setTimeout(() => {
        process.stdout.write('\nSomething that a test left open keeps this process alive; it ends now.\n');
        process.exit();
      }, PATIENCE).unref();
      process.once('exit', () => process.stdout.write(`${retried}\n${sum}\n`));
    });
  }
};
