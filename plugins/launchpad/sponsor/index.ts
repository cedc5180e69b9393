import { type Context, definePlugin, invalidField, MeshError, normaliseAgentId, route } from '../../../core/plugin.ts';
import { Agents, Clock, Contracts, Http, LedgerAccounts, Self, Transactions } from '../../../core/services.ts';
import { LaunchpadApi } from '../api.ts';
import { checkUrl } from '../config.ts';
import { ERRORS } from '../errors.ts';
import { Signing } from '../signing.ts';
import { config, type SponsorConfig } from './config.ts';
import { STORED, sponsorReply, sponsorRequest } from './shapes.ts';
import { Sponsor } from './sponsor.ts';

/** Programs that make a fee share and the pool config that it belongs to; nothing else is signed with the sponsor's wallet. */
const PROGRAMS = [
  'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK',
  'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN',
  'AddressLookupTab1e1111111111111111111111111',
] as const;

/** The wallet of an aggregator pays for the fee shares of tokens that agents launch. */
export const sponsorPlugin = definePlugin({
  name: 'sponsor',
  api: '2.1',
  summary: 'Fee shares of tokens, paid for by this aggregator.',
  permissions: [
    'http:*',
    'money:sign:FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK',
    'money:sign:dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN',
    'money:sign:AddressLookupTab1e1111111111111111111111111',
  ],
  config,
  flags: {
    apiKey: { flag: '--sponsor-api-key', type: 'text', secret: true, summary: 'the API key of the launchpad' },
  },
  errors: {
    ...ERRORS,
    sponsor_unavailable: [503, 'The sponsor has too little SOL.'],
  },
  schemas: [...STORED, sponsorRequest.schema, sponsorReply.schema],
  aggregator: {
    uses: {
      ...{ http: Http, contracts: Contracts, clock: Clock, self: Self, agents: Agents },
      ...{ transactions: Transactions, accounts: LedgerAccounts },
    },
    routes: {
      sponsor: route('POST /sponsor/fee-share-config', {
        auth: 'agent',
        limit: { per: 'principal', rate: 20, window: 60 },
        summary: 'Makes the account that gives an agent all fees of its token, at the cost of this aggregator',
        body: sponsorRequest,
        reply: sponsorReply,
        idempotency: true,
        errors: [
          'launchpad_not_configured',
          'launchpad_rate_limited',
          'launchpad_refused',
          'upstream_failed',
          'rate_limited',
          'forbidden',
          'conflict',
          'transaction_refused',
          'insufficient_funds',
          'spending_cap',
          'sponsor_unavailable',
          'ledger_unavailable',
        ],
      }),
    },
    setup(services, { config, space, log }: Context<SponsorConfig>) {
      checkUrl(config.apiUrl);
      const key = () => {
        if (config.apiKey !== undefined) return config.apiKey;
        throw new MeshError(
          'launchpad_not_configured',
          'This aggregator sponsors nobody: it has no API key of the launchpad (--sponsor-api-key).',
        );
      };
      const api = new LaunchpadApi({ ...services, url: config.apiUrl, key });
      const signing = new Signing({ ...services, log, programs: PROGRAMS });
      const sponsor = new Sponsor({ ...services, api, signing, space, config });
      return {
        preconditions: {
          sponsor() {
            key();
            if (!services.accounts.cluster)
              throw new MeshError('ledger_unavailable', 'This aggregator has no ledger, so it pays for nothing.');
          },
        },
        routes: {
          async sponsor({ body, principal }) {
            const agent_pubkey = normaliseAgentId(body.agent_pubkey);
            if (agent_pubkey === undefined) throw invalidField('/agent_pubkey', 'must be 32 bytes in base58');
            if (agent_pubkey !== principal.id)
              throw new MeshError('forbidden', 'An agent asks for the fee share of its own tokens only.');
            if ((body.partner === undefined) !== (body.partner_config === undefined))
              throw invalidField(
                body.partner === undefined ? '/partner' : '/partner_config',
                'is needed with its neighbour',
              );
            return { config_key: await sponsor.configKey({ ...body, agent_pubkey }) };
          },
        },
      };
    },
  },
});
