import type { SchemaTypes } from '../../../schemas/types.ts';
import { table } from '../table.ts';

type Deal = SchemaTypes['deal-view'];
/** A command line behind `mesh`, and what it does. */
export type NextCommand = readonly [line: string, what: string];

/** The command of each action of a deal. The node takes the other actions by itself. */
const COMMANDS: Readonly<Record<string, (deal: Deal) => NextCommand>> = {
  accept: (deal) => [`accept ${deal.conversation_id}`, `accepts ${deal.amount_usdc} USDC`],
  counter: (deal) => [`counter ${deal.conversation_id} --amount USDC`, 'asks for another amount or other terms'],
  reject: (deal) => [`reject ${deal.conversation_id}`, isMine(deal) ? 'withdraws your offer' : 'refuses their offer'],
  lock: (deal) => [`lock ${deal.conversation_id}`, `locks ${deal.amount_usdc} USDC and a bond of ${deal.bond_usdc}`],
  deliver: (deal) => [`deliver ${deal.conversation_id} TEXT`, 'hands over the work; --file FILE sends a file'],
  pay: (deal) => [`pay ${deal.conversation_id}`, `pays ${deal.amount_usdc} USDC`],
  approve: (deal) => [`release ${deal.conversation_id}`, `releases ${deal.amount_usdc} USDC to the provider`],
  dispute: (deal) => [`dispute ${deal.conversation_id}`, 'objects to the delivery, and offers a share'],
  raise: (deal) => [`dispute ${deal.conversation_id} --offer-bps N`, 'offers a larger share'],
  contest: (deal) => [`contest ${deal.conversation_id}`, 'refuses the share that is offered'],
  refund: (deal) => [`refund ${deal.conversation_id}`, 'gives the money back'],
  feedback: (deal) => [`feedback ${deal.conversation_id} SCORE`, 'rates the other side, from -100 to 100'],
};

/** The commands that make sense next for this node's agent in a deal. */
export function nextCommands(deal: Deal): readonly NextCommand[] {
  const looks = deal.role === 'requester' && deal.state === 'delivered';
  const steps = deal.allowed_actions.filter((action) => !isEarly(action, deal));
  return [
    ...(looks ? [[`inbox ${deal.conversation_id}`, 'shows what was delivered'] as const] : []),
    ...steps.flatMap((action) => (COMMANDS[action] ? [COMMANDS[action](deal)] : [])),
  ];
}

/** The same in lines for people who call `mesh` so; where there is nothing to do, what the deal waits for. */
export function nextInWords(deal: Deal, mesh: string): string {
  const commands = nextCommands(deal);
  const unlocked = 'The requester has not locked the money yet; deliver once mesh deals says that it is locked.';
  const offered = 'It waits for the other side.';
  const first = waitsForLock(deal) && deal.role === 'provider' ? [unlocked] : isMine(deal) ? [offered] : [];
  if (commands.length > 0) {
    return [...first, 'Next:', table(commands.map(([line, what]) => [`  ${mesh} ${line}`, what]))].join('\n');
  }
  if (first.length > 0) return first.join('\n');
  const { next_timer: timer, allowed_actions } = deal;
  if (!timer && allowed_actions.length === 0) return 'Nothing is left to do.';
  return `It waits for the other side${timer ? `; otherwise by itself ${timer.kind} at ${timer.at}` : ''}.`;
}

/** Whether money is to be locked for a deal, and is not. */
export function waitsForLock({ escrow, state }: Deal): boolean {
  return state === 'accepted' && escrow.agreed && escrow.locked_at === undefined;
}

/** Whether the open offer is this node's own, which the other side answers. */
export function isMine({ state, allowed_actions }: Deal): boolean {
  return (state === 'proposed' || state === 'countered') && !allowed_actions.includes('accept');
}

/** A step that would give something away before the other side has done its part. */
function isEarly(action: string, deal: Deal): boolean {
  if (action === 'deliver') return waitsForLock(deal);
  return deal.state === 'accepted' && (action === 'approve' || action === 'pay');
}
