/**
 * `npm run test:money -- --rounds 2000 --seed 7`: plays random deals, stakes, leases, accusations, disputes and payments, or with
 * `--play services` withdrawals, payouts, launches, trades and sold calls, under faults and kills, and ends with 1 when a rule about money was broken. docs/localnet.md tells more.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Violation } from './notes.ts';
import { type Outcome, play } from './play.ts';
import { playServices } from './services/play.ts';

/** From here on two worlds share the rounds, each in a process of its own. */
const MANY = 500;
const HELP = `npm run test:money -- [--rounds N] [--seed S] [--worlds W] [--play P] [--json]

  --rounds  actions to play, 200 unless given; time passes with each
  --seed    decides what is done, what goes wrong and who is killed; 1 unless given
  --worlds  processes that share the rounds, with seeds S, S + 1, …; 1, or 2 from ${MANY} rounds on
  --play    deals, or services (withdrawals, payouts, launches, sponsor, trade and sold calls among stand-ins); deals unless given
  --json    prints one JSON object at the end: violations with the history of their deals, and counts`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    worlds: { type: 'string' },
    play: { type: 'string', default: 'deals' },
    json: { type: 'boolean', default: false },
    /** Of a process that plays beside others: the one that began it reads the outcome. */
    share: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) say(HELP);
else if (values.play !== 'deals' && values.play !== 'services') {
  say(`--play must be deals or services, not ${values.play}.\n\n${HELP}`);
  process.exitCode = 2;
} else await run(natural('rounds', values.rounds), natural('seed', values.seed));

async function run(rounds: number, seed: number): Promise<void> {
  const worlds = natural('worlds', values.worlds ?? (rounds >= MANY ? '2' : '1'));
  const begun = performance.now();
  const outcomes = worlds === 1 ? [await playHere(rounds, seed)] : await playBeside(rounds, seed, worlds);
  const seconds = Math.round((performance.now() - begun) / 1_000);
  const violations = outcomes.flatMap((outcome) => outcome.violations);
  if (values.share) process.send!(outcomes[0]);
  else if (values.json)
    process.stdout.write(`${JSON.stringify({ rounds, seed, seconds, violations, worlds: outcomes })}\n`);
  else for (const outcome of outcomes) sum(outcome);
  say(
    `${rounds} rounds in ${seconds} s, seed ${seed}: ${violations.length === 0 ? 'clean' : `${violations.length} violations`}`,
  );
  process.exitCode = violations.length > 0 ? 1 : 0;
}

function playHere(rounds: number, seed: number): Promise<Outcome> {
  const begun = performance.now();
  const options = { rounds, seed, onViolation: (violation: Violation) => say(shown(violation, rounds, seed)) };
  if (values.play === 'services')
    return playServices({
      ...options,
      onRound(round, { kills }) {
        if (round % 50 === 0) say(`seed ${seed}: round ${round} of ${rounds}, ${kills} kills`);
      },
    });
  return play({
    ...options,
    onRound(round, { kills, moods, notes }) {
      if (round % 50 !== 0) return;
      const seconds = Math.round((performance.now() - begun) / 1_000);
      say(
        `seed ${seed}: round ${round} of ${rounds}, ${seconds} s, ${kills} kills, RPCs ${moods}, ${notes.violations.length} violations`,
      );
    },
  });
}

async function playBeside(rounds: number, seed: number, worlds: number): Promise<Outcome[]> {
  const share = Math.ceil(rounds / worlds);
  return Promise.all(Array.from({ length: worlds }, (_, index) => played(share, seed + index)));
}

function played(rounds: number, seed: number): Promise<Outcome> {
  const flags = ['--rounds', String(rounds), '--seed', String(seed), '--worlds', '1', '--share', '--play', values.play];
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), flags, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', (outcome) => resolve(outcome as Outcome));
    child.once('exit', (code) => reject(new Error(`the world of seed ${seed} ended with ${code} and no outcome`)));
  });
}

function shown({ rule, round, what, history }: Violation, rounds: number, seed: number): string {
  const lines = history.map((line) => `    ${line}`).join('\n');
  return `\nVIOLATION of ${rule} in round ${round}: ${what}\n${lines}\n  again: npm run test:money -- --rounds ${rounds} --seed ${seed} --worlds 1 --play ${values.play}\n`;
}

function sum({ seed, counts }: Outcome): void {
  say(
    `seed ${seed}:\n${Object.entries(counts)
      .map(([what, count]) => `  ${String(count).padStart(6)}  ${what}`)
      .join('\n')}`,
  );
}

function natural(flag: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  say(`--${flag} must be a whole number from 1 on, not ${text}.\n\n${HELP}`);
  return process.exit(2);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
