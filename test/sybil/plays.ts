import * as attacks from './attacks.ts';
import * as disguises from './disguises.ts';
import type { Measured } from './measures.ts';
import type { World } from './world.ts';

/** What SCORE.md promises about an attack. */
export interface Goal {
  readonly says: string;
  holds(found: Measured): boolean;
}

export interface Play {
  readonly name: string;
  readonly attack: attacks.Attack;
  /** None for what is told and not promised: docs/reputation.md, _What is not solved_. */
  readonly goals: readonly Goal[];
  /** Whether it happens among the honest traffic, because time is part of it, and not after it. */
  readonly slowly?: boolean;
  /** Whether it happens with the one before it: what the two do does not touch. */
  readonly together?: boolean;
}

/** Points that praise for nothing, blame for nothing, and money that is not grounded move a score by at most. */
const FREE_POINTS = 5;
const BLAME_POINTS = 3;
const RAW_POINTS = 9;
const RAW_BLAME_POINTS = 5;
/** Grounded USDC that a ring can have for one that it spent outside, burnt and staked (docs/reputation.md, _Ground_). */
const FOR_SPENT = 0.4;
const FOR_BURNT = 0.67;
const FOR_STAKED = 0.067;

/** Work of which its customers say little good, on the whole. */
const MIDDLING = 0.45;

/** Sellers from which on a share of them means something. */
const MANY = 50;

const outranksNobody: Goal = { says: 'outranks nobody paid', holds: ({ outranked }) => outranked === 0 };
const outranksNobodyGrounded: Goal = {
  says: 'outranks nobody with 1 grounded USDC',
  holds: ({ outrankedGrounded }) => outrankedGrounded === 0,
};
const behindGood: Goal = { says: 'AUC of rank >= 0.98', holds: ({ auc }) => auc >= 0.98 };
const weighsNothing: Goal = { says: 'grounds 0 USDC', holds: ({ grounded }) => grounded === 0 };
const scoreUpTo = (most: number): Goal => ({ says: `score <= ${most}`, holds: ({ best }) => best <= most });
const dropUpTo = (most: number): Goal => ({ says: `drop <= ${most}`, holds: ({ drop }) => drop <= most });
const groundsUpTo = (most: number): Goal => ({
  says: `grounds <= ${Math.round(most * 10) / 10} USDC`,
  holds: ({ grounded }) => grounded <= most * 1.000001,
});

const FREE = [scoreUpTo(FREE_POINTS), outranksNobody, weighsNothing];
const ROUND = [scoreUpTo(FREE_POINTS), outranksNobody, weighsNothing];
const UNSEEN = [scoreUpTo(RAW_POINTS), outranksNobodyGrounded, weighsNothing];
const BAD_WORK: Goal = { says: 'score <= 0', holds: ({ best }) => best <= 0 };
/** Money that is not grounded moves a score by nine points, and both scores are rounded. */
const liftsUpTo = (most: number): Goal => ({ says: `lifts <= ${most}`, holds: ({ lift }) => lift <= most });

/** Everything that is played, in this order. */
export function playsOf(world: World): readonly Play[] {
  const { ring, rounds, epochs } = world.size;
  const isLarge = world.size.sellers > MANY;
  // Among a dozen sellers one of whom nothing is known yet is a twentieth of the whole.
  const free = isLarge ? [...FREE, behindGood] : FREE;
  const victims = attacks.worthSmearing(world, isLarge ? 12 : 2);
  const smear = (kind: attacks.SmearKind, count: number, usdc: number, most?: number): Play => ({
    name: `smear: ${count} keys, ${kind}${usdc > 0 ? ` ${usdc}` : ''}`,
    attack: (at) => attacks.smear(at, kind, count, usdc, victims),
    goals: most === undefined ? [] : [dropUpTo(most)],
  });
  const life = Math.max(2, Math.round(epochs / 6));
  const turn = Math.round((epochs * 2) / 3);
  return [
    {
      name: 'new keys: bad work, then a new key',
      attack: (at) => attacks.seller(at, isLarge ? 5 : 2, () => 0.2, life),
      goals: [BAD_WORK, outranksNobody],
      slowly: true,
    },
    {
      name: 'long con: good work, then bad',
      attack: (at) => attacks.seller(at, isLarge ? 5 : 2, (age) => (age < turn ? 0.9 : 0.05)),
      goals: [],
      slowly: true,
    },
    {
      name: 'camouflage: good work below 15 USDC',
      attack: (at) => attacks.seller(at, isLarge ? 5 : 2, (_, usdc) => (usdc < 15 ? 0.9 : 0.05)),
      goals: [],
      slowly: true,
    },
    {
      name: 'new hosts: bad work, then new keys at a new host',
      attack: (at) => disguises.newHosts(at, isLarge ? 5 : 2, life),
      goals: [scoreUpTo(RAW_POINTS), liftsUpTo(RAW_POINTS + 1)],
      slowly: true,
    },
    {
      name: 'poor work, own payers beside real customers',
      attack: (at) => disguises.mixed(at, 1, isLarge ? 10 : 3, 50, () => MIDDLING),
      goals: [liftsUpTo(RAW_POINTS + 1)],
      slowly: true,
    },
    {
      name: 'poor work of three, who share own payers',
      attack: (at) => disguises.mixed(at, 3, isLarge ? 10 : 3, 50, () => MIDDLING),
      goals: [],
      slowly: true,
    },
    { name: 'free ring of 5', attack: (at) => attacks.freeRing(at, 5), goals: free },
    { name: `free ring of ${ring}`, attack: (at) => attacks.freeRing(at, ring), goals: free, together: true },
    {
      name: 'free ring with circles of 50',
      attack: (at) => attacks.cartel(at, Math.max(6, Math.round(ring / 2)), rounds),
      goals: free,
      together: true,
    },
    {
      name: 'majority: as many keys, circles of 100',
      attack: (at) => attacks.majority(at, 1),
      goals: free,
      together: true,
    },
    { name: 'circle of 3, 100', attack: (at) => attacks.circle(at, 3, rounds, 100), goals: ROUND, together: true },
    {
      name: 'circle of 8, 100',
      attack: (at) => attacks.circle(at, 8, Math.max(1, rounds / 2), 100),
      goals: ROUND,
      together: true,
    },
    { name: 'chain of 8, 1000', attack: (at) => attacks.chain(at, 8, 1000), goals: UNSEEN, together: true },
    {
      name: 'own payer, unseen float 100',
      attack: (at) => attacks.selfDealing(at, 1, rounds * 4, 100),
      goals: UNSEEN,
      together: true,
    },
    {
      name: 'own payers, unseen float 100',
      attack: (at) => attacks.selfDealing(at, rounds * 2, rounds * 4, 100),
      goals: UNSEEN,
      together: true,
    },
    {
      name: 'copy of the economy, unseen float',
      attack: (at) => attacks.clone(at, 1, isLarge ? 15 : 1),
      goals: UNSEEN,
      together: true,
    },
    {
      name: 'deals that one side ends alone: 10',
      attack: (at) => attacks.trick(at, 'alone', 10, victims),
      goals: [dropUpTo(0)],
      together: true,
    },
    smear('free', 20, 0, BLAME_POINTS),
    smear('returned', 5, 50, BLAME_POINTS),
    smear('paid', 1, 10, RAW_BLAME_POINTS),
    {
      name: 'dust lock: 3 deals left undelivered',
      attack: (at) => attacks.trick(at, 'dust', 3, victims),
      goals: [dropUpTo(0)],
      slowly: true,
    },
    {
      name: 'stake of 100',
      attack: (at) => attacks.bought(at, 'stakes', 100),
      goals: [groundsUpTo(100 * FOR_STAKED)],
      together: true,
    },
    {
      name: 'burn of 100',
      attack: (at) => attacks.bought(at, 'burns', 100),
      goals: [groundsUpTo(100 * FOR_BURNT)],
      together: true,
    },
    {
      name: 'trade of 100 outside',
      attack: (at) => attacks.boughtGround(at, 100),
      goals: [groundsUpTo(100 * FOR_SPENT)],
      together: true,
    },
    {
      name: 'own keys at many hosts, unseen float 100',
      attack: (at) => disguises.manyHosts(at, Math.min(rounds * 2, 20), 100),
      goals: UNSEEN,
      together: true,
    },
    {
      name: 'a guest at the host of an anchor, unseen float 200',
      attack: (at) => disguises.guestOfAnchor(at, 200),
      goals: UNSEEN,
      together: true,
    },
    {
      name: 'bought praise of real buyers, for nothing',
      attack: (at) => disguises.boughtFeedback(at, isLarge ? 50 : 8, 0),
      goals: FREE,
      together: true,
    },
    {
      name: 'bought praise of real buyers, for 5 that come back',
      attack: (at) => disguises.boughtFeedback(at, isLarge ? 20 : 4, 5),
      goals: [],
    },
    { name: 'bribes: 3 real buyers', attack: (at) => attacks.bridge(at, 3, 20), goals: [] },
    { ...smear('grounded', 3, 20), together: true },
    { name: 'kickback of a top seller, 500', attack: (at) => attacks.kickback(at, 1, 500), goals: [] },
    { name: 'a corrupt anchor, 200', attack: (at) => attacks.corruptAnchor(at, 200), goals: [], together: true },
  ];
}
