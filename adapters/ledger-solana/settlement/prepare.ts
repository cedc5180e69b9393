import type { Transaction } from '@solana/web3.js';
import { MeshError } from '../../../core/contracts/errors.ts';
import type { PreparedTransaction } from '../../../core/ledger/ledger.ts';
import { refusalError } from '../../../core/ledger/refusal.ts';
import type { SettlementStep } from '../../../core/protocol/settlement/steps.ts';
import { checkUsdc } from '../funds.ts';
import { publicKey, readAccounts, tokenAmount } from '../holdings.ts';
import { createAssociatedToken } from '../instructions.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { type Deployment, tokenAddress } from '../program/index.ts';
import { compileTransaction, readLifetime, signTransaction, web3Instruction } from '../signed-transaction.ts';
import { errorOf } from '../transfer-record.ts';
import { planAccusation, planOwnership } from './accusation-plan.ts';
import { planAgent } from './agent-plan.ts';
import { budgetInstructions, unitLimit } from './compute-budget.ts';
import { planEscrow } from './escrow-plan.ts';
import type { StepContext, StepPlan } from './plan.ts';
import { recentPriorityFee } from './priority-fee.ts';
import { refusedStep } from './refused.ts';

/** Builds, rehearses and signs the transaction of one step. */
export async function prepareStep(
  rpc: JsonRpc,
  step: SettlementStep,
  context: StepContext,
  maxPriorityFee: number,
): Promise<PreparedTransaction> {
  const { place, signers } = context;
  for (const { address } of signers) publicKey(address);
  const plan = await planStep(step, context);
  const writable = plan.instructions.flatMap(({ keys }) =>
    keys.filter((key) => key.writable).map((key) => key.address),
  );
  const [tokens, lifetime, price] = await Promise.all([
    readTokens(rpc, place, plan),
    readLifetime(rpc),
    recentPriorityFee(rpc, writable, maxPriorityFee),
  ]);
  if (plan.spends) checkUsdc(tokens.held, plan.spends.amount);
  const payer = publicKey(signers[0].address);
  const mint = publicKey(place.mint);
  const transaction = compileTransaction(
    [
      ...budgetInstructions(unitLimit(plan.instructions, tokens.missing.length), price),
      ...tokens.missing.map((wallet) => createAssociatedToken(payer, publicKey(wallet), mint)),
      ...plan.instructions.map(web3Instruction),
    ],
    signers,
    lifetime,
  );
  await rehearse(rpc, place.programId, transaction);
  return signTransaction(transaction, signers, lifetime);
}

function planStep(step: SettlementStep, context: StepContext): StepPlan | Promise<StepPlan> {
  switch (step.type) {
    case 'open_agent':
    case 'pay_lease':
    case 'add_stake':
    case 'request_unlock':
    case 'resume':
    case 'withdraw':
    case 'submit_batch':
      return planAgent(step, context);
    case 'announce':
    case 'retract':
    case 'accuse':
    case 'answer':
    case 'convict':
    case 'slash_inactive':
      return planAccusation(step, context);
    case 'claim_owner':
      return planOwnership(step, context);
    default:
      return planEscrow(step, context);
  }
}

/** The missing associated token accounts of those that are paid, and the balance of the one that pays. */
async function readTokens(
  rpc: JsonRpc,
  place: Deployment,
  { paid = [], spends }: StepPlan,
): Promise<{ missing: string[]; held: bigint }> {
  const wallets = [...new Set(paid)];
  const asked = [...wallets, ...(spends ? [spends.wallet] : [])].map((wallet) =>
    publicKey(tokenAddress(place, wallet)),
  );
  const accounts = asked.length === 0 ? [] : await readAccounts(rpc, asked);
  const missing = wallets.filter((_, index) => !accounts[index]);
  const source = accounts.at(-1) ?? null;
  return { missing, held: spends ? tokenAmount(source, publicKey(spends.wallet), publicKey(place.mint)) : 0n };
}

/** Has the node run it against its present state, unsigned; throws the refusal that it would meet. */
async function rehearse(rpc: JsonRpc, programId: string, transaction: Transaction): Promise<void> {
  const bytes = transaction.serialize({ requireAllSignatures: false, verifySignatures: false }).toString('base64');
  const options = { encoding: 'base64', commitment: 'confirmed', sigVerify: false };
  const error = errorOf((await rpc.ask('simulateTransaction', [bytes, options])).at('value'));
  if (error.isNull || error.raw === 'BlockhashNotFound') return;
  const refusal = refusedStep(programId, transaction, error.raw);
  if (refusal) throw refusalError(refusal);
  throw new MeshError('upstream_failed', `The ledger would refuse this transaction: ${JSON.stringify(error.raw)}.`);
}
