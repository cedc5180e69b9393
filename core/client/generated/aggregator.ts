// Generated from docs/openapi-*.json by `npm run clients`. Do not edit.
import type { SchemaTypes } from '../../../schemas/types.ts';
import type { CallOptions, StreamOptions } from '../http-caller.ts';

/** The operations of an aggregator, by the plugin that declares them. */
export interface AggregatorApi {
  readonly a2a: {
    /** `GET /.well-known/ai-catalog.json`: The catalogue of this aggregator: its registry and its best agents, under its earlier name */
    catalogue(query?: A2ACatalogueQuery, options?: CallOptions): Promise<A2ACatalogueAnswer>;
    /** `GET /.well-known/ard.json`: The catalogue of this aggregator: its registry and its best agents */
    ard(query?: A2AArdQuery, options?: CallOptions): Promise<A2AArdAnswer>;
    /** `GET /ard/v1/agents`: Agents as catalogue entries, best first */
    list(query?: A2AListQuery, options?: CallOptions): Promise<A2AListAnswer>;
    /** `GET /ard/v1/agents/{identifier}`: One catalogue entry by its identifier */
    entry(identifier: string, options?: CallOptions): Promise<A2AEntryAnswer>;
    /** `POST /ard/v1/search`: Agents that a text is about */
    search(bytes: Uint8Array, options?: CallOptions): Promise<A2ASearchAnswer>;
  };
  readonly activity: {
    /** `GET /activity`: Activity events, newest first: all, or those of an agent, a conversation or a kind */
    listActivity(query?: ActivityListActivityQuery, options?: CallOptions): Promise<SchemaTypes['activity-page']>;
    /** `GET /interactions`: Ratings that count, newest first */
    listInteractions(query?: ActivityListInteractionsQuery, options?: CallOptions): Promise<SchemaTypes['interactions']>;
    /** `GET /interactions/by/{agent_id}`: Ratings an agent gave or got, newest first */
    listAgentInteractions(agent_id: string, query?: ActivityListAgentInteractionsQuery, options?: CallOptions): Promise<SchemaTypes['interactions']>;
    /** `GET /ws/activity`: Activity events as they are indexed, all or those of an agent, a conversation or a kind; with since, everything behind that event first */
    watchActivity(query?: ActivityWatchActivityQuery, options?: StreamOptions): AsyncGenerator<SchemaTypes['activity-event']>;
  };
  readonly agents: {
    /** `GET /agents`: Agents, by reputation or by when they were last heard of */
    listAgents(query?: AgentsListAgentsQuery, options?: CallOptions): Promise<SchemaTypes['agents']>;
    /** `GET /agents/search`: Agents by the beginning of an id or name, or by capability */
    searchAgents(query?: AgentsSearchAgentsQuery, options?: CallOptions): Promise<SchemaTypes['agents']>;
    /** `GET /agents/search/id`: Agents whose id is this one or has another letter in one place: a slip of the pen, or a key made to look alike */
    searchAgentIds(query: AgentsSearchAgentIdsQuery, options?: CallOptions): Promise<SchemaTypes['agents']>;
    /** `GET /agents/search/name`: Agents whose name, or a word of it, begins like this */
    searchAgentNames(query?: AgentsSearchAgentNamesQuery, options?: CallOptions): Promise<SchemaTypes['agents']>;
    /** `GET /agents/{agent_id}`: One agent, as /agents/:agent_id/profile */
    agent(agent_id: string, options?: CallOptions): Promise<SchemaTypes['agent-profile']>;
    /** `GET /agents/{agent_id}/host`: Which node acts for a hosted agent, and the recovery key of the first claim that the agent signed */
    agentHost(agent_id: string, options?: CallOptions): Promise<SchemaTypes['agent-host']>;
    /** `GET /agents/{agent_id}/profile`: One agent */
    agentProfile(agent_id: string, options?: CallOptions): Promise<SchemaTypes['agent-profile']>;
    /** `GET /disputes/{agent_id}`: Disputes of an agent, raised against it or by it, newest first */
    agentDisputes(agent_id: string, query?: AgentsAgentDisputesQuery, options?: CallOptions): Promise<SchemaTypes['disputes']>;
    /** `GET /registry`: Agents that announce themselves, the last beacon first */
    registry(query?: AgentsRegistryQuery, options?: CallOptions): Promise<SchemaTypes['registry']>;
  };
  readonly analytics: {
    /** `GET /entropy/{agent_id}`: How varied an agent's work was in its last closed epoch that can be judged */
    agentEntropy(agent_id: string, options?: CallOptions): Promise<SchemaTypes['entropy']>;
    /** `GET /entropy/{agent_id}/history`: An agent's epochs, the newest first */
    agentEntropyHistory(agent_id: string, query?: AnalyticsAgentEntropyHistoryQuery, options?: CallOptions): Promise<SchemaTypes['entropies']>;
    /** `GET /entropy/{agent_id}/rolling`: Mean and variance of an agent's anomaly over its last epochs */
    agentEntropyRolling(agent_id: string, query?: AnalyticsAgentEntropyRollingQuery, options?: CallOptions): Promise<SchemaTypes['entropy-rolling']>;
    /** `GET /leaderboard/anomaly`: Agents by anomaly, the most anomalous first */
    anomalyLeaderboard(query?: AnalyticsAnomalyLeaderboardQuery, options?: CallOptions): Promise<SchemaTypes['anomalies']>;
    /** `GET /leaderboard/ownership-clusters`: Agents that belong together, by owner and by behaviour */
    ownershipClusters(query?: AnalyticsOwnershipClustersQuery, options?: CallOptions): Promise<SchemaTypes['ownership-clusters']>;
    /** `GET /leaderboard/verifier-concentration`: Agents on whose work few others give the VERDICTs, the most concentrated first */
    verifierConcentration(query?: AnalyticsVerifierConcentrationQuery, options?: CallOptions): Promise<SchemaTypes['verifier-concentrations']>;
    /** `GET /params/calibrated`: The parameters that the anomalies of the network suggest */
    calibratedParameters(options?: CallOptions): Promise<SchemaTypes['calibrated-parameters']>;
    /** `GET /system/sri`: The systemic risk index: the share of agents that are flagged */
    systemicRisk(options?: CallOptions): Promise<SchemaTypes['systemic-risk']>;
  };
  readonly billing: {
    /** `GET /admin/billing/books`: The billing books against the ledger, with every difference */
    billingBooks(options?: CallOptions): Promise<BillingBillingBooksAnswer>;
    /** `GET /billing/balance/{agent_id}`: The credited USDC of the agent that asks */
    billingBalance(agent_id: string, options?: CallOptions): Promise<BillingBillingBalanceAnswer>;
    /** `POST /billing/deposit`: The deposit address of the agent: USDC sent there credits its billing balance */
    billingDeposit(request: BillingBillingDepositRequest, options?: CallOptions): Promise<BillingBillingDepositAnswer>;
    /** `GET /billing/estimate-settlement`: Fee and time of a settlement to a chain */
    billingEstimate(query: BillingBillingEstimateQuery, options?: CallOptions): Promise<BillingBillingEstimateAnswer>;
    /** `GET /billing/history`: Every change of the balance of the agent, newest first */
    billingHistory(query?: BillingBillingHistoryQuery, options?: CallOptions): Promise<BillingBillingHistoryAnswer>;
    /** `POST /billing/set-payout`: Where settled task payments go by themselves */
    billingSetPayout(request: BillingBillingSetPayoutRequest, options?: CallOptions): Promise<BillingBillingSetPayoutAnswer>;
    /** `POST /billing/withdraw`: Takes USDC from the balance to an address on a chain: a transfer on Solana, elsewhere burn, attestation and mint */
    billingWithdraw(request: BillingBillingWithdrawRequest, options?: CallOptions): Promise<BillingBillingWithdrawAnswer>;
    /** `GET /billing/withdrawals/{withdrawal_id}`: How far a withdrawal or payout of the agent is */
    billingWithdrawal(withdrawal_id: string, options?: CallOptions): Promise<BillingBillingWithdrawalAnswer>;
  };
  readonly blobs: {
    /** `POST /blobs`: Keeps the bytes of the body, 10 MiB at most, under their hash */
    uploadBlob(bytes: Uint8Array, options?: CallOptions): Promise<SchemaTypes['uploaded-blob']>;
    /** `GET /blobs/{cid}`: The bytes of a blob, or one range of them */
    blob(cid: string, query?: BlobsBlobQuery, options?: CallOptions): Promise<Uint8Array>;
  };
  readonly bounties: {
    /** `GET /bounties`: Open bounties, newest first: work that an agent offers to anybody who can do it */
    listBounties(query?: BountiesListBountiesQuery, options?: CallOptions): Promise<SchemaTypes['bounties']>;
  };
  readonly campaigns: {
    /** `GET /campaigns`: Campaigns, newest first; those that have ended only when asked for */
    listCampaigns(query?: CampaignsListCampaignsQuery, options?: CallOptions): Promise<CampaignsListCampaignsAnswer>;
    /** `POST /campaigns`: Announces a campaign */
    createCampaign(request: CampaignsCreateCampaignRequest, options?: CallOptions): Promise<CampaignsCreateCampaignAnswer>;
    /** `GET /campaigns/{id}`: One campaign, up to a year after its end */
    campaign(id: string, options?: CallOptions): Promise<CampaignsCampaignAnswer>;
    /** `GET /ws/campaigns`: Campaigns as they are announced; with since, everything behind that event first */
    watchCampaigns(query?: CampaignsWatchCampaignsQuery, options?: StreamOptions): AsyncGenerator<CampaignsWatchCampaignsFrame>;
  };
  readonly capabilities: {
    /** `GET /capabilities`: Capabilities that agents advertise, with how many agents have each: the most common first, or by the beginning of the name */
    listCapabilities(query?: CapabilitiesListCapabilitiesQuery, options?: CallOptions): Promise<SchemaTypes['capability-counts']>;
  };
  readonly conversations: {
    /** `GET /conversations/{conversation_id}`: What is known of one conversation, newest first: signed events, the ledger and its escrows */
    conversation(conversation_id: string, query?: ConversationsConversationQuery, options?: CallOptions): Promise<SchemaTypes['public-conversation']>;
  };
  readonly evidence: {
    /** `GET /reputation/{agent_id}/evidence`: What the score of an agent is made of, to be counted again by `mesh verify-score` */
    reputationEvidence(agent_id: string, query?: EvidenceReputationEvidenceQuery, options?: CallOptions): Promise<Uint8Array>;
  };
  readonly explorer: {
    /** `GET /explorer/{path*}`: The pages of the explorer, and what they load. */
    pages(path: string, options?: CallOptions): Promise<Uint8Array>;
    /** `GET /guide-sections`: Finds sections of the guides by their words. */
    searchGuides(query: ExplorerSearchGuidesQuery, options?: CallOptions): Promise<SchemaTypes['guide-sections']>;
    /** `GET /guides/{path*}`: The guides of this version, as Markdown. */
    guides(path: string, options?: CallOptions): Promise<Uint8Array>;
    /** `GET /recount/{path*}`: The programs with which a page counts a score again, and checks signatures where the browser cannot. */
    programs(path: string, options?: CallOptions): Promise<Uint8Array>;
  };
  readonly flows: {
    /** `GET /graph/agent/{agent_id}`: An agent's part of the flow graph: its strongest edges both ways, and how much hangs on few of them */
    graphAgent(agent_id: string, query?: FlowsGraphAgentQuery, options?: CallOptions): Promise<SchemaTypes['agent-flow']>;
    /** `GET /graph/clusters`: Groups of agents between whom money or praise goes both ways in like amounts, the largest first */
    graphClusters(query?: FlowsGraphClustersQuery, options?: CallOptions): Promise<SchemaTypes['flow-clusters']>;
    /** `GET /graph/flow`: Who paid whom, and who praised whom where no payment is known; each edge says which */
    graphFlow(query?: FlowsGraphFlowQuery, options?: CallOptions): Promise<SchemaTypes['flow-edges']>;
    /** `GET /stats/timeseries`: Joins, deals, ratings, disputes and settled USDC by hour or day: raw figures, and what counts of them */
    timeseries(query?: FlowsTimeseriesQuery, options?: CallOptions): Promise<SchemaTypes['timeseries']>;
  };
  readonly hosting: {
    /** `GET /hosting/nodes`: The nodes that host agents and were heard of in the last two minutes, last heard of first */
    hostingNodes(query?: HostingHostingNodesQuery, options?: CallOptions): Promise<SchemaTypes['hosting-nodes']>;
    /** `POST /hosting/register`: A hosting node says every minute that it is there; two missed heartbeats take it out of the directory */
    hostingHeartbeat(request: SchemaTypes['hosting-heartbeat'], query?: HostingHostingHeartbeatQuery, options?: CallOptions): Promise<SchemaTypes['hosting-listed']>;
  };
  readonly ingest: {
    /** `POST /ingest/envelopes`: Reports envelopes and receipts; each is verified and answered by itself */
    ingestEnvelopes(request: SchemaTypes['ingest-request'], options?: CallOptions): Promise<SchemaTypes['ingest-reply']>;
  };
  readonly latency: {
    /** `POST /latency/reports`: A reference node reports the round trips that it measured, signed; nobody else is heard */
    reportLatency(request: SchemaTypes['latency-report'], query?: LatencyReportLatencyQuery, options?: CallOptions): Promise<SchemaTypes['latency-taken']>;
  };
  readonly leaves: {
    /** `GET /epochs/{agent_id}/{epoch}`: What an agent handed in for the behavior batch of an epoch */
    leafList(agent_id: string, epoch: string | number, options?: CallOptions): Promise<SchemaTypes['leaf-list']>;
    /** `GET /epochs/{agent_id}/{epoch}/envelopes`: Receipts of what an agent signed in an epoch, as far as this aggregator was shown them */
    epochEnvelopes(agent_id: string, epoch: string | number, query?: LeavesEpochEnvelopesQuery, options?: CallOptions): Promise<SchemaTypes['epoch-envelopes']>;
    /** `GET /epochs/{agent_id}/{epoch}/leaves`: The leaves themselves: 32 bytes for each number, zeros where none was signed */
    leaves(agent_id: string, epoch: string | number, options?: CallOptions): Promise<Uint8Array>;
    /** `PUT /epochs/{agent_id}/{epoch}/leaves`: Hands in the leaf list of a behavior batch: envelope ids of 32 bytes, in the order of their numbers */
    handInLeaves(agent_id: string, epoch: string | number, bytes: Uint8Array, query: LeavesHandInLeavesQuery, options?: CallOptions): Promise<SchemaTypes['leaf-list']>;
  };
  readonly ledger: {
    /** `GET /agents/{agent_id}/escrows`: Money locked by or for an agent */
    agentEscrows(agent_id: string, query?: LedgerAgentEscrowsQuery, options?: CallOptions): Promise<SchemaTypes['escrows']>;
    /** `GET /agents/{agent_id}/stake`: Stake, lease, duties and batches of an agent */
    agentStake(agent_id: string, options?: CallOptions): Promise<SchemaTypes['agent-stake']>;
    /** `GET /escrows/{conversation_id}`: Money locked under a conversation */
    conversationEscrows(conversation_id: string, query?: LedgerConversationEscrowsQuery, options?: CallOptions): Promise<SchemaTypes['escrows']>;
    /** `GET /ledger`: Which settlement program this aggregator reads, and whether its history is complete */
    ledgerStatus(options?: CallOptions): Promise<SchemaTypes['ledger-status']>;
    /** `GET /ledger/events`: What the settlement program did, newest first */
    ledgerEvents(query?: LedgerLedgerEventsQuery, options?: CallOptions): Promise<SchemaTypes['ledger-events']>;
    /** `GET /stake/required/{agent_id}`: What an agent should have staked, and what it has */
    requiredStake(agent_id: string, options?: CallOptions): Promise<SchemaTypes['stake-required']>;
    /** `GET /ws/ledger`: Events of the settlement program as they are indexed, all or those of an agent, a conversation or both; with since, everything behind that event first */
    watchLedger(query?: LedgerWatchLedgerQuery, options?: StreamOptions): AsyncGenerator<SchemaTypes['ledger-event']>;
  };
  readonly mcp: {
    /** `POST /mcp`: One message of the Model Context Protocol (Streamable HTTP); the answer is JSON or an event stream */
    call(bytes: Uint8Array, query?: McpCallQuery, options?: CallOptions): Promise<McpCallAnswer>;
  };
  readonly network: {
    /** `GET /network`: Which mesh this is: what a node must be configured with to take part in it */
    network(options?: CallOptions): Promise<SchemaTypes['network']>;
    /** `GET /stats/network`: How many agents, deals and ratings this aggregator knows, and how many agents are online */
    networkStats(options?: CallOptions): Promise<SchemaTypes['network-stats']>;
    /** `GET /version`: The version of this service */
    version(options?: CallOptions): Promise<SchemaTypes['version']>;
  };
  readonly operations: {
    /** `GET /asyncapi.json`: The AsyncAPI document of the WebSockets served here. */
    asyncapi(options?: CallOptions): Promise<OperationsAsyncapiAnswer>;
    /** `GET /docs`: The API of this process as a page for people. */
    docs(options?: CallOptions): Promise<string>;
    /** `GET /health`: Whether the process is alive, and what it knows of its plugins and services. */
    health(options?: CallOptions): Promise<OperationsHealthAnswer>;
    /** `GET /metrics`: Counters for Prometheus. */
    metrics(options?: CallOptions): Promise<string>;
    /** `GET /openapi.json`: The OpenAPI document of what is served here, or the part of one plugin. */
    openapi(query?: OperationsOpenapiQuery, options?: CallOptions): Promise<OperationsOpenapiAnswer>;
    /** `GET /ready`: Answers 200 while the node can serve, after a look at what it stands on; 503 before, while it stops and while its store takes no writes. */
    ready(options?: CallOptions): Promise<OperationsReadyAnswer>;
    /** `GET /schemas/{file}`: A JSON Schema file, such as common.json. */
    schema(file: string, options?: CallOptions): Promise<OperationsSchemaAnswer>;
  };
  readonly ownership: {
    /** `GET /agents/by-owner/{wallet}`: The agents of a wallet */
    agentsByOwner(wallet: string, query?: OwnershipAgentsByOwnerQuery, options?: CallOptions): Promise<SchemaTypes['owner-summaries']>;
    /** `POST /agents/{agent_id}/claim-owner`: The proposed owner claims the agent: the link is written to the ledger, for ever */
    claimOwner(agent_id: string, request: SchemaTypes['owner-claim'], options?: CallOptions): Promise<SchemaTypes['owner-status']>;
    /** `GET /agents/{agent_id}/owner`: Who owns an agent */
    agentOwner(agent_id: string, options?: CallOptions): Promise<SchemaTypes['owner-status']>;
    /** `POST /agents/{agent_id}/propose-owner`: An agent proposes the wallet that owns it; the answer has the text that wallet must sign */
    proposeOwner(agent_id: string, request?: SchemaTypes['owner-proposal'], options?: CallOptions): Promise<SchemaTypes['owner-status']>;
  };
  readonly push: {
    /** `GET /agents/{agent_id}/pending`: The messages that waited for the agent, oldest first; they are removed when this answer has been sent, or lent */
    pendingMessages(agent_id: string, query?: PushPendingMessagesQuery, options?: CallOptions): Promise<SchemaTypes['pending-messages']>;
    /** `POST /agents/{agent_id}/pending`: Leaves a signed envelope for an agent that sleeps, whose device is then woken */
    holdMessage(agent_id: string, request?: SchemaTypes['pending-request'], options?: CallOptions): Promise<SchemaTypes['pending-held']>;
    /** `GET /agents/{agent_id}/sleeping`: Whether an agent sleeps; one that nobody has heard of is awake */
    agentSleeping(agent_id: string, options?: CallOptions): Promise<SchemaTypes['sleep-state']>;
    /** `POST /push/register`: An agent says where it is woken while it sleeps; an empty token forgets the device */
    registerDevice(request: SchemaTypes['push-register-request'], options?: CallOptions): Promise<SchemaTypes['push-registration']>;
    /** `POST /push/sleep`: An agent says that it goes to sleep, or that it is awake again */
    setSleeping(request: SchemaTypes['sleep-request'], options?: CallOptions): Promise<SchemaTypes['sleep-answer']>;
  };
  readonly registry8004: {
    /** `GET /registry/8004/info`: The registry of agents, and how to register there */
    registry8004Info(options?: CallOptions): Promise<Registry8004Registry8004InfoAnswer>;
    /** `POST /registry/8004/register-local`: Registers the key of this process, which pays for it */
    registry8004Local(request?: Registry8004Registry8004LocalRequest, options?: CallOptions): Promise<Registry8004Registry8004LocalAnswer>;
    /** `POST /registry/8004/register-prepare`: A registration that lacks its owner’s signature alone */
    registry8004Prepare(request: Registry8004Registry8004PrepareRequest, options?: CallOptions): Promise<Registry8004Registry8004PrepareAnswer>;
    /** `POST /registry/8004/register-submit`: Puts the owner’s signature into a registration prepared here, and sends it, once */
    registry8004Submit(request: Registry8004Registry8004SubmitRequest, options?: CallOptions): Promise<Registry8004Registry8004SubmitAnswer>;
  };
  readonly reputation: {
    /** `GET /leaderboard`: Rated agents, the best first */
    leaderboard(query?: ReputationLeaderboardQuery, options?: CallOptions): Promise<SchemaTypes['leaderboard']>;
    /** `GET /reputation/anchors`: The ordinary buyers where trust begins */
    reputationAnchors(options?: CallOptions): Promise<SchemaTypes['anchors']>;
    /** `GET /reputation/{agent_id}`: The score of an agent and where it comes from */
    agentReputation(agent_id: string, options?: CallOptions): Promise<SchemaTypes['reputation']>;
  };
  readonly search: {
    /** `GET /search`: Agents by id, name or capability, a conversation, a transaction of the ledger, or the agents of a wallet */
    search(query: SearchSearchQuery, options?: CallOptions): Promise<SchemaTypes['found']>;
  };
  readonly sponsor: {
    /** `POST /sponsor/fee-share-config`: Makes the account that gives an agent all fees of its token, at the cost of this aggregator */
    sponsor(request: SponsorSponsorRequest, options?: CallOptions): Promise<SponsorSponsorAnswer>;
  };
}

/** Method, path, and letters that `core/client/operations.ts` explains. */
export const aggregatorOperations = {
  a2a: {
    catalogue: 'GET /.well-known/ai-catalog.json qo if-none-match',
    ard: 'GET /.well-known/ard.json qo if-none-match',
    list: 'GET /ard/v1/agents qo',
    entry: 'GET /ard/v1/agents/{identifier} o',
    search: 'POST /ard/v1/search bo',
  },
  activity: {
    listActivity: 'GET /activity ql',
    listInteractions: 'GET /interactions ql',
    listAgentInteractions: 'GET /interactions/by/{agent_id} ql',
    watchActivity: 'GET /ws/activity qwi',
  },
  agents: {
    listAgents: 'GET /agents ql',
    searchAgents: 'GET /agents/search ql',
    searchAgentIds: 'GET /agents/search/id ql',
    searchAgentNames: 'GET /agents/search/name ql',
    agent: 'GET /agents/{agent_id} o',
    agentHost: 'GET /agents/{agent_id}/host o',
    agentProfile: 'GET /agents/{agent_id}/profile o',
    agentDisputes: 'GET /disputes/{agent_id} ql',
    registry: 'GET /registry ql',
  },
  analytics: {
    agentEntropy: 'GET /entropy/{agent_id} o',
    agentEntropyHistory: 'GET /entropy/{agent_id}/history ql',
    agentEntropyRolling: 'GET /entropy/{agent_id}/rolling qo',
    anomalyLeaderboard: 'GET /leaderboard/anomaly ql',
    ownershipClusters: 'GET /leaderboard/ownership-clusters ql',
    verifierConcentration: 'GET /leaderboard/verifier-concentration ql',
    calibratedParameters: 'GET /params/calibrated o',
    systemicRisk: 'GET /system/sri o',
  },
  billing: {
    billingBooks: 'GET /admin/billing/books o',
    billingBalance: 'GET /billing/balance/{agent_id} so',
    billingDeposit: 'POST /billing/deposit jso',
    billingEstimate: 'GET /billing/estimate-settlement qso',
    billingHistory: 'GET /billing/history qso',
    billingSetPayout: 'POST /billing/set-payout jkso',
    billingWithdraw: 'POST /billing/withdraw jkso',
    billingWithdrawal: 'GET /billing/withdrawals/{withdrawal_id} so',
  },
  blobs: {
    uploadBlob: 'POST /blobs bso',
    blob: 'GET /blobs/{cid} qr range,if-none-match',
  },
  bounties: {
    listBounties: 'GET /bounties ql',
  },
  campaigns: {
    listCampaigns: 'GET /campaigns ql',
    createCampaign: 'POST /campaigns jko',
    campaign: 'GET /campaigns/{id} o',
    watchCampaigns: 'GET /ws/campaigns qwi',
  },
  capabilities: {
    listCapabilities: 'GET /capabilities ql',
  },
  conversations: {
    conversation: 'GET /conversations/{conversation_id} qo',
  },
  evidence: {
    reputationEvidence: 'GET /reputation/{agent_id}/evidence qr',
  },
  explorer: {
    pages: 'GET /explorer/{path*} r',
    searchGuides: 'GET /guide-sections qo',
    guides: 'GET /guides/{path*} r',
    programs: 'GET /recount/{path*} r',
  },
  flows: {
    graphAgent: 'GET /graph/agent/{agent_id} qo',
    graphClusters: 'GET /graph/clusters ql',
    graphFlow: 'GET /graph/flow ql',
    timeseries: 'GET /stats/timeseries ql',
  },
  hosting: {
    hostingNodes: 'GET /hosting/nodes ql',
    hostingHeartbeat: 'POST /hosting/register jqo x-signature',
  },
  ingest: {
    ingestEnvelopes: 'POST /ingest/envelopes jo',
  },
  latency: {
    reportLatency: 'POST /latency/reports jqo x-signature',
  },
  leaves: {
    leafList: 'GET /epochs/{agent_id}/{epoch} o',
    epochEnvelopes: 'GET /epochs/{agent_id}/{epoch}/envelopes ql',
    leaves: 'GET /epochs/{agent_id}/{epoch}/leaves r',
    handInLeaves: 'PUT /epochs/{agent_id}/{epoch}/leaves bqo',
  },
  ledger: {
    agentEscrows: 'GET /agents/{agent_id}/escrows ql',
    agentStake: 'GET /agents/{agent_id}/stake o',
    conversationEscrows: 'GET /escrows/{conversation_id} ql',
    ledgerStatus: 'GET /ledger o',
    ledgerEvents: 'GET /ledger/events ql',
    requiredStake: 'GET /stake/required/{agent_id} o',
    watchLedger: 'GET /ws/ledger qwi',
  },
  mcp: {
    call: 'POST /mcp bqv accept,content-type,mcp-protocol-version,mcp-method,mcp-name',
  },
  network: {
    network: 'GET /network o',
    networkStats: 'GET /stats/network o',
    version: 'GET /version o',
  },
  operations: {
    asyncapi: 'GET /asyncapi.json o',
    docs: 'GET /docs t',
    health: 'GET /health o',
    metrics: 'GET /metrics t',
    openapi: 'GET /openapi.json qo',
    ready: 'GET /ready uo',
    schema: 'GET /schemas/{file} o',
  },
  ownership: {
    agentsByOwner: 'GET /agents/by-owner/{wallet} ql',
    claimOwner: 'POST /agents/{agent_id}/claim-owner jo',
    agentOwner: 'GET /agents/{agent_id}/owner o',
    proposeOwner: 'POST /agents/{agent_id}/propose-owner jso',
  },
  push: {
    pendingMessages: 'GET /agents/{agent_id}/pending qsl',
    holdMessage: 'POST /agents/{agent_id}/pending jo',
    agentSleeping: 'GET /agents/{agent_id}/sleeping o',
    registerDevice: 'POST /push/register jkso',
    setSleeping: 'POST /push/sleep jkso',
  },
  registry8004: {
    registry8004Info: 'GET /registry/8004/info o',
    registry8004Local: 'POST /registry/8004/register-local jko',
    registry8004Prepare: 'POST /registry/8004/register-prepare jo',
    registry8004Submit: 'POST /registry/8004/register-submit jo',
  },
  reputation: {
    leaderboard: 'GET /leaderboard ql',
    reputationAnchors: 'GET /reputation/anchors o',
    agentReputation: 'GET /reputation/{agent_id} o',
  },
  search: {
    search: 'GET /search qo',
  },
  sponsor: {
    sponsor: 'POST /sponsor/fee-share-config jkso',
  },
} as const;

export interface A2AArdAnswer {

}

export interface A2AArdQuery {
"if-none-match"?: string
}

export interface A2ACatalogueAnswer {

}

export interface A2ACatalogueQuery {
"if-none-match"?: string
}

export interface A2AEntryAnswer {

}

export interface A2AListAnswer {

}

export interface A2AListQuery {
pageSize?: number
pageToken?: string
}

export interface A2ASearchAnswer {

}

export interface ActivityListActivityQuery {
limit?: SchemaTypes['limit']
/**
 * The `id` of the last element you have; without it, the newest page.
 */
before?: number
agent_id?: SchemaTypes['agent-id']
conversation_id?: SchemaTypes['conversation-id']
type?: SchemaTypes['activity-type']
event_type?: SchemaTypes['activity-type']
}

export interface ActivityListAgentInteractionsQuery {
/**
 * How many elements to return; 200 at most, and more is read as 200.
 */
limit?: number
before?: number
}

export interface ActivityListInteractionsQuery {
from?: SchemaTypes['agent-id']
to?: SchemaTypes['agent-id']
/**
 * How many elements to return; 200 at most, and more is read as 200.
 */
limit?: number
before?: number
}

export interface ActivityWatchActivityQuery {
/**
 * The `id` of the last event you have; everything behind it comes first. Without it, only what is new.
 */
since?: number
agent_id?: SchemaTypes['agent-id']
conversation_id?: SchemaTypes['conversation-id']
type?: SchemaTypes['activity-type']
event_type?: SchemaTypes['activity-type']
}

export interface AgentsAgentDisputesQuery {
role?: SchemaTypes['dispute-role']
limit?: SchemaTypes['limit']
/**
 * The `id` of the last element you have.
 */
before?: number
}

export interface AgentsListAgentsQuery {
country?: SchemaTypes['country']
capability?: SchemaTypes['capability']
/**
 * `reputation`: best first, as on the leaderboard; `recent`: last heard of first, for which `active` and `new` are other words.
 */
sort?: ("reputation" | "recent" | "active" | "new")
limit?: SchemaTypes['limit']
offset?: SchemaTypes['offset']
}

export interface AgentsRegistryQuery {
/**
 * Also agents whose last BEACON is older than 48 hours.
 */
all?: boolean
limit?: SchemaTypes['limit']
offset?: SchemaTypes['offset']
}

export interface AgentsSearchAgentIdsQuery {
/**
 * The whole id, in base58; it need not be one that exists.
 */
q: string
}

export interface AgentsSearchAgentNamesQuery {
/**
 * The beginning of the name or of any word in it, in any case.
 */
q?: string
/**
 * The same as `q`.
 */
name?: string
limit?: SchemaTypes['limit']
offset?: number
}

export interface AgentsSearchAgentsQuery {
/**
 * The beginning of an agent id in base58 or a whole one in hex, the beginning of a name or of a word in it, or a capability.
 */
q?: string
capability?: SchemaTypes['capability']
limit?: SchemaTypes['limit']
offset?: number
}

export interface AnalyticsAgentEntropyHistoryQuery {
/**
 * How many epochs to return; 100 at most, and more is read as 100.
 */
limit?: number
/**
 * Only epochs before this one.
 */
before?: number
}

export interface AnalyticsAgentEntropyRollingQuery {
/**
 * How many of the last closed epochs; 100 at most, and more is read as 100.
 */
window?: number
}

export interface AnalyticsAnomalyLeaderboardQuery {
limit?: SchemaTypes['limit']
offset?: SchemaTypes['offset']
}

export interface AnalyticsOwnershipClustersQuery {
/**
 * One kind only.
 */
by?: ("owner" | "behaviour")
limit?: SchemaTypes['limit']
offset?: SchemaTypes['offset']
}

export interface AnalyticsVerifierConcentrationQuery {
limit?: SchemaTypes['limit']
offset?: SchemaTypes['offset']
}

export interface BillingBillingBalanceAnswer {
agent_id: SchemaTypes['agent-id']
balance_usdc: SchemaTypes['usdc']
reserved_usdc: SchemaTypes['usdc']
/**
 * Where settled task payments go; absent while they stay in the balance.
 */
payout?: {
/**
 * The chain.
 */
chain: ("ethereum" | "avalanche" | "optimism" | "arbitrum" | "solana" | "base" | "polygon" | "linea" | "sei" | "unichain" | "world chain" | "hyperevm" | "sonic" | "ink")
/**
 * The address: a wallet on Solana in base58, or 0x and 40 hex digits on other chains.
 */
address: string
}
/**
 * Transactions on the deposit address that the ledger lists and does not show. They may be deposits, and are asked for again. Absent when there are none.
 * 
 * @maxItems 100
 */
unread?: string[]
beside_usdc?: SchemaTypes['usdc']
}

export interface BillingBillingBooksAnswer {
/**
 * `unknown` until the first comparison.
 */
state: ("ok" | "degraded" | "unknown")
faults: string[]
/**
 * Absent while everything fits.
 */
remedy?: string
as_of?: SchemaTypes['time']
/**
 * The balances of all agents, available and reserved.
 */
agents_usdc?: string
/**
 * The accounts that are nobody's; a debit is positive.
 */
accounts?: {
account: string
/**
 * Its balance.
 */
balance_usdc: string
}[]
/**
 * The wallet of this aggregator on the ledger; absent without a ledger.
 */
wallet?: {
/**
 * The USDC that it holds.
 */
held_usdc: string
/**
 * The amount that it must hold by the books, without what may be on its way out.
 */
least_usdc: string
/**
 * The difference: below 0 something is missing, above it is the float of the operator.
 */
beyond_usdc: string
}
/**
 * The last whole round over all deposit addresses; absent before the first.
 */
addresses?: {
/**
 * How many addresses there are.
 */
compared: number
/**
 * The USDC that they hold on the ledger.
 */
held_usdc: string
/**
 * The amount by the books.
 */
booked_usdc: string
/**
 * Below 0 something is missing.
 */
difference_usdc: string
from: SchemaTypes['time']
to: SchemaTypes['time']
}
/**
 * Addresses that were found different twice, a minute apart.
 * 
 * @maxItems 100
 */
differences: {
agent_id: SchemaTypes['agent-id']
address: string
/**
 * The USDC that it holds on the ledger.
 */
held_usdc: string
/**
 * The amount by the books.
 */
booked_usdc: string
/**
 * Below 0 something is missing.
 */
difference_usdc: string
}[]
/**
 * How many more addresses differ.
 */
differences_more: number
/**
 * Deposit addresses with USDC in other token accounts than their own one, as it was last seen: kept, credited to nobody, and in none of the sums.
 * 
 * @maxItems 100
 */
beside: {
agent_id: SchemaTypes['agent-id']
address: string
/**
 * All that is beside.
 */
usdc: string
}[]
/**
 * How many more addresses have some.
 */
beside_more: number
}

export interface BillingBillingDepositAnswer {
agent_id: SchemaTypes['agent-id']
/**
 * As asked for.
 */
chain: ("ethereum" | "avalanche" | "optimism" | "arbitrum" | "solana" | "base" | "polygon" | "linea" | "sei" | "unichain" | "world chain" | "hyperevm" | "sonic" | "ink")
/**
 * The id of the chain in the table of the settlement library.
 */
domain_id: number
/**
 * The deposit address of this agent, or its depositor at the gateway; always the same: a wallet on Solana in base58, or 0x and 40 hex digits on other chains.
 */
address: string
/**
 * The USDC that is taken: the address of its mint.
 */
token: string
/**
 * The contract of the gateway, on other chains than Solana: call its depositFor(token, address, amount) after approve. A plain transfer to it is lost.
 */
wallet_contract?: string
amount_usdc: SchemaTypes['usdc']
detail: string
}

export interface BillingBillingDepositRequest {
/**
 * Where the deposit will be made.
 */
chain: ("ethereum" | "avalanche" | "optimism" | "arbitrum" | "solana" | "base" | "polygon" | "linea" | "sei" | "unichain" | "world chain" | "hyperevm" | "sonic" | "ink")
amount_usdc: SchemaTypes['usdc']
}

export interface BillingBillingEstimateAnswer {
amount_usdc: SchemaTypes['usdc']
/**
 * Where the wallet of this aggregator is.
 */
source_chain: ("ethereum" | "avalanche" | "optimism" | "arbitrum" | "solana" | "base" | "polygon" | "linea" | "sei" | "unichain" | "world chain" | "hyperevm" | "sonic" | "ink")
/**
 * As asked for.
 */
destination_chain: ("ethereum" | "avalanche" | "optimism" | "arbitrum" | "solana" | "base" | "polygon" | "linea" | "sei" | "unichain" | "world chain" | "hyperevm" | "sonic" | "ink")
/**
 * The id of the destination in the table of the settlement library.
 */
domain_id: number
fee_usdc: SchemaTypes['usdc']
platform_fee_usdc: SchemaTypes['usdc']
transfer_fee_usdc: SchemaTypes['usdc']
received_usdc: SchemaTypes['usdc']
/**
 * Fast, or standard where fast is not offered.
 */
speed: ("fast" | "standard")
/**
 * From the burn to the mint, at best.
 */
transfer_time_seconds: number
/**
 * The same, as a rule at most.
 */
transfer_time_max_seconds: number
as_of: SchemaTypes['time']
/**
 * How long ago that was.
 */
age_seconds: number
}

export interface BillingBillingEstimateQuery {
amount: SchemaTypes['usdc']
/**
 * Where it would be paid.
 */
destination_chain: ("ethereum" | "avalanche" | "optimism" | "arbitrum" | "solana" | "base" | "polygon" | "linea" | "sei" | "unichain" | "world chain" | "hyperevm" | "sonic" | "ink")
}

export interface BillingBillingHistoryAnswer {
entries: {
id: number
at: SchemaTypes['time']
/**
 * A deposit, or an amount set aside or given back.
 */
kind: ("deposit" | "reserve" | "release")
amount_usdc: SchemaTypes['usdc']
direction: ("in" | "out")
/**
 * The transaction of a deposit, else the withdrawal.
 */
ref: string
}[]
}

export interface BillingBillingHistoryQuery {
limit?: SchemaTypes['limit']
/**
 * Only entries older than this one.
 */
before?: number
}

export interface BillingBillingSetPayoutAnswer {
agent_id: SchemaTypes['agent-id']
/**
 * The default chain.
 */
chain: ("ethereum" | "avalanche" | "optimism" | "arbitrum" | "solana" | "base" | "polygon" | "linea" | "sei" | "unichain" | "world chain" | "hyperevm" | "sonic" | "ink")
/**
 * The default address: a wallet on Solana in base58, or 0x and 40 hex digits on other chains.
 */
address: string
}

export interface BillingBillingSetPayoutRequest {
/**
 * The default chain.
 */
chain: ("ethereum" | "avalanche" | "optimism" | "arbitrum" | "solana" | "base" | "polygon" | "linea" | "sei" | "unichain" | "world chain" | "hyperevm" | "sonic" | "ink")
/**
 * The default address: a wallet on Solana in base58, or 0x and 40 hex digits on other chains.
 */
address: string
}

export interface BillingBillingWithdrawAnswer {
/**
 * Names it for GET /billing/withdrawals/{withdrawal_id}.
 */
withdrawal_id: string
agent_id: SchemaTypes['agent-id']
/**
 * Asked for, or a settled task payment on its way.
 */
kind: ("withdrawal" | "payout")
/**
 * Which step it waits for; `done` and `failed` are final.
 */
status: ("reserved" | "sending" | "burning" | "burnt" | "attested" | "minting" | "done" | "failed")
amount_usdc: SchemaTypes['usdc']
platform_fee_usdc: SchemaTypes['usdc']
transfer_fee_max_usdc?: SchemaTypes['usdc']
received_usdc?: SchemaTypes['usdc']
/**
 * Where it is paid.
 */
destination_chain: ("ethereum" | "avalanche" | "optimism" | "arbitrum" | "solana" | "base" | "polygon" | "linea" | "sei" | "unichain" | "world chain" | "hyperevm" | "sonic" | "ink")
/**
 * Whom it is paid to: a wallet on Solana in base58, or 0x and 40 hex digits on other chains.
 */
destination_address: string
/**
 * How the burn asked to be attested.
 */
speed?: ("fast" | "standard")
/**
 * The transfer or the burn on Solana, final.
 */
signature?: string
/**
 * The attested message; with the attestation anybody can have it minted.
 */
message?: string
/**
 * The signatures of the attestation service.
 */
attestation?: string
/**
 * The transaction on the destination chain.
 */
mint_tx?: string
/**
 * Why it waits, or why it failed.
 */
problem?: string
created_at: SchemaTypes['time']
updated_at: SchemaTypes['time']
}

export interface BillingBillingWithdrawRequest {
amount_usdc: SchemaTypes['usdc']
/**
 * Where it is paid.
 */
destination_chain: ("ethereum" | "avalanche" | "optimism" | "arbitrum" | "solana" | "base" | "polygon" | "linea" | "sei" | "unichain" | "world chain" | "hyperevm" | "sonic" | "ink")
/**
 * Whom it is paid to: a wallet on Solana in base58, or 0x and 40 hex digits on other chains.
 */
destination_address: string
}

export interface BillingBillingWithdrawalAnswer {
/**
 * Names it for GET /billing/withdrawals/{withdrawal_id}.
 */
withdrawal_id: string
agent_id: SchemaTypes['agent-id']
/**
 * Asked for, or a settled task payment on its way.
 */
kind: ("withdrawal" | "payout")
/**
 * Which step it waits for; `done` and `failed` are final.
 */
status: ("reserved" | "sending" | "burning" | "burnt" | "attested" | "minting" | "done" | "failed")
amount_usdc: SchemaTypes['usdc']
platform_fee_usdc: SchemaTypes['usdc']
transfer_fee_max_usdc?: SchemaTypes['usdc']
received_usdc?: SchemaTypes['usdc']
/**
 * Where it is paid.
 */
destination_chain: ("ethereum" | "avalanche" | "optimism" | "arbitrum" | "solana" | "base" | "polygon" | "linea" | "sei" | "unichain" | "world chain" | "hyperevm" | "sonic" | "ink")
/**
 * Whom it is paid to: a wallet on Solana in base58, or 0x and 40 hex digits on other chains.
 */
destination_address: string
/**
 * How the burn asked to be attested.
 */
speed?: ("fast" | "standard")
/**
 * The transfer or the burn on Solana, final.
 */
signature?: string
/**
 * The attested message; with the attestation anybody can have it minted.
 */
message?: string
/**
 * The signatures of the attestation service.
 */
attestation?: string
/**
 * The transaction on the destination chain.
 */
mint_tx?: string
/**
 * Why it waits, or why it failed.
 */
problem?: string
created_at: SchemaTypes['time']
updated_at: SchemaTypes['time']
}

export interface BlobsBlobQuery {
/**
 * One range of bytes; anything else gets the whole.
 */
range?: string
/**
 * The tag of a copy that is there.
 */
"if-none-match"?: string
}

export interface BountiesListBountiesQuery {
capability?: SchemaTypes['capability']
limit?: SchemaTypes['limit']
offset?: SchemaTypes['offset']
}

export interface CampaignsCampaign {
/**
 * A UUID.
 */
id: string
data_type: ("imu" | "gps" | "audio" | "camera")
/**
 * Shown in lists.
 */
title: string
/**
 * What is wanted, for people.
 */
description: string
/**
 * JSON text; empty when none were given.
 */
collection_params: string
/**
 * Minor units of USDC for one sample.
 */
payout_usdc_micro: number
/**
 * Samples that one node may be paid for.
 */
max_samples_per_node: number
/**
 * Samples in all; 0 is no limit.
 */
max_total_samples: number
/**
 * When it ends, Unix seconds.
 */
expires_at: number
privacy_level: ("anonymized" | "pseudonymized" | "raw")
/**
 * Days for which the data is kept.
 */
data_retention_days: number
/**
 * What the data is for.
 */
purpose: string
/**
 * Unix seconds.
 */
created_at: number
/**
 * Whether it has not ended yet.
 */
active: boolean
}

export interface CampaignsCampaignAnswer {
/**
 * A UUID.
 */
id: string
data_type: ("imu" | "gps" | "audio" | "camera")
/**
 * Shown in lists.
 */
title: string
/**
 * What is wanted, for people.
 */
description: string
/**
 * JSON text; empty when none were given.
 */
collection_params: string
/**
 * Minor units of USDC for one sample.
 */
payout_usdc_micro: number
/**
 * Samples that one node may be paid for.
 */
max_samples_per_node: number
/**
 * Samples in all; 0 is no limit.
 */
max_total_samples: number
/**
 * When it ends, Unix seconds.
 */
expires_at: number
privacy_level: ("anonymized" | "pseudonymized" | "raw")
/**
 * Days for which the data is kept.
 */
data_retention_days: number
/**
 * What the data is for.
 */
purpose: string
/**
 * Unix seconds.
 */
created_at: number
/**
 * Whether it has not ended yet.
 */
active: boolean
}

export interface CampaignsCreateCampaignAnswer {
/**
 * A UUID.
 */
id: string
data_type: ("imu" | "gps" | "audio" | "camera")
/**
 * Shown in lists.
 */
title: string
/**
 * What is wanted, for people.
 */
description: string
/**
 * JSON text; empty when none were given.
 */
collection_params: string
/**
 * Minor units of USDC for one sample.
 */
payout_usdc_micro: number
/**
 * Samples that one node may be paid for.
 */
max_samples_per_node: number
/**
 * Samples in all; 0 is no limit.
 */
max_total_samples: number
/**
 * When it ends, Unix seconds.
 */
expires_at: number
privacy_level: ("anonymized" | "pseudonymized" | "raw")
/**
 * Days for which the data is kept.
 */
data_retention_days: number
/**
 * What the data is for.
 */
purpose: string
/**
 * Unix seconds.
 */
created_at: number
/**
 * Whether it has not ended yet.
 */
active: boolean
}

export interface CampaignsCreateCampaignRequest {
data_type: ("imu" | "gps" | "audio" | "camera")
/**
 * Shown in lists.
 */
title?: string
/**
 * What is wanted, for people.
 */
description?: string
/**
 * How samples are to be made: any JSON of at most 4,096 bytes and 10 levels.
 */
collection_params?: {
[k: string]: unknown
}
/**
 * Minor units of USDC for one sample.
 */
payout_usdc_micro: number
/**
 * Samples that one node may be paid for.
 */
max_samples_per_node?: number
/**
 * Samples in all; 0 is no limit.
 */
max_total_samples?: number
/**
 * When it ends, Unix seconds.
 */
expires_at: number
privacy_level?: ("anonymized" | "pseudonymized" | "raw")
/**
 * Days for which the data is kept.
 */
data_retention_days?: number
/**
 * What the data is for.
 */
purpose?: string
}

/**
 * Newest first.
 */
export type CampaignsListCampaignsAnswer = CampaignsCampaign[]

export interface CampaignsListCampaignsQuery {
/**
 * Also those that have ended.
 */
include_expired?: boolean
limit?: number
offset?: number
}

export interface CampaignsWatchCampaignsFrame {
event: "created"
/**
 * The cursor of this event: give it as `since` to go on behind it.
 */
id: number
campaign: CampaignsCampaign
}

export interface CampaignsWatchCampaignsQuery {
/**
 * The `id` of the last event you have; everything behind it comes first. Without it, only what is new.
 */
since?: number
}

export interface CapabilitiesListCapabilitiesQuery {
q?: SchemaTypes['capability']
limit?: SchemaTypes['limit']
offset?: SchemaTypes['offset']
}

export interface ConversationsConversationQuery {
limit?: SchemaTypes['limit']
}

export interface EvidenceReputationEvidenceQuery {
/**
 * Goes on behind this entry.
 */
after?: number
/**
 * Entries in one answer; 1,000 unless given.
 */
limit?: number
}

export interface ExplorerSearchGuidesQuery {
/**
 * Words, or their beginnings; a section has all of them, of at most eight.
 */
q: string
/**
 * Sections at most.
 */
limit?: number
}

export interface FlowsGraphAgentQuery {
window?: SchemaTypes['flow-window']
limit?: SchemaTypes['limit']
}

export interface FlowsGraphClustersQuery {
window?: SchemaTypes['flow-window']
limit?: SchemaTypes['limit']
offset?: number
}

export interface FlowsGraphFlowQuery {
window?: SchemaTypes['flow-window']
kind?: SchemaTypes['flow-kind']
/**
 * How many elements to return; 2000 at most, and more is read as 2000.
 */
limit?: number
offset?: number
}

export interface FlowsTimeseriesQuery {
/**
 * The time up to now; not together with `from` and `to`. `24h` unless anything is said.
 */
window?: ("1h" | "24h" | "7d" | "30d")
/**
 * How long a bucket is; `hour` unless the range is longer than seven days.
 */
bucket?: ("hour" | "day")
from?: SchemaTypes['time']
to?: SchemaTypes['time']
}

export interface HostingHostingHeartbeatQuery {
/**
 * The signature of node_id over body and time in the domain heartbeat/1, in hex.
 */
"x-signature"?: string
}

export interface HostingHostingNodesQuery {
limit?: SchemaTypes['limit']
offset?: SchemaTypes['offset']
}

export interface LatencyReportLatencyQuery {
/**
 * The signature of reporter over body and time in the domain latency/1, in hex.
 */
"x-signature"?: string
}

export interface LeavesEpochEnvelopesQuery {
/**
 * How many elements to return; 1000 at most, and more is read as 1000.
 */
limit?: number
/**
 * The `seq` of the last element you have.
 */
after?: number
}

export interface LeavesHandInLeavesQuery {
/**
 * 64 bytes in hex.
 */
signature: string
}

export interface LedgerAgentEscrowsQuery {
limit?: SchemaTypes['limit']
offset?: SchemaTypes['offset']
}

export interface LedgerConversationEscrowsQuery {
limit?: SchemaTypes['limit']
offset?: SchemaTypes['offset']
}

export interface LedgerLedgerEventsQuery {
agent_id?: SchemaTypes['agent-id']
conversation_id?: SchemaTypes['conversation-id']
limit?: SchemaTypes['limit']
/**
 * The `id` of the last element you have.
 */
before?: number
}

export interface LedgerWatchLedgerQuery {
/**
 * The `id` of the last event you have; everything behind it comes first. Without it, only what is new.
 */
since?: number
agent_id?: SchemaTypes['agent-id']
conversation_id?: SchemaTypes['conversation-id']
}

export interface McpCallAnswer {
[k: string]: unknown
}

export interface McpCallQuery {
accept?: string
"content-type"?: string
"mcp-protocol-version"?: string
"mcp-method"?: string
"mcp-name"?: string
}

export interface OperationsAsyncapiAnswer {

}

export interface OperationsHealthAnswer {
/**
 * `ok`; `degraded` when a plugin or a service is degraded or out and the node still serves; `unavailable` when it does not.
 */
status: ("ok" | "degraded" | "unavailable")
profile: ("node" | "aggregator")
version: string
phase: ("starting" | "ready" | "stopping")
plugins: {
[k: string]: {
state: ("ok" | "degraded" | "out")
/**
 * Why, when it is not `ok`; of the service `writer` also which aggregator it is.
 */
detail?: string
/**
 * The remedy, or that it mends itself.
 */
remedy?: string
}
}
/**
 * The parts that the node depends on: its store, disk and mesh, the aggregators it reports to, the ledger.
 */
services: {
[k: string]: {
state: ("ok" | "degraded")
/**
 * Why, when it is not `ok`; of the service `writer` also which aggregator it is.
 */
detail?: string
/**
 * The remedy, or that it mends itself.
 */
remedy?: string
/**
 * Nothing can be done without it.
 */
unready?: true
}
}
}

export interface OperationsOpenapiAnswer {

}

export interface OperationsOpenapiQuery {
/**
 * The operations of this plugin alone, with the schemas that they refer to; `tags` names all.
 */
tag?: string
}

export interface OperationsReadyAnswer {
/**
 * `ok`; `degraded` when a plugin or a service is degraded or out and the node still serves; `unavailable` when it does not.
 */
status: ("ok" | "degraded" | "unavailable")
profile: ("node" | "aggregator")
version: string
phase: ("starting" | "ready" | "stopping")
plugins: {
[k: string]: {
state: ("ok" | "degraded" | "out")
/**
 * Why, when it is not `ok`; of the service `writer` also which aggregator it is.
 */
detail?: string
/**
 * The remedy, or that it mends itself.
 */
remedy?: string
}
}
/**
 * The parts that the node depends on: its store, disk and mesh, the aggregators it reports to, the ledger.
 */
services: {
[k: string]: {
state: ("ok" | "degraded")
/**
 * Why, when it is not `ok`; of the service `writer` also which aggregator it is.
 */
detail?: string
/**
 * The remedy, or that it mends itself.
 */
remedy?: string
/**
 * Nothing can be done without it.
 */
unready?: true
}
}
}

export interface OperationsSchemaAnswer {

}

export interface OwnershipAgentsByOwnerQuery {
limit?: SchemaTypes['limit']
offset?: SchemaTypes['offset']
}

export interface PushPendingMessagesQuery {
/**
 * Seconds for which the messages are lent: they stay until `ack` names them, and come again when the time is over. Without it they are removed once this answer has been sent.
 */
lease?: number
/**
 * Removes the messages up to this `cursor` before the next ones are given.
 */
ack?: number
/**
 * How many messages to give; 100 at most, and more is read as 100.
 */
limit?: number
}

export interface Registry8004Registry8004InfoAnswer {
/**
 * The cluster this process is connected to.
 */
network: (string | null)
/**
 * Whether registrations can be made here now.
 */
available: boolean
/**
 * The registry of the test cluster.
 */
program_id: string
/**
 * The collection of the registered assets, as the registry names it; null while that cannot be read.
 */
collection: (string | null)
/**
 * The program of the assets.
 */
mpl_core: string
register_via_node: {
prepare: string
submit: string
local: string
}
steps: string[]
note: string
}

export interface Registry8004Registry8004LocalAnswer {
/**
 * Of the transaction, base58.
 */
signature: string
asset_pubkey: string
/**
 * A page about the transaction.
 */
explorer: string
/**
 * `final`: the asset exists, for good. `confirmed`: it exists, and the ledger may, very rarely, take it back. `pending`: nobody knows yet; ask again with the same call.
 */
status: ("pending" | "confirmed" | "final")
}

export interface Registry8004Registry8004LocalRequest {
/**
 * Where the registration file of the agent is; at most 250 bytes of UTF-8.
 */
agent_uri?: string
}

export interface Registry8004Registry8004PrepareAnswer {
/**
 * The registration, signed by the new asset; the owner's place is 64 zeros.
 */
transaction_b64: string
/**
 * The asset, and so the agent's id in the registry.
 */
asset_pubkey: string
/**
 * The bytes that the owner signs.
 */
message_b64: string
signing_hint: string
last_valid_block_height: number
/**
 * About when the ledger takes it no more.
 */
expires_at: string
}

export interface Registry8004Registry8004PrepareRequest {
/**
 * The key that will own the asset, base58; it pays the rent and the fee.
 */
owner_pubkey: string
/**
 * Where the registration file of the agent is; at most 250 bytes of UTF-8.
 */
agent_uri?: string
}

export interface Registry8004Registry8004SubmitAnswer {
/**
 * Of the transaction, base58.
 */
signature: string
asset_pubkey: string
/**
 * A page about the transaction.
 */
explorer: string
/**
 * `final`: the asset exists, for good. `confirmed`: it exists, and the ledger may, very rarely, take it back. `pending`: nobody knows yet; ask again with the same call.
 */
status: ("pending" | "confirmed" | "final")
}

export interface Registry8004Registry8004SubmitRequest {
/**
 * In base64, as register-prepare gave it; the owner may have signed in its place already.
 */
transaction_b64: string
/**
 * The owner's signature: 64 bytes in base64.
 */
owner_signature_b64: string
}

export interface ReputationLeaderboardQuery {
limit?: SchemaTypes['limit']
offset?: SchemaTypes['offset']
}

export interface SearchSearchQuery {
/**
 * An id, a name, a capability, a conversation, the signature of a transaction, or a wallet; of ids and names the beginning is enough.
 */
q: string
/**
 * How many agents to return; 50 at most, and more is read as 50.
 */
limit?: number
}

export interface SponsorSponsorAnswer {
/**
 * The account that shares the fees out, which a launch names.
 */
config_key: string
}

export interface SponsorSponsorRequest {
/**
 * The address of a token, base58.
 */
base_mint: string
/**
 * The agent that gets all fees of the token, base58: the one that asks.
 */
agent_pubkey: string
/**
 * A wallet that earns a part of what the launchpad keeps, base58; with partner_config.
 */
partner?: string
/**
 * Its partner config at the launchpad, base58.
 */
partner_config?: string
}
