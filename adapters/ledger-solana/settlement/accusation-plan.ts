import { concatBytes } from '../../../core/platform/bytes.ts';
import { keccak256 } from '../../../core/protocol/envelopes/keccak.ts';
import type { AccusationStep, OwnershipStep } from '../../../core/protocol/settlement/steps.ts';
import * as program from '../program/index.ts';
import { bytesField } from './fields.ts';
import type { StepContext, StepPlan } from './plan.ts';

const LEAF = Uint8Array.of(0);

export function planAccusation(step: AccusationStep, { place, network, signers }: StepContext): StepPlan {
  const caller = signers[0].address;
  const { key } = step;
  switch (step.type) {
    case 'announce':
    case 'retract': {
      const announced = { key, id: bytesField('id', step.id, 32), accuser: caller };
      const make = step.type === 'announce' ? program.announce : program.retract;
      return { instructions: [make(place, announced)] };
    }
    case 'accuse': {
      const { header, signature } = step;
      const statement = program.envelopeStatement(network, header);
      const id = keccak256(concatBytes(LEAF, header));
      return {
        instructions: [program.ed25519Instruction(key, signature, statement), program.accuse(place, key, id, caller)],
        paid: [caller, place.treasury],
      };
    }
    case 'answer': {
      const accusation = { key, id: bytesField('id', step.id, 32), accuser: step.accuser };
      return { instructions: [program.answer(place, accusation, caller, step.siblings)] };
    }
    case 'convict': {
      const accusation = { key, id: bytesField('id', step.id, 32), accuser: step.accuser };
      return {
        instructions: [program.convict(place, accusation, step.other)],
        paid: [step.accuser, place.treasury],
      };
    }
    case 'slash_inactive':
      return { instructions: [program.slashInactive(place, key, caller)], paid: [caller, place.treasury] };
  }
}

/** The owner's proof comes first, then the key's: the program looks for them at these places. */
export function planOwnership(step: OwnershipStep, { place, network, signers }: StepContext): StepPlan {
  const { key, agentId, owner, nonce } = step;
  const claim = { network, agentId, key, owner, nonce, expires: BigInt(step.expires) };
  const text = Buffer.from(program.ownerText(claim), 'utf8');
  return {
    instructions: [
      program.ed25519Instruction(owner, step.ownerSignature, text),
      program.ed25519Instruction(key, step.keySignature, program.ownerStatement(claim)),
      program.claimOwner(place, key, signers[0].address),
    ],
  };
}
