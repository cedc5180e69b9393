import { type TypedSchema, typed } from '../../core/plugin.ts';

export interface BillingConfig {
  readonly secret?: string;
  readonly attestationUrl?: string;
  readonly gatewayUrl?: string;
  readonly minWithdrawal: string;
  readonly maxWithdrawal: string;
  readonly maxPerAgentPerDay: string;
  readonly maxPerDay: string;
  readonly maxShareOfDay: number;
  readonly maxFreshOfDay: number;
  readonly keptForStanding: number;
  readonly maxUnderWay: number;
  readonly sweepFrom: string;
  readonly maxAtGateway: string;
  readonly giveUpAfter: number;
}

const usdc = (description: string, preset: string) => ({
  description,
  $ref: 'common.json#/$defs/usdc',
  default: preset,
});

export const config: TypedSchema<BillingConfig> = typed({
  type: 'object',
  additionalProperties: false,
  properties: {
    secret: {
      description:
        'The keys of deposit addresses come from it, and it must never change. Without one, a file in the data folder holds it; several processes over one store need it here.',
      type: 'string',
      minLength: 32,
      maxLength: 1_024,
    },
    attestationUrl: {
      description: 'The attestation service; by the cluster of the ledger unless given, and none on a localnet.',
      type: 'string',
      format: 'uri',
    },
    gatewayUrl: {
      description:
        'The deposit gateway of other chains. With it, deposits are taken there; what lies at the gateway is moved by the operator alone.',
      type: 'string',
      format: 'uri',
    },
    minWithdrawal: usdc('The least that is withdrawn at once.', '1'),
    maxWithdrawal: usdc('The most that is withdrawn or paid out at once.', '1000'),
    maxPerAgentPerDay: usdc('The same for one agent in 24 hours.', '5000'),
    maxPerDay: usdc('The same for all agents in 24 hours.', '20000'),
    maxShareOfDay: {
      description:
        'Percent of maxPerDay without what the others took, the most that one agent takes in 24 hours: so no few of them use it up for everybody.',
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 10,
    },
    maxFreshOfDay: {
      description:
        'Percent of maxPerDay for money that came in within the 24 hours before, so that nobody uses it up for all by taking the same money round and round.',
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 50,
    },
    keptForStanding: {
      description:
        'Percent of maxPerDay, its last, that only agents with a rank above 0 take from, so that nobody uses the day up with money and free keys alone.',
      type: 'integer',
      minimum: 0,
      maximum: 90,
      default: 20,
    },
    maxUnderWay: {
      description:
        'Withdrawals and payouts of one agent that are under way at once, so that no agent with small amounts keeps all others waiting.',
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      default: 50,
    },
    sweepFrom: usdc('A deposit address that holds so much is emptied into the wallet of this aggregator.', '1'),
    maxAtGateway: usdc('The most that is credited in all for what lies at the gateway.', '10000'),
    giveUpAfter: {
      description:
        'Seconds for which a withdrawal that could certainly not be sent is tried, before its amount goes back.',
      type: 'integer',
      minimum: 60,
      maximum: 604_800,
      default: 3_600,
    },
  },
});
