import { parseArgs } from 'node:util';
import { play } from './play.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
const say = (text: string) => process.stderr.write(`${text}\n`);
const begun = performance.now();
const outcome = await play({
  rounds,
  seed,
  onRound(round, world) {
    if (round % 20 === 0)
      say(
        `round ${round} of ${rounds}, ${seconds()} s, ${world.kills} kills, ${world.notes.violations.length} violations, RPCs ${world.moods}`,
      );
  },
  onViolation({ rule, round, what, history }) {
    say(
      `\nVIOLATION of ${rule}, seed ${seed}, round ${round}: ${what}\n${history.map((line) => `    ${line}`).join('\n')}\n`,
    );
  },
});
if (values.json) process.stdout.write(`${JSON.stringify({ ...outcome, seconds: seconds() })}\n`);
else say(JSON.stringify(outcome.counts, null, 1));
process.exitCode = outcome.violations.length > 0 ? 1 : 0;

function seconds(): number {
  return Math.round((performance.now() - begun) / 1000);
}
