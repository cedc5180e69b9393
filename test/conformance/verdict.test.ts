import assert from 'node:assert/strict';
import { type Judge, verdictOf } from '../../conformance/judge.ts';
import { judges } from '../../conformance/judges.ts';
import { tableOf } from '../../conformance/table.ts';

const judge: Judge = {
  name: 'Vectors',
  source: 'somebody',
  exceptions: [{ name: 'odd: ', reason: 'it is open' }],
  judge: async () => ({ cases: 0, failures: [] }),
};
const odd = { name: 'odd: one', found: 'taken' };

describe('the verdict of a foreign judge', () => {
  it('takes listed exceptions out, and shows them with their reason', () => {
    const verdict = verdictOf(judge, { cases: 3, failures: [odd] });
    assert.deepEqual(verdict.failures, []);
    assert.deepEqual(
      verdict.excepted.map(({ exception, cases }) => [exception.name, cases]),
      [['odd: ', 1]],
    );
    assert.match(tableOf([verdict]), /^ok +Vectors +3 +0 +1 +somebody$/m);
    assert.match(tableOf([verdict]), /odd: +\(1\): it is open/);
  });

  it('fails on anything else', () => {
    const other = { name: 'even: one', found: 'refused' };
    const verdict = verdictOf(judge, { cases: 3, failures: [odd, other] });
    assert.deepEqual(verdict.failures, [other]);
    assert.match(tableOf([verdict]), /^FAILS/m);
  });

  it('fails when an exception is met by no case any more', () => {
    assert.match(verdictOf(judge, { cases: 3, failures: [] }).failures[0]!.found, /no case needs it/);
  });

  it('fails when nothing was looked at', () => {
    assert.match(verdictOf(judge, { cases: 0, failures: [odd] }).failures[0]!.found, /looked at nothing/);
  });

  it('is asked of judges with different names', () => {
    assert.equal(new Set(judges.map(({ name }) => name)).size, judges.length);
    assert.ok(judges.every(({ exceptions }) => exceptions.every(({ name, reason }) => name !== '' && reason !== '')));
  });
});
