// Generated from docs/openapi-*.json by `npm run clients`. Do not edit.
import type { SchemaTypes } from '../../../schemas/types.ts';
import type { CallOptions, StreamOptions } from '../http-caller.ts';
import type { InboxPage, InboxStreamFrame } from './frames.ts';

/** The operations of a node, by the plugin that declares them. */
export interface NodeApi {
  readonly a2a: {
    /** `GET /.well-known/agent-card.json`: The A2A card of the agent of this node, signed */
    card(query?: A2ACardQuery, options?: CallOptions): Promise<A2ACardAnswer>;
    /** `GET /.well-known/jwks.json`: The key that signs the cards of this node */
    keys(query?: A2AKeysQuery, options?: CallOptions): Promise<A2AKeysAnswer>;
    /** `POST /a2a/hire/{agent}`: A2A over JSON-RPC for the owner, who hires an agent of the mesh; the answer is JSON or an event stream */
    hireRpc(agent: string, bytes: Uint8Array, query?: A2AHireRpcQuery, options?: CallOptions): Promise<A2AHireRpcAnswer>;
    /** `GET /a2a/hire/{agent}/.well-known/agent-card.json`: The A2A card by which the owner hires an agent of the mesh */
    cardToHire(agent: string, query?: A2ACardToHireQuery, options?: CallOptions): Promise<A2ACardToHireAnswer>;
    /** `DELETE /a2a/hire/{agent}/{path*}`: A2A over HTTP+JSON for the owner, who hires an agent of the mesh: deletes */
    hireRemove(agent: string, path: string, query?: A2AHireRemoveQuery, options?: CallOptions): Promise<Uint8Array>;
    /** `GET /a2a/hire/{agent}/{path*}`: A2A over HTTP+JSON for the owner, who hires an agent of the mesh: reads */
    hireRead(agent: string, path: string, query?: A2AHireReadQuery, options?: CallOptions): Promise<Uint8Array>;
    /** `POST /a2a/hire/{agent}/{path*}`: A2A over HTTP+JSON for the owner, who hires an agent of the mesh: acts */
    hireAct(agent: string, path: string, bytes: Uint8Array, query?: A2AHireActQuery, options?: CallOptions): Promise<Uint8Array>;
    /** `GET /a2a/jobs`: Work that A2A agents elsewhere do for the owner, the newest first. */
    jobs(query?: A2AJobsQuery, options?: CallOptions): Promise<A2AJobsAnswer>;
    /** `POST /a2a/jobs`: Reads the card of an A2A agent elsewhere and gives it a task; answers when the agent has taken or refused it. */
    beginJob(request: A2ABeginJobRequest, options?: CallOptions): Promise<A2ABeginJobAnswer>;
    /** `GET /a2a/jobs/{id}`: How a job stands, with the work. */
    job(id: string, options?: CallOptions): Promise<A2AJobAnswer>;
    /** `POST /a2a/jobs/{id}/cancel`: Asks the agent to cancel the task. */
    cancelJob(id: string, options?: CallOptions): Promise<A2ACancelJobAnswer>;
    /** `POST /a2a/jobs/{id}/messages`: Answers an agent that waits for its client, or adds something to the task. */
    sayToJob(id: string, request: A2ASayToJobRequest, options?: CallOptions): Promise<A2ASayToJobAnswer>;
    /** `POST /a2a/{agent}`: A2A over JSON-RPC for clients of the agents of this node; the answer is JSON or an event stream */
    rpc(agent: string, bytes: Uint8Array, query?: A2ARpcQuery, options?: CallOptions): Promise<A2ARpcAnswer>;
    /** `GET /a2a/{agent}/.well-known/agent-card.json`: The A2A card of an agent of this node */
    cardOf(agent: string, query?: A2ACardOfQuery, options?: CallOptions): Promise<A2ACardOfAnswer>;
    /** `DELETE /a2a/{agent}/{path*}`: A2A over HTTP+JSON for clients of the agents of this node: deletes */
    remove(agent: string, path: string, query?: A2ARemoveQuery, options?: CallOptions): Promise<Uint8Array>;
    /** `GET /a2a/{agent}/{path*}`: A2A over HTTP+JSON for clients of the agents of this node: reads */
    read(agent: string, path: string, query?: A2AReadQuery, options?: CallOptions): Promise<Uint8Array>;
    /** `POST /a2a/{agent}/{path*}`: A2A over HTTP+JSON for clients of the agents of this node: acts */
    act(agent: string, path: string, bytes: Uint8Array, query?: A2AActQuery, options?: CallOptions): Promise<Uint8Array>;
  };
  readonly agentProcess: {
    /** `POST /agent/register-pid`: Registers the running process of the agent, which has to be of the same user, with the time it began. */
    registerPid(request: SchemaTypes['agent-pid'], options?: CallOptions): Promise<SchemaTypes['agent-registered']>;
    /** `POST /agent/reload`: Ends the registered process, by force after the grace, and starts the program at its path again with the same arguments, folder and variables. */
    reload(options?: CallOptions): Promise<SchemaTypes['agent-reloaded']>;
  };
  readonly aggregators: {
    /** `GET /aggregators`: The aggregators that this node reports to, and whether each is there and of its network; it looks first. */
    list(options?: CallOptions): Promise<SchemaTypes['aggregators']>;
  };
  readonly batches: {
    /** `GET /batch/{agent_id}/{epoch}`: The behavior batch of an agent and epoch: its own from the journal, others’ from the ledger. */
    summary(agent_id: string, epoch: string | number, options?: CallOptions): Promise<SchemaTypes['batch-summary']>;
    /** `GET /batch/{agent_id}/{epoch}/proof/{nonce}`: Proves that an envelope stands in a batch. */
    proof(agent_id: string, epoch: string | number, nonce: string | number, options?: CallOptions): Promise<SchemaTypes['batch-proof']>;
  };
  readonly deals: {
    /** `GET /deals`: The deals of this node, the most recently changed first. */
    list(query?: DealsListQuery, options?: CallOptions): Promise<SchemaTypes['deals-page']>;
    /** `GET /deals/{conversation_id}`: A deal: its state, history, deadline and what you may do next. */
    get(conversation_id: string, options?: CallOptions): Promise<SchemaTypes['deal-view']>;
    /** `POST /deals/{conversation_id}/pay`: Pays what is owed in USDC and waits for the ledger; repeating it pays once. */
    pay(conversation_id: string, options?: CallOptions): Promise<SchemaTypes['deal-view']>;
  };
  readonly deliveries: {
    /** `GET /deals/{conversation_id}/delivery`: The bytes of a delivery above 48 KiB, fetched from its provider and compared with their hash. */
    read(conversation_id: string, options?: CallOptions): Promise<Uint8Array>;
  };
  readonly envelopes: {
    /** `POST /envelopes/send`: Sends a signed envelope to one agent, or to everybody. */
    send(request: SchemaTypes['send-request'], options?: CallOptions): Promise<SchemaTypes['sent']>;
    /** `GET /envelopes/{envelope_id}`: The way of an envelope, hop by hop. */
    trace(envelope_id: string, options?: CallOptions): Promise<SchemaTypes['envelope-trace']>;
    /** `POST /message`: Sends a plain text to one agent; no deal is needed. */
    message(request: SchemaTypes['message-request'], options?: CallOptions): Promise<SchemaTypes['sent']>;
  };
  readonly escrow: {
    /** `POST /escrow/approve`: Releases the locked amount to the provider, as the requester; the bond comes back, after a contest the offered share of it. */
    approve(request: SchemaTypes['escrow-request'], options?: CallOptions): Promise<SchemaTypes['escrow-step']>;
    /** `POST /escrow/claim`: Takes what nobody answered within the review; the node does so by itself. */
    claim(request: SchemaTypes['escrow-request'], options?: CallOptions): Promise<SchemaTypes['escrow-step']>;
    /** `POST /escrow/contest`: Refuses the offer of a dispute, as the provider: its notary decides, or what is in dispute burns. */
    contest(request: SchemaTypes['escrow-contest-request'], options?: CallOptions): Promise<SchemaTypes['escrow-step']>;
    /** `POST /escrow/deliver`: Names the DELIVER of a deal on the ledger, as its provider; the node does so by itself. */
    deliver(request: SchemaTypes['escrow-request'], options?: CallOptions): Promise<SchemaTypes['escrow-step']>;
    /** `POST /escrow/dispute`: Objects within the review, as the requester, and offers a share; again while disputed raises it. */
    dispute(request: SchemaTypes['escrow-dispute-request'], options?: CallOptions): Promise<SchemaTypes['escrow-step']>;
    /** `POST /escrow/lock`: Locks the agreed amount of an accepted deal, as its requester. */
    lock(request: SchemaTypes['escrow-lock-request'], options?: CallOptions): Promise<SchemaTypes['escrow-step']>;
    /** `POST /escrow/reclaim`: Takes back what was not delivered before the deadline; the node does so by itself. */
    reclaim(request: SchemaTypes['escrow-request'], options?: CallOptions): Promise<SchemaTypes['escrow-step']>;
    /** `POST /escrow/refund`: Gives the locked amount and the bond back, as the provider. */
    refund(request: SchemaTypes['escrow-request'], options?: CallOptions): Promise<SchemaTypes['escrow-step']>;
    /** `POST /escrow/set-payee`: Has the release paid to another wallet, as the provider, such as to a deposit address of an aggregator. */
    setPayee(request: SchemaTypes['escrow-payee-request'], options?: CallOptions): Promise<SchemaTypes['escrow-step']>;
    /** `POST /escrow/split`: Ends a dispute: the offer stands, or what was contested burns; the node does so by itself. */
    split(request: SchemaTypes['escrow-request'], options?: CallOptions): Promise<SchemaTypes['escrow-step']>;
    /** `GET /escrow/{conversation_id}`: What is locked for a deal of this node, from the ledger's finalised state. */
    get(conversation_id: string, options?: CallOptions): Promise<SchemaTypes['escrow-view']>;
  };
  readonly events: {
    /** `GET /ws/events`: Events of the node from now on: envelope, peer, deal, reputation, batch, lease, plugin. */
    events(options?: StreamOptions): AsyncGenerator<SchemaTypes['node-event']>;
  };
  readonly exempt: {
    /** `GET /admin/exempt`: The exempt agents, in the order of their ids. */
    list(query?: ExemptListQuery, options?: CallOptions): Promise<SchemaTypes['exempt-agents']>;
    /** `POST /admin/exempt`: Exempts an agent from the gates from now on, over restarts too; at most 10 000 are. */
    add(request: SchemaTypes['exempt-request'], options?: CallOptions): Promise<SchemaTypes['exempt-added']>;
    /** `DELETE /admin/exempt/{agent_id}`: Has the gates judge an agent again; one that is not exempt stays so. */
    remove(agent_id: string, options?: CallOptions): Promise<SchemaTypes['done']>;
  };
  readonly explorer: {
    /** `GET /explorer/{path*}`: The console of this node, and what it loads. */
    pages(path: string, options?: CallOptions): Promise<Uint8Array>;
    /** `GET /guide-sections`: Finds sections of the guides by their words. */
    searchGuides(query: ExplorerSearchGuidesQuery, options?: CallOptions): Promise<SchemaTypes['guide-sections']>;
    /** `GET /guides/{path*}`: The guides of this version, as Markdown. */
    guides(path: string, options?: CallOptions): Promise<Uint8Array>;
  };
  readonly feedback: {
    /** `POST /feedback`: Rates the other side of a deal that has ended, or as its notary either side, for everybody to see. */
    feedback(request: SchemaTypes['feedback-request'], options?: CallOptions): Promise<SchemaTypes['sent']>;
  };
  readonly hosting: {
    /** `POST /hosted/advertise`: Says to everybody what the agent can do, where and for how much. */
    hostedAdvertise(request?: SchemaTypes['advertise-request'], options?: CallOptions): Promise<SchemaTypes['sent']>;
    /** `GET /hosted/agents`: The agents that this node hosts, with their accounts. */
    hostedAgents(query?: HostingHostedAgentsQuery, options?: CallOptions): Promise<SchemaTypes['hosted-agents']>;
    /** `DELETE /hosted/agents/{agent_id}`: Ends with a hosted agent, as the operator; its account and statement stay. */
    removeHostedAgent(agent_id: string, query?: HostingRemoveHostedAgentQuery, options?: CallOptions): Promise<SchemaTypes['done']>;
    /** `POST /hosted/agents/{agent_id}/credit`: Puts USDC that its client has paid to the operator into the prepaid account of a hosted agent. */
    creditHostedAgent(agent_id: string, request?: SchemaTypes['hosted-movement'], options?: CallOptions): Promise<SchemaTypes['hosted-line']>;
    /** `POST /hosted/agents/{agent_id}/debit`: Takes USDC that the operator has paid back out of a prepaid account, also of an agent that is gone. */
    debitHostedAgent(agent_id: string, request?: SchemaTypes['hosted-movement'], options?: CallOptions): Promise<SchemaTypes['hosted-line']>;
    /** `GET /hosted/agents/{agent_id}/statement`: The statement of a prepaid account, also of an agent that is gone. */
    hostedAccountStatement(agent_id: string, query?: HostingHostedAccountStatementQuery, options?: CallOptions): Promise<SchemaTypes['hosted-statement']>;
    /** `POST /hosted/agents/{agent_id}/token`: Gives a hosted agent another token, for a client that lost its own. */
    renewHostedToken(agent_id: string, options?: CallOptions): Promise<SchemaTypes['hosted-token']>;
    /** `POST /hosted/bounty`: Offers work to whoever can do it; who wants it writes a MESSAGE in this conversation. */
    hostedBounty(request: SchemaTypes['bounty-request'], options?: CallOptions): Promise<SchemaTypes['sent']>;
    /** `GET /hosted/deals`: The deals of the agent, the most recently changed first. */
    hostedDeals(query?: HostingHostedDealsQuery, options?: CallOptions): Promise<SchemaTypes['deals-page']>;
    /** `GET /hosted/deals/{conversation_id}`: A deal of the agent. */
    hostedDeal(conversation_id: string, options?: CallOptions): Promise<SchemaTypes['deal-view']>;
    /** `GET /hosted/deals/{conversation_id}/delivery`: The bytes of a delivery above 48 KiB, fetched from its provider and compared with their hash. */
    hostedDelivery(conversation_id: string, options?: CallOptions): Promise<Uint8Array>;
    /** `POST /hosted/deliver`: Hands over the work. */
    hostedDeliver(request: SchemaTypes['deliver-request'], options?: CallOptions): Promise<SchemaTypes['deal-step']>;
    /** `POST /hosted/dispute`: Objects to a delivery, as the requester. Everybody may read it. */
    hostedDispute(request: SchemaTypes['dispute-request'], options?: CallOptions): Promise<SchemaTypes['deal-step']>;
    /** `POST /hosted/feedback`: Rates the other side of a deal that has ended, for everybody to see. */
    hostedFeedback(request: SchemaTypes['feedback-request'], options?: CallOptions): Promise<SchemaTypes['sent']>;
    /** `GET /hosted/inbox`: Inbound envelopes of the agent behind a cursor, for clients without WebSockets. */
    hostedInbox(query?: HostingHostedInboxQuery, options?: CallOptions): Promise<InboxPage>;
    /** `POST /hosted/inbox/ack`: Forgets the frames of the agent up to a cursor. */
    acknowledgeHostedInbox(request: SchemaTypes['inbox-ack'], options?: CallOptions): Promise<void>;
    /** `POST /hosted/move`: Begins the move to another host: names the key under which the agent shall go on. It stays until that key takes over; the answer goes to the other host. */
    moveHostedAgent(request: SchemaTypes['hosted-move'], options?: CallOptions): Promise<SchemaTypes['move-notice']>;
    /** `POST /hosted/negotiate/accept`: Accepts the last offer. */
    hostedAccept(request: SchemaTypes['accept-request'], options?: CallOptions): Promise<SchemaTypes['deal-step']>;
    /** `POST /hosted/negotiate/counter`: Answers an offer with another. */
    hostedCounter(request: SchemaTypes['counter-request'], options?: CallOptions): Promise<SchemaTypes['deal-step']>;
    /** `POST /hosted/negotiate/propose`: Offers a deal to an agent. */
    hostedPropose(request: SchemaTypes['propose-request'], options?: CallOptions): Promise<SchemaTypes['deal-step']>;
    /** `POST /hosted/negotiate/reject`: Refuses an offer, or withdraws one. */
    hostedReject(request: SchemaTypes['reject-request'], options?: CallOptions): Promise<SchemaTypes['deal-step']>;
    /** `GET /hosted/ping`: Whether this host is there and, with a token, whether it still knows the agent. */
    hostedPing(options?: CallOptions): Promise<SchemaTypes['hosted-pong']>;
    /** `GET /hosted/portfolio/balances`: SOL and tokens in the ledger account of the agent, whose address is its key. */
    hostedBalances(options?: CallOptions): Promise<SchemaTypes['portfolio-balances']>;
    /** `GET /hosted/portfolio/history`: The sweeps of the agent that are final, newest first. */
    hostedHistory(query?: HostingHostedHistoryQuery, options?: CallOptions): Promise<SchemaTypes['history-page']>;
    /** `POST /hosted/register`: Makes an agent with a fresh key, which this host keeps and signs with. */
    hostedRegister(request?: SchemaTypes['hosted-registration'], options?: CallOptions): Promise<SchemaTypes['hosted-registered']>;
    /** `POST /hosted/send`: Sends a message, signed by this host with the key of the agent. */
    hostedSend(request: SchemaTypes['hosted-send-request'], options?: CallOptions): Promise<SchemaTypes['sent']>;
    /** `DELETE /hosted/session`: Ends with the agent of the token: its key is destroyed, and what it has not sent is not sent any more. */
    leaveHost(query?: HostingLeaveHostQuery, options?: CallOptions): Promise<SchemaTypes['done']>;
    /** `GET /hosted/session`: The agent of the token, with its prepaid account. */
    hostedSession(options?: CallOptions): Promise<SchemaTypes['hosted-session']>;
    /** `POST /hosted/session/rotate`: Gives another token; the one that was shown holds no more. */
    rotateHostedToken(options?: CallOptions): Promise<SchemaTypes['hosted-token']>;
    /** `GET /hosted/statement`: The statement of the agent's prepaid account, the newest line first. */
    hostedStatement(query?: HostingHostedStatementQuery, options?: CallOptions): Promise<SchemaTypes['hosted-statement']>;
    /** `POST /hosted/take-over`: Has the agent of the token, which must be fresh, go on for an agent that moves here from another host. */
    takeOverAgent(request: SchemaTypes['move-notice'], options?: CallOptions): Promise<SchemaTypes['succession']>;
    /** `POST /hosted/wallet/sweep`: Sends USDC that came to the ledger account of the agent to a wallet. SOL in that account pays the fee, and the rent of a token account that is made. */
    hostedSweep(request: SchemaTypes['sweep-request'], options?: CallOptions): Promise<SchemaTypes['sweep']>;
    /** `GET /ws/hosted/inbox`: Inbound envelopes of the agent as they come, after a first frame that says how many wait; with `since` or `unacked` those that wait come first. It ends with its token. */
    hostedFrames(query?: HostingHostedFramesQuery, options?: StreamOptions): AsyncGenerator<InboxStreamFrame>;
  };
  readonly identity: {
    /** `GET /identity`: Who this node is. */
    identity(options?: CallOptions): Promise<SchemaTypes['identity']>;
  };
  readonly inbox: {
    /** `GET /inbox`: Inbound envelopes behind a cursor, for clients without WebSockets. */
    page(query?: InboxPageQuery, options?: CallOptions): Promise<InboxPage>;
    /** `POST /inbox/ack`: Forgets the frames up to a cursor. */
    acknowledge(request: SchemaTypes['inbox-ack'], options?: CallOptions): Promise<void>;
    /** `GET /ws/inbox`: Inbound envelopes as they come, after a first frame that says how many wait; with `since` or `unacked` those that wait come first. */
    frames(query?: InboxFramesQuery, options?: StreamOptions): AsyncGenerator<InboxStreamFrame>;
  };
  readonly inspection: {
    /** `GET /plugins`: The parts and plugins of this node: where each is from, how it is, what it may do and what it serves. */
    plugins(options?: CallOptions): Promise<SchemaTypes['loaded-plugins']>;
    /** `GET /settings`: The settings this node was started with, and where each value is from; secrets are hidden. */
    settings(options?: CallOptions): Promise<SchemaTypes['shown-settings']>;
    /** `PATCH /settings`: Changes settings that do not decide identity, data, money, trust or doors; the data folder keeps them, and the answer says which wait for a restart. */
    changeSettings(request: SchemaTypes['setting-changes'], options?: CallOptions): Promise<SchemaTypes['changed-settings']>;
  };
  readonly launchpad: {
    /** `GET /launchpad/chart-listing/check/{token_mint}`: Whether a token can be listed at the chart site, and for how much. */
    checkListing(token_mint: string, options?: CallOptions): Promise<LaunchpadCheckListingAnswer>;
    /** `POST /launchpad/chart-listing/list`: Orders and pays the listing of a token at the chart site, once. */
    list(request: LaunchpadListRequest, options?: CallOptions): Promise<LaunchpadListAnswer>;
    /** `POST /launchpad/claim`: Claims the fees of a token. */
    claim(request: LaunchpadClaimRequest, options?: CallOptions): Promise<LaunchpadClaimAnswer>;
    /** `GET /launchpad/claimable`: Fees that the creator of tokens can claim. */
    claimable(options?: CallOptions): Promise<LaunchpadClaimableAnswer>;
    /** `GET /launchpad/config`: Which launchpad this node uses, and how; never the key. */
    config(options?: CallOptions): Promise<LaunchpadConfigAnswer>;
    /** `POST /launchpad/launch`: Launches a token whose fees go to this agent: metadata, fee share, transaction. */
    launch(request: LaunchpadLaunchRequest, options?: CallOptions): Promise<LaunchpadLaunchAnswer>;
    /** `GET /launchpad/pool/{token_mint}`: The pool of a token: reserves by the ledger, price and trade in US dollars. */
    pool(token_mint: string, options?: CallOptions): Promise<LaunchpadPoolAnswer>;
    /** `GET /launchpad/positions`: The tokens of the launchpad that the wallet holds. */
    positions(options?: CallOptions): Promise<LaunchpadPositionsAnswer>;
    /** `POST /launchpad/set-api-key`: Sets the key of the launchpad, or replaces it; it holds at once and over restarts. */
    setApiKey(request: LaunchpadSetApiKeyRequest, options?: CallOptions): Promise<void>;
    /** `POST /launchpad/swap/execute`: Swaps, by a quote that was asked for or by a new one. */
    execute(request?: LaunchpadExecuteRequest, options?: CallOptions): Promise<LaunchpadExecuteAnswer>;
    /** `POST /launchpad/swap/quote`: A quote as the launchpad gives it; nothing is done. */
    quote(request: LaunchpadQuoteRequest, options?: CallOptions): Promise<LaunchpadQuoteAnswer>;
  };
  readonly lease: {
    /** `GET /lease`: How far the lease is paid, and what the node does about it. */
    lease(options?: CallOptions): Promise<SchemaTypes['lease-view']>;
    /** `POST /lease/pay`: Pays what is due for the present epoch and some ahead; when nothing is due, nothing is paid. */
    pay(request?: SchemaTypes['lease-pay-request'], options?: CallOptions): Promise<SchemaTypes['lease-view']>;
  };
  readonly market: {
    /** `GET /advertise`: What this agent says of itself. */
    advertisement(options?: CallOptions): Promise<SchemaTypes['advertisement']>;
    /** `POST /advertise`: Says to everybody what this agent can do, where and for how much; the node repeats it daily. */
    advertise(request?: SchemaTypes['advertise-request'], options?: CallOptions): Promise<SchemaTypes['sent']>;
    /** `GET /agent`: Who this agent is, what it says it can do, and the network that it is of. */
    introduction(options?: CallOptions): Promise<SchemaTypes['introduction']>;
    /** `POST /bounty`: Offers work to whoever can do it; who wants it writes a MESSAGE in this conversation. */
    bounty(request: SchemaTypes['bounty-request'], options?: CallOptions): Promise<SchemaTypes['sent']>;
  };
  readonly mcp: {
    /** `POST /mcp`: One message of the Model Context Protocol (Streamable HTTP); the answer is JSON or an event stream */
    call(bytes: Uint8Array, query?: McpCallQuery, options?: CallOptions): Promise<McpCallAnswer>;
  };
  readonly money: {
    /** `GET /portfolio/caps`: What may leave the wallet, and what of that is used. */
    caps(query?: MoneyCapsQuery, options?: CallOptions): Promise<SchemaTypes['portfolio-caps']>;
  };
  readonly negotiation: {
    /** `POST /deliver`: Hands over the work. */
    deliver(request: SchemaTypes['deliver-request'], options?: CallOptions): Promise<SchemaTypes['deal-step']>;
    /** `POST /dispute`: Objects to a delivery, as the requester; the node takes it to the ledger where the amount is locked. Everybody may read it. */
    dispute(request: SchemaTypes['dispute-request'], options?: CallOptions): Promise<SchemaTypes['deal-step']>;
    /** `POST /negotiate/accept`: Accepts the last offer. */
    accept(request: SchemaTypes['accept-request'], options?: CallOptions): Promise<SchemaTypes['deal-step']>;
    /** `POST /negotiate/counter`: Answers an offer with another. */
    counter(request: SchemaTypes['counter-request'], options?: CallOptions): Promise<SchemaTypes['deal-step']>;
    /** `POST /negotiate/propose`: Offers a deal to an agent. */
    propose(request: SchemaTypes['propose-request'], options?: CallOptions): Promise<SchemaTypes['deal-step']>;
    /** `POST /negotiate/reject`: Refuses an offer, or withdraws one. */
    reject(request: SchemaTypes['reject-request'], options?: CallOptions): Promise<SchemaTypes['deal-step']>;
  };
  readonly notary: {
    /** `POST /notarize/assign`: Assigns the notary that a deal names. */
    assign(request: SchemaTypes['notarize-assign-request'], options?: CallOptions): Promise<SchemaTypes['sent']>;
    /** `POST /notarize/bid`: Tells everybody that a deal looks for a notary, or that this agent offers to be it. */
    bid(request: SchemaTypes['notarize-bid-request'], options?: CallOptions): Promise<SchemaTypes['sent']>;
    /** `GET /notarize/cases`: The deals this node is the notary of: first those that it has to do with, then those of strangers. */
    cases(query?: NotaryCasesQuery, options?: CallOptions): Promise<SchemaTypes['notary-cases']>;
    /** `POST /notarize/decide`: Decides a contested escrow on the ledger, as its notary. */
    decide(request: SchemaTypes['notarize-decide-request'], options?: CallOptions): Promise<SchemaTypes['notary-case-view']>;
    /** `POST /verdict`: Gives the notary's word on a delivery to both parties; the requester's node follows it. */
    verdict(request: SchemaTypes['verdict-request'], options?: CallOptions): Promise<SchemaTypes['notary-case-view']>;
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
    /** `GET /owner`: Who owns this agent, by the ledger; or whom it has proposed, and what that wallet must sign. */
    owner(options?: CallOptions): Promise<SchemaTypes['owner-view']>;
    /** `POST /owner/propose`: Proposes the wallet that owns this agent; the answer has the text it must sign, and where to claim. */
    propose(request: SchemaTypes['owner-wish'], options?: CallOptions): Promise<SchemaTypes['owner-view']>;
  };
  readonly peers: {
    /** `GET /peers`: The peers heard of most recently, those with a session first, with their lease status. */
    peers(query?: PeersPeersQuery, options?: CallOptions): Promise<SchemaTypes['peers']>;
  };
  readonly portfolio: {
    /** `GET /portfolio/balances`: SOL and tokens in the hot wallet. */
    balances(options?: CallOptions): Promise<SchemaTypes['portfolio-balances']>;
    /** `GET /portfolio/history`: What happened to the money of this agent, newest first. */
    history(query?: PortfolioHistoryQuery, options?: CallOptions): Promise<SchemaTypes['history-page']>;
  };
  readonly probe: {
    /** `GET /probe`: The budget of the probe buyer, and how much of it is left. */
    probeStatus(options?: CallOptions): Promise<ProbeProbeStatusAnswer>;
    /** `GET /probe/deals`: The agents that the probe buyer hired, the last one first; their deals are marked as probes here. */
    listProbes(query?: ProbeListProbesQuery, options?: CallOptions): Promise<ProbeListProbesAnswer>;
    /** `POST /probe/hire`: Hires one agent for a small job now, within the budgets. */
    buyProbe(options?: CallOptions): Promise<ProbeBuyProbeAnswer>;
  };
  readonly push: {
    /** `GET /push`: Whether this agent sleeps, and which aggregators know. */
    sleepState(options?: CallOptions): Promise<PushSleepStateAnswer>;
    /** `POST /push/sleep`: Tells the aggregators that this agent sleeps: they hold messages for it, and wake its device. */
    sleep(request?: PushSleepRequest, options?: CallOptions): Promise<PushSleepAnswer>;
    /** `POST /push/wake`: Asks the nearest hub for a relay slot, takes what waited for this agent into its inbox, and tells the aggregators that it is awake. */
    wake(options?: CallOptions): Promise<PushWakeAnswer>;
  };
  readonly registry8004: {
    /** `GET /registry/8004/info`: The registry of agents, and how to register there */
    registry8004Info(options?: CallOptions): Promise<Registry8004Registry8004InfoAnswer>;
    /** `POST /registry/8004/register-local`: Registers the key of this process, which pays for it */
    registry8004Local(request?: Registry8004Registry8004LocalRequest, options?: CallOptions): Promise<Registry8004Registry8004LocalAnswer>;
  };
  readonly reputation: {
    /** `GET /reputation/{agent_id}`: An agent’s reputation vector: score, components, confidence and decay by an aggregator, and this node’s own deals and ratings with it. */
    reputation(agent_id: string, options?: CallOptions): Promise<SchemaTypes['reputation-vector']>;
  };
  readonly skills: {
    /** `POST /skill/install-url`: Installs a skill from an https URL; private hosts are refused. */
    installSkill(request: SkillsInstallSkillRequest, options?: CallOptions): Promise<SkillsInstallSkillAnswer>;
    /** `GET /skill/list`: The skills in the workspace, by name. */
    listSkills(options?: CallOptions): Promise<SkillsListSkillsAnswer>;
    /** `POST /skill/remove`: Removes a skill with all in its folder. */
    removeSkill(request: SkillsRemoveSkillRequest, options?: CallOptions): Promise<SkillsRemoveSkillAnswer>;
    /** `POST /skill/write`: Writes the SKILL.toml of a skill, or puts it in the place of the one that is there. */
    writeSkill(request?: SkillsWriteSkillRequest, options?: CallOptions): Promise<SkillsWriteSkillAnswer>;
  };
  readonly stake: {
    /** `GET /stake`: What this agent has at stake, what it owes for it, and when it can take it back. */
    stake(options?: CallOptions): Promise<SchemaTypes['stake-view']>;
    /** `POST /stake/add`: Puts USDC at stake. With the first stake the duty begins to submit a batch each epoch. Repeated with the same Idempotency-Key it pays once; repeated without one after an uncertain answer, it finishes what was begun or says what the account shows. */
    add(request?: SchemaTypes['stake-request'], options?: CallOptions): Promise<SchemaTypes['stake-done']>;
    /** `POST /stake/resume`: Takes the duties on again, while leaving or after a slash. */
    resume(options?: CallOptions): Promise<SchemaTypes['stake-done']>;
    /** `POST /stake/unlock`: Asks to leave: duties end with the batch of the present epoch, which only this key can submit. */
    unlock(options?: CallOptions): Promise<SchemaTypes['stake-done']>;
    /** `POST /stake/withdraw`: Takes the stake back, once it can be. */
    withdraw(options?: CallOptions): Promise<SchemaTypes['stake-done']>;
  };
  readonly topics: {
    /** `GET /topics`: The topics whose broadcasts this node hears. */
    list(options?: CallOptions): Promise<SchemaTypes['topics']>;
    /** `DELETE /topics/{topic}`: Hears no more of a topic. */
    unsubscribe(topic: string, options?: CallOptions): Promise<SchemaTypes['topics']>;
    /** `PUT /topics/{topic}`: Hears the BROADCASTs of a topic from now on, over restarts too. */
    subscribe(topic: string, options?: CallOptions): Promise<SchemaTypes['topics']>;
    /** `GET /ws/topics`: BROADCASTs as they come, of one topic where it is named, which the node hears as long as the stream is open; otherwise of all that it hears. */
    frames(query?: TopicsFramesQuery, options?: StreamOptions): AsyncGenerator<InboxStreamFrame>;
  };
  readonly trade: {
    /** `POST /trade/dca/create`: Sets tokens aside and swaps a part of them again and again. */
    dcaCreate(request: TradeDcaCreateRequest, options?: CallOptions): Promise<TradeDcaCreateAnswer>;
    /** `POST /trade/limit/cancel`: Takes limit orders back. */
    limitCancel(request: TradeLimitCancelRequest, options?: CallOptions): Promise<TradeLimitCancelAnswer>;
    /** `POST /trade/limit/create`: Sets tokens aside until they can be swapped at a price. */
    limitCreate(request: TradeLimitCreateRequest, options?: CallOptions): Promise<TradeLimitCreateAnswer>;
    /** `GET /trade/limit/orders`: Limit orders that wait for their price. */
    limitOrders(query?: TradeLimitOrdersQuery, options?: CallOptions): Promise<TradeLimitOrdersAnswer>;
    /** `GET /trade/price`: Prices of tokens in US dollars. */
    price(query: TradePriceQuery, options?: CallOptions): Promise<TradePriceAnswer>;
    /** `GET /trade/quote`: A quote for a swap; nothing is done. */
    quote(query: TradeQuoteQuery, options?: CallOptions): Promise<TradeQuoteAnswer>;
    /** `POST /trade/swap`: Swaps tokens of the wallet, or asks for a confirmation (202). */
    swap(request: TradeSwapRequest, options?: CallOptions): Promise<TradeSwapAnswer>;
    /** `POST /trade/swap/confirm/{swap_id}`: Does a swap that waits for a confirmation. */
    confirm(swap_id: string, options?: CallOptions): Promise<TradeConfirmAnswer>;
    /** `GET /trade/swap/pending`: Swaps that wait for a confirmation, at most five minutes. */
    pending(options?: CallOptions): Promise<TradePendingAnswer>;
    /** `POST /trade/swap/reject/{swap_id}`: Forgets a swap that waits for a confirmation. */
    reject(swap_id: string, options?: CallOptions): Promise<TradeRejectAnswer>;
    /** `GET /trade/tokens`: Tokens that can be traded, by symbol, name or mint. */
    tokens(query?: TradeTokensQuery, options?: CallOptions): Promise<TradeTokensAnswer>;
  };
  readonly wallet: {
    /** `GET /wallet/sales`: The calls that this node sold by x402, and which of them are paid for and not answered. */
    sales(query?: WalletSalesQuery, options?: CallOptions): Promise<SchemaTypes['x402-sales']>;
    /** `POST /wallet/sweep`: Sends the USDC of the hot wallet to a wallet of its owner. */
    sweep(request: SchemaTypes['sweep-request'], options?: CallOptions): Promise<SchemaTypes['sweep']>;
    /** `POST /wallet/x402/pay`: Signs a payment that an offer of x402 asks for, at most 10 USDC; calls the seller, too, when a URL is given. */
    pay(request?: SchemaTypes['x402-pay-request'], options?: CallOptions): Promise<SchemaTypes['x402-payment']>;
    /** `GET /wallet/x402/{payment_id}`: A payment by x402, with what the ledger says of it now. */
    payment(payment_id: string, options?: CallOptions): Promise<SchemaTypes['x402-payment']>;
  };
  readonly watch: {
    /** `GET /accusations`: Accusations of this agent, and those its wallet has made; newest first. */
    accusations(options?: CallOptions): Promise<SchemaTypes['accusations']>;
  };
  readonly webhooks: {
    /** `GET /webhooks`: The receivers, and how their deliveries stand. */
    list(options?: CallOptions): Promise<WebhooksListAnswer>;
    /** `POST /webhooks`: Adds a receiver for kinds of events and types of messages, from now on; at most eight. */
    add(request: WebhooksAddRequest, options?: CallOptions): Promise<WebhooksAddAnswer>;
    /** `DELETE /webhooks/{id}`: Removes a receiver with all that waits for it. */
    remove(id: string, options?: CallOptions): Promise<SchemaTypes['done']>;
    /** `GET /webhooks/{id}/dead`: The deliveries to a receiver that were given up, the oldest first. */
    dead(id: string, query?: WebhooksDeadQuery, options?: CallOptions): Promise<WebhooksDeadAnswer>;
    /** `POST /webhooks/{id}/redeliver`: Has one delivery that was given up wait again, or without a name the hundred oldest. */
    redeliver(id: string, request?: WebhooksRedeliverRequest, options?: CallOptions): Promise<WebhooksRedeliverAnswer>;
  };
}

/** Method, path, and letters that `core/client/operations.ts` explains. */
export const nodeOperations = {
  a2a: {
    card: 'GET /.well-known/agent-card.json qo if-none-match',
    keys: 'GET /.well-known/jwks.json qo if-none-match',
    hireRpc: 'POST /a2a/hire/{agent} bquv accept,content-type,a2a-version,a2a-extensions',
    cardToHire: 'GET /a2a/hire/{agent}/.well-known/agent-card.json qo if-none-match',
    hireRemove: 'DELETE /a2a/hire/{agent}/{path*} qr accept,content-type,a2a-version,a2a-extensions',
    hireRead: 'GET /a2a/hire/{agent}/{path*} qr accept,content-type,a2a-version,a2a-extensions',
    hireAct: 'POST /a2a/hire/{agent}/{path*} bqr accept,content-type,a2a-version,a2a-extensions',
    jobs: 'GET /a2a/jobs qo',
    beginJob: 'POST /a2a/jobs jko',
    job: 'GET /a2a/jobs/{id} o',
    cancelJob: 'POST /a2a/jobs/{id}/cancel ko',
    sayToJob: 'POST /a2a/jobs/{id}/messages jko',
    rpc: 'POST /a2a/{agent} bquv accept,content-type,a2a-version,a2a-extensions',
    cardOf: 'GET /a2a/{agent}/.well-known/agent-card.json qo if-none-match',
    remove: 'DELETE /a2a/{agent}/{path*} qr accept,content-type,a2a-version,a2a-extensions',
    read: 'GET /a2a/{agent}/{path*} qr accept,content-type,a2a-version,a2a-extensions',
    act: 'POST /a2a/{agent}/{path*} bqr accept,content-type,a2a-version,a2a-extensions',
  },
  agentProcess: {
    registerPid: 'POST /agent/register-pid jo',
    reload: 'POST /agent/reload o',
  },
  aggregators: {
    list: 'GET /aggregators l',
  },
  batches: {
    summary: 'GET /batch/{agent_id}/{epoch} o',
    proof: 'GET /batch/{agent_id}/{epoch}/proof/{nonce} o',
  },
  deals: {
    list: 'GET /deals qo',
    get: 'GET /deals/{conversation_id} o',
    pay: 'POST /deals/{conversation_id}/pay o',
  },
  deliveries: {
    read: 'GET /deals/{conversation_id}/delivery r',
  },
  envelopes: {
    send: 'POST /envelopes/send jko',
    trace: 'GET /envelopes/{envelope_id} o',
    message: 'POST /message jko',
  },
  escrow: {
    approve: 'POST /escrow/approve jo',
    claim: 'POST /escrow/claim jo',
    contest: 'POST /escrow/contest jo',
    deliver: 'POST /escrow/deliver jo',
    dispute: 'POST /escrow/dispute jo',
    lock: 'POST /escrow/lock jo',
    reclaim: 'POST /escrow/reclaim jo',
    refund: 'POST /escrow/refund jo',
    setPayee: 'POST /escrow/set-payee jo',
    split: 'POST /escrow/split jo',
    get: 'GET /escrow/{conversation_id} o',
  },
  events: {
    events: 'GET /ws/events w',
  },
  exempt: {
    list: 'GET /admin/exempt qo',
    add: 'POST /admin/exempt jo',
    remove: 'DELETE /admin/exempt/{agent_id} o',
  },
  explorer: {
    pages: 'GET /explorer/{path*} r',
    searchGuides: 'GET /guide-sections qo',
    guides: 'GET /guides/{path*} r',
  },
  feedback: {
    feedback: 'POST /feedback jko',
  },
  hosting: {
    hostedAdvertise: 'POST /hosted/advertise jko',
    hostedAgents: 'GET /hosted/agents qo',
    removeHostedAgent: 'DELETE /hosted/agents/{agent_id} qo',
    creditHostedAgent: 'POST /hosted/agents/{agent_id}/credit jko',
    debitHostedAgent: 'POST /hosted/agents/{agent_id}/debit jko',
    hostedAccountStatement: 'GET /hosted/agents/{agent_id}/statement qo',
    renewHostedToken: 'POST /hosted/agents/{agent_id}/token o',
    hostedBounty: 'POST /hosted/bounty jko',
    hostedDeals: 'GET /hosted/deals qo',
    hostedDeal: 'GET /hosted/deals/{conversation_id} o',
    hostedDelivery: 'GET /hosted/deals/{conversation_id}/delivery r',
    hostedDeliver: 'POST /hosted/deliver jko',
    hostedDispute: 'POST /hosted/dispute jko',
    hostedFeedback: 'POST /hosted/feedback jko',
    hostedInbox: 'GET /hosted/inbox qo',
    acknowledgeHostedInbox: 'POST /hosted/inbox/ack jn',
    moveHostedAgent: 'POST /hosted/move jo',
    hostedAccept: 'POST /hosted/negotiate/accept jko',
    hostedCounter: 'POST /hosted/negotiate/counter jko',
    hostedPropose: 'POST /hosted/negotiate/propose jko',
    hostedReject: 'POST /hosted/negotiate/reject jko',
    hostedPing: 'GET /hosted/ping o',
    hostedBalances: 'GET /hosted/portfolio/balances o',
    hostedHistory: 'GET /hosted/portfolio/history qo',
    hostedRegister: 'POST /hosted/register jo',
    hostedSend: 'POST /hosted/send jko',
    leaveHost: 'DELETE /hosted/session qo',
    hostedSession: 'GET /hosted/session o',
    rotateHostedToken: 'POST /hosted/session/rotate o',
    hostedStatement: 'GET /hosted/statement qo',
    takeOverAgent: 'POST /hosted/take-over jo',
    hostedSweep: 'POST /hosted/wallet/sweep jko',
    hostedFrames: 'GET /ws/hosted/inbox qwc',
  },
  identity: {
    identity: 'GET /identity o',
  },
  inbox: {
    page: 'GET /inbox qo',
    acknowledge: 'POST /inbox/ack jn',
    frames: 'GET /ws/inbox qwc',
  },
  inspection: {
    plugins: 'GET /plugins o',
    settings: 'GET /settings o',
    changeSettings: 'PATCH /settings jo',
  },
  launchpad: {
    checkListing: 'GET /launchpad/chart-listing/check/{token_mint} o',
    list: 'POST /launchpad/chart-listing/list jko',
    claim: 'POST /launchpad/claim jko',
    claimable: 'GET /launchpad/claimable l',
    config: 'GET /launchpad/config o',
    launch: 'POST /launchpad/launch jko',
    pool: 'GET /launchpad/pool/{token_mint} o',
    positions: 'GET /launchpad/positions l',
    setApiKey: 'POST /launchpad/set-api-key jn',
    execute: 'POST /launchpad/swap/execute jko',
    quote: 'POST /launchpad/swap/quote jo',
  },
  lease: {
    lease: 'GET /lease o',
    pay: 'POST /lease/pay jko',
  },
  market: {
    advertisement: 'GET /advertise o',
    advertise: 'POST /advertise jko',
    introduction: 'GET /agent o',
    bounty: 'POST /bounty jko',
  },
  mcp: {
    call: 'POST /mcp bqv accept,content-type,mcp-protocol-version,mcp-method,mcp-name',
  },
  money: {
    caps: 'GET /portfolio/caps qo',
  },
  negotiation: {
    deliver: 'POST /deliver jko',
    dispute: 'POST /dispute jko',
    accept: 'POST /negotiate/accept jko',
    counter: 'POST /negotiate/counter jko',
    propose: 'POST /negotiate/propose jko',
    reject: 'POST /negotiate/reject jko',
  },
  notary: {
    assign: 'POST /notarize/assign jko',
    bid: 'POST /notarize/bid jko',
    cases: 'GET /notarize/cases ql',
    decide: 'POST /notarize/decide jko',
    verdict: 'POST /verdict jko',
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
    owner: 'GET /owner o',
    propose: 'POST /owner/propose jko',
  },
  peers: {
    peers: 'GET /peers ql',
  },
  portfolio: {
    balances: 'GET /portfolio/balances o',
    history: 'GET /portfolio/history qo',
  },
  probe: {
    probeStatus: 'GET /probe o',
    listProbes: 'GET /probe/deals qo',
    buyProbe: 'POST /probe/hire ko',
  },
  push: {
    sleepState: 'GET /push o',
    sleep: 'POST /push/sleep jo',
    wake: 'POST /push/wake o',
  },
  registry8004: {
    registry8004Info: 'GET /registry/8004/info o',
    registry8004Local: 'POST /registry/8004/register-local jko',
  },
  reputation: {
    reputation: 'GET /reputation/{agent_id} o',
  },
  skills: {
    installSkill: 'POST /skill/install-url jo',
    listSkills: 'GET /skill/list o',
    removeSkill: 'POST /skill/remove jo',
    writeSkill: 'POST /skill/write jo',
  },
  stake: {
    stake: 'GET /stake o',
    add: 'POST /stake/add jko',
    resume: 'POST /stake/resume ko',
    unlock: 'POST /stake/unlock ko',
    withdraw: 'POST /stake/withdraw ko',
  },
  topics: {
    list: 'GET /topics o',
    unsubscribe: 'DELETE /topics/{topic} o',
    subscribe: 'PUT /topics/{topic} o',
    frames: 'GET /ws/topics qw',
  },
  trade: {
    dcaCreate: 'POST /trade/dca/create jko',
    limitCancel: 'POST /trade/limit/cancel jo',
    limitCreate: 'POST /trade/limit/create jko',
    limitOrders: 'GET /trade/limit/orders qo',
    price: 'GET /trade/price qo',
    quote: 'GET /trade/quote qo',
    swap: 'POST /trade/swap jko',
    confirm: 'POST /trade/swap/confirm/{swap_id} ko',
    pending: 'GET /trade/swap/pending o',
    reject: 'POST /trade/swap/reject/{swap_id} o',
    tokens: 'GET /trade/tokens ql',
  },
  wallet: {
    sales: 'GET /wallet/sales qo',
    sweep: 'POST /wallet/sweep jko',
    pay: 'POST /wallet/x402/pay jko',
    payment: 'GET /wallet/x402/{payment_id} o',
  },
  watch: {
    accusations: 'GET /accusations l',
  },
  webhooks: {
    list: 'GET /webhooks o',
    add: 'POST /webhooks jo',
    remove: 'DELETE /webhooks/{id} o',
    dead: 'GET /webhooks/{id}/dead qo',
    redeliver: 'POST /webhooks/{id}/redeliver jo',
  },
} as const;

export interface A2AActQuery {
contextId?: string
status?: string
pageSize?: string
pageToken?: string
historyLength?: string
statusTimestampAfter?: string
includeArtifacts?: string
"A2A-Version"?: string
tenant?: string
accept?: string
"content-type"?: string
"a2a-version"?: string
"a2a-extensions"?: string
}

/**
 * Work that an A2A agent elsewhere does. It is no deal: no money moves, and no score.
 */
export interface A2ABeginJobAnswer {
id: string
/**
 * sending, then as the agent tells; unclear: whether it works on it cannot be known any more.
 */
state: ("sending" | "unclear" | "submitted" | "working" | "input_required" | "auth_required" | "completed" | "failed" | "canceled" | "rejected")
card_url: string
agent: {
name: string
url: string
/**
 * valid: a key that the host of the card publishes signed it. A card whose signature does not hold is refused.
 */
signature: ("none" | "valid" | "unchecked")
}
message: string
/**
 * The last words of the agent. They are a stranger’s.
 */
text: string
/**
 * The work, as parts of A2A.
 */
artifacts: {

}[]
/**
 * Why the last call did not succeed.
 */
error: (string | null)
created_at: string
updated_at: string
}

export interface A2ABeginJobRequest {
/**
 * The card, or the address below which it is at /.well-known/agent-card.json.
 */
card_url: string
/**
 * Plain text.
 */
message: string
}

/**
 * Work that an A2A agent elsewhere does. It is no deal: no money moves, and no score.
 */
export interface A2ACancelJobAnswer {
id: string
/**
 * sending, then as the agent tells; unclear: whether it works on it cannot be known any more.
 */
state: ("sending" | "unclear" | "submitted" | "working" | "input_required" | "auth_required" | "completed" | "failed" | "canceled" | "rejected")
card_url: string
agent: {
name: string
url: string
/**
 * valid: a key that the host of the card publishes signed it. A card whose signature does not hold is refused.
 */
signature: ("none" | "valid" | "unchecked")
}
message: string
/**
 * The last words of the agent. They are a stranger’s.
 */
text: string
/**
 * The work, as parts of A2A.
 */
artifacts: {

}[]
/**
 * Why the last call did not succeed.
 */
error: (string | null)
created_at: string
updated_at: string
}

export interface A2ACardAnswer {

}

export interface A2ACardOfAnswer {

}

export interface A2ACardOfQuery {
"if-none-match"?: string
}

export interface A2ACardQuery {
"if-none-match"?: string
}

export interface A2ACardToHireAnswer {

}

export interface A2ACardToHireQuery {
"if-none-match"?: string
}

export interface A2AHireActQuery {
contextId?: string
status?: string
pageSize?: string
pageToken?: string
historyLength?: string
statusTimestampAfter?: string
includeArtifacts?: string
"A2A-Version"?: string
tenant?: string
accept?: string
"content-type"?: string
"a2a-version"?: string
"a2a-extensions"?: string
}

export interface A2AHireReadQuery {
contextId?: string
status?: string
pageSize?: string
pageToken?: string
historyLength?: string
statusTimestampAfter?: string
includeArtifacts?: string
"A2A-Version"?: string
tenant?: string
accept?: string
"content-type"?: string
"a2a-version"?: string
"a2a-extensions"?: string
}

export interface A2AHireRemoveQuery {
contextId?: string
status?: string
pageSize?: string
pageToken?: string
historyLength?: string
statusTimestampAfter?: string
includeArtifacts?: string
"A2A-Version"?: string
tenant?: string
accept?: string
"content-type"?: string
"a2a-version"?: string
"a2a-extensions"?: string
}

export interface A2AHireRpcAnswer {
[k: string]: unknown
}

export interface A2AHireRpcQuery {
contextId?: string
status?: string
pageSize?: string
pageToken?: string
historyLength?: string
statusTimestampAfter?: string
includeArtifacts?: string
"A2A-Version"?: string
tenant?: string
accept?: string
"content-type"?: string
"a2a-version"?: string
"a2a-extensions"?: string
}

/**
 * Work that an A2A agent elsewhere does. It is no deal: no money moves, and no score.
 */
export interface A2AJobAnswer {
id: string
/**
 * sending, then as the agent tells; unclear: whether it works on it cannot be known any more.
 */
state: ("sending" | "unclear" | "submitted" | "working" | "input_required" | "auth_required" | "completed" | "failed" | "canceled" | "rejected")
card_url: string
agent: {
name: string
url: string
/**
 * valid: a key that the host of the card publishes signed it. A card whose signature does not hold is refused.
 */
signature: ("none" | "valid" | "unchecked")
}
message: string
/**
 * The last words of the agent. They are a stranger’s.
 */
text: string
/**
 * The work, as parts of A2A.
 */
artifacts: {

}[]
/**
 * Why the last call did not succeed.
 */
error: (string | null)
created_at: string
updated_at: string
}

export interface A2AJobsAnswer {
/**
 * Items: Work that an A2A agent elsewhere does. It is no deal: no money moves, and no score.
 */
jobs: {
id: string
/**
 * sending, then as the agent tells; unclear: whether it works on it cannot be known any more.
 */
state: ("sending" | "unclear" | "submitted" | "working" | "input_required" | "auth_required" | "completed" | "failed" | "canceled" | "rejected")
card_url: string
agent: {
name: string
url: string
/**
 * valid: a key that the host of the card publishes signed it. A card whose signature does not hold is refused.
 */
signature: ("none" | "valid" | "unchecked")
}
message: string
/**
 * The last words of the agent. They are a stranger’s.
 */
text: string
/**
 * The work, as parts of A2A.
 */
artifacts: {

}[]
/**
 * Why the last call did not succeed.
 */
error: (string | null)
created_at: string
updated_at: string
}[]
}

export interface A2AJobsQuery {
/**
 * How many to return; 200 at most.
 */
limit?: number
/**
 * How many of the newest to leave out.
 */
offset?: number
}

export interface A2AKeysAnswer {

}

export interface A2AKeysQuery {
"if-none-match"?: string
}

export interface A2AReadQuery {
contextId?: string
status?: string
pageSize?: string
pageToken?: string
historyLength?: string
statusTimestampAfter?: string
includeArtifacts?: string
"A2A-Version"?: string
tenant?: string
accept?: string
"content-type"?: string
"a2a-version"?: string
"a2a-extensions"?: string
}

export interface A2ARemoveQuery {
contextId?: string
status?: string
pageSize?: string
pageToken?: string
historyLength?: string
statusTimestampAfter?: string
includeArtifacts?: string
"A2A-Version"?: string
tenant?: string
accept?: string
"content-type"?: string
"a2a-version"?: string
"a2a-extensions"?: string
}

export interface A2ARpcAnswer {
[k: string]: unknown
}

export interface A2ARpcQuery {
contextId?: string
status?: string
pageSize?: string
pageToken?: string
historyLength?: string
statusTimestampAfter?: string
includeArtifacts?: string
"A2A-Version"?: string
tenant?: string
accept?: string
"content-type"?: string
"a2a-version"?: string
"a2a-extensions"?: string
}

/**
 * Work that an A2A agent elsewhere does. It is no deal: no money moves, and no score.
 */
export interface A2ASayToJobAnswer {
id: string
/**
 * sending, then as the agent tells; unclear: whether it works on it cannot be known any more.
 */
state: ("sending" | "unclear" | "submitted" | "working" | "input_required" | "auth_required" | "completed" | "failed" | "canceled" | "rejected")
card_url: string
agent: {
name: string
url: string
/**
 * valid: a key that the host of the card publishes signed it. A card whose signature does not hold is refused.
 */
signature: ("none" | "valid" | "unchecked")
}
message: string
/**
 * The last words of the agent. They are a stranger’s.
 */
text: string
/**
 * The work, as parts of A2A.
 */
artifacts: {

}[]
/**
 * Why the last call did not succeed.
 */
error: (string | null)
created_at: string
updated_at: string
}

export interface A2ASayToJobRequest {
/**
 * Plain text.
 */
message: string
}

export interface DealsListQuery {
state?: SchemaTypes['deal-state']
limit?: SchemaTypes['limit']
/**
 * The `next` of the page before.
 */
before?: string
}

export interface ExemptListQuery {
limit?: SchemaTypes['limit']
after?: SchemaTypes['agent-id']
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

export interface HostingHostedAccountStatementQuery {
limit?: SchemaTypes['limit']
/**
 * Only lines with a smaller number.
 */
before?: number
}

export interface HostingHostedAgentsQuery {
limit?: SchemaTypes['limit']
after?: SchemaTypes['agent-id']
}

export interface HostingHostedDealsQuery {
state?: SchemaTypes['deal-state']
limit?: SchemaTypes['limit']
/**
 * The `next` of the page before.
 */
before?: string
}

export interface HostingHostedFramesQuery {
/**
 * The cursor of the last frame you have; 0 from the start. Acknowledged letters do not come again.
 */
since?: number
/**
 * `1`: first everything that was not acknowledged, as `since=0`.
 */
unacked?: ("1" | "true" | "0" | "false")
msg_type?: SchemaTypes['message-name']
conversation_id?: SchemaTypes['conversation-id']
}

export interface HostingHostedHistoryQuery {
type?: SchemaTypes['history-type']
limit?: SchemaTypes['limit']
/**
 * The `next` of the page before.
 */
before?: string
}

export interface HostingHostedInboxQuery {
/**
 * The cursor of the last frame you have; 0 from the start.
 */
since?: number
conversation_id?: SchemaTypes['conversation-id']
limit?: SchemaTypes['limit']
}

export interface HostingHostedStatementQuery {
limit?: SchemaTypes['limit']
/**
 * Only lines with a smaller number.
 */
before?: number
}

export interface HostingLeaveHostQuery {
/**
 * Ends with the agent although its key holds USDC, which is lost with it.
 */
abandon_usdc?: boolean
}

export interface HostingRemoveHostedAgentQuery {
/**
 * Ends with the agent although its key holds USDC, which is lost with it.
 */
abandon_usdc?: boolean
}

export interface InboxFramesQuery {
/**
 * The cursor of the last frame you have; 0 from the start. Acknowledged letters do not come again.
 */
since?: number
/**
 * `1`: first everything that was not acknowledged, as `since=0`.
 */
unacked?: ("1" | "true" | "0" | "false")
msg_type?: SchemaTypes['message-name']
conversation_id?: SchemaTypes['conversation-id']
}

export interface InboxPageQuery {
/**
 * The cursor of the last frame you have; 0 from the start.
 */
since?: number
conversation_id?: SchemaTypes['conversation-id']
limit?: SchemaTypes['limit']
}

export interface LaunchpadCheckListingAnswer {
/**
 * Whether the token can be listed.
 */
available: boolean
/**
 * As the last order said it.
 */
cost_usdc: number
}

export interface LaunchpadClaimAnswer {
/**
 * The transactions on the ledger, in order; none when there was nothing to claim.
 */
txids: string[]
/**
 * The lamports at the price of SOL.
 */
claimed_usdc: number
/**
 * Lamports that came in, fees off.
 */
claimed_lamports: (number | string)
}

export interface LaunchpadClaimRequest {
/**
 * The address of a token, base58.
 */
token_mint: string
}

export type LaunchpadClaimableAnswer = {
/**
 * The address of a token, base58.
 */
token_mint: string
/**
 * The lamports at the price of SOL.
 */
claimable_usdc: number
claimable_lamports: (number | string)
}[]

export interface LaunchpadConfigAnswer {
/**
 * The launchpad.
 */
api_url: string
/**
 * The part that this node keeps of claimed fees: nothing.
 */
fee_bps: 0
/**
 * The part of the pool’s trading fees that the creator gets.
 */
creator_fee_bps: 10000
/**
 * Whether both partner flags are set.
 */
partner_configured: boolean
/**
 * Never the key.
 */
api_key_source: ("runtime" | "configuration")
}

export interface LaunchpadExecuteAnswer {
/**
 * The transaction on the ledger.
 */
txid: string
/**
 * Base units that left the wallet.
 */
amount_in: (number | string)
/**
 * Base units that came in, by the rehearsal right before it was sent.
 */
amount_out: (number | string)
/**
 * How far the ledger is: pending means sent, and not taken yet.
 */
status: ("pending" | "confirmed" | "final")
}

/**
 * A swap, which is quoted and done in one step; or a quote as it was answered, as the body itself or as `quote`.
 */
export interface LaunchpadExecuteRequest {
/**
 * The address of a token, base58.
 */
token_mint?: string
/**
 * Lamports to buy with, or base units of the token to sell.
 */
amount?: (number | string)
action?: ("buy" | "sell")
/**
 * How much worse than its quote it may end, in hundredths of a percent; by the launchpad unless given.
 */
slippage_bps?: number
/**
 * The answer of POST /launchpad/swap/quote.
 */
quote?: {
[k: string]: unknown
}
/**
 * The same.
 */
quote_response?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
requestId?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
contextSlot?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
inputMint?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
outputMint?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
inAmount?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
outAmount?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
minOutAmount?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
otherAmountThreshold?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
slippageBps?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
priceImpactPct?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
routePlan?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
platformFee?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
outTransferFee?: {
[k: string]: unknown
}
/**
 * Of a quote that is the body itself.
 */
simulatedComputeUnits?: {
[k: string]: unknown
}
}

export interface LaunchpadLaunchAnswer {
/**
 * The address of a token, base58.
 */
token_mint: string
/**
 * Where its metadata lies.
 */
metadata_uri: string
/**
 * The transaction on the ledger.
 */
txid: string
/**
 * How far the ledger is: pending means sent, and not taken yet.
 */
status: ("pending" | "confirmed" | "final")
}

export interface LaunchpadLaunchRequest {
/**
 * The full name of the token: 1 to 32 characters.
 */
name: string
/**
 * 2 to 8 characters in upper case.
 */
symbol: string
/**
 * One to three sentences.
 */
description: string
/**
 * An image, https; none unless given.
 */
image_url?: (string | null)
/**
 * Lamports that buy the token at its launch; none unless given.
 */
initial_buy_lamports?: (number | string)
}

export interface LaunchpadListAnswer {
order_uuid: string
/**
 * The transaction on the ledger.
 */
payment_txid: string
/**
 * paid: the node goes on telling the launchpad of the payment until it takes it.
 */
status: ("paid" | "submitted")
}

export interface LaunchpadListRequest {
/**
 * The address of a token, base58.
 */
token_mint: string
/**
 * Icon and header, https.
 */
image_url: string
/**
 * That of its launch from here unless given.
 */
description?: string
}

export interface LaunchpadPoolAnswer {
/**
 * The address of a token, base58.
 */
token_mint: string
/**
 * Lamports in the pool.
 */
sol_reserves: (number | string)
/**
 * Base units of the token in the pool.
 */
token_reserves: (number | string)
price_usd: number
/**
 * US dollars that lie in the pool.
 */
tvl_usd: number
/**
 * 0 while no market lists it.
 */
volume_24h_usd: number
}

export type LaunchpadPositionsAnswer = {
/**
 * The address of a token, base58.
 */
token_mint: string
/**
 * Base units of the token.
 */
balance: string
/**
 * 0 for a token that no market lists.
 */
value_usd: number
}[]

/**
 * The quote as the launchpad gives it.
 */
export interface LaunchpadQuoteAnswer {
[k: string]: unknown
}

export interface LaunchpadQuoteRequest {
/**
 * The address of a token, base58.
 */
token_mint: string
/**
 * Lamports to buy with, or base units of the token to sell.
 */
amount: (number | string)
action: ("buy" | "sell")
/**
 * How much worse than its quote it may end, in hundredths of a percent; by the launchpad unless given.
 */
slippage_bps?: number
}

export interface LaunchpadSetApiKeyRequest {
/**
 * The key of the launchpad from now on: ASCII without spaces.
 */
api_key: string
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

export interface MoneyCapsQuery {
partner?: SchemaTypes['agent-id']
}

export interface NotaryCasesQuery {
/**
 * The most cases of a page.
 */
limit?: number
after?: SchemaTypes['notary-case-id']
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

export interface PeersPeersQuery {
/**
 * How many peers to return; 200 at most, and more is read as 200.
 */
limit?: number
/**
 * How many to pass over.
 */
offset?: number
}

export interface PortfolioHistoryQuery {
type?: SchemaTypes['history-type']
limit?: SchemaTypes['limit']
/**
 * The `next` of the page before.
 */
before?: string
}

/**
 * An agent that was hired, or is about to be.
 */
export interface ProbeBuyProbeAnswer {
/**
 * Its deal is at GET /deals/:conversation_id.
 */
conversation_id: string
agent_id: string
/**
 * USDC that were put aside for it.
 */
amount_usdc: string
/**
 * The work that was asked for.
 */
message: string
/**
 * `lapsed`: no answer in time; one that was signed in time may still come.
 */
state: ("running" | "lapsed" | "ended")
/**
 * The state of the deal when it was looked at last.
 */
deal_state: (string | null)
/**
 * How the answer follows from the message.
 */
answer: ("word" | "sum" | "sha256")
/**
 * The answer. A delivery fits that holds it as a word of its own: the signed PROPOSE and DELIVER let anybody judge again.
 */
expected: string
/**
 * Whether the delivery held the answer of the job.
 */
fits: (boolean | null)
/**
 * The rating that was given.
 */
score: (number | null)
created_at: string
/**
 * When its last step was taken.
 */
ended_at: (string | null)
}

export interface ProbeListProbesAnswer {
/**
 * Items: An agent that was hired, or is about to be.
 */
probes: {
/**
 * Its deal is at GET /deals/:conversation_id.
 */
conversation_id: string
agent_id: string
/**
 * USDC that were put aside for it.
 */
amount_usdc: string
/**
 * The work that was asked for.
 */
message: string
/**
 * `lapsed`: no answer in time; one that was signed in time may still come.
 */
state: ("running" | "lapsed" | "ended")
/**
 * The state of the deal when it was looked at last.
 */
deal_state: (string | null)
/**
 * How the answer follows from the message.
 */
answer: ("word" | "sum" | "sha256")
/**
 * The answer. A delivery fits that holds it as a word of its own: the signed PROPOSE and DELIVER let anybody judge again.
 */
expected: string
/**
 * Whether the delivery held the answer of the job.
 */
fits: (boolean | null)
/**
 * The rating that was given.
 */
score: (number | null)
created_at: string
/**
 * When its last step was taken.
 */
ended_at: (string | null)
}[]
/**
 * Goes into `after` for the next page; null behind the last.
 */
next: (string | null)
}

export interface ProbeListProbesQuery {
limit?: SchemaTypes['limit']
/**
 * The `next` of the page before, milliseconds and hex digits.
 */
after?: string
}

export interface ProbeProbeStatusAnswer {
/**
 * Whether agents are hired: maxPerDay is more than 0.
 */
on: boolean
/**
 * The budget of 24 hours.
 */
max_per_day_usdc: string
/**
 * USDC put aside in the last 24 hours, less those that certainly cost nothing.
 */
spent_usdc: string
/**
 * USDC left of the budget.
 */
left_usdc: string
/**
 * USDC left of the part for agents without standing.
 */
left_new_usdc: string
/**
 * USDC for one job.
 */
amount_usdc: string
/**
 * USDC that one agent may be paid in 30 days.
 */
max_per_agent_usdc: string
/**
 * Deals under way.
 */
open: number
/**
 * When the next agent is hired; null before the first look.
 */
next_at: (string | null)
/**
 * Why the last step did not work; it is tried again.
 */
problem: (string | null)
}

export interface PushSleepAnswer {
/**
 * Whether this agent sleeps, or is about to.
 */
sleeping: boolean
/**
 * Whether a push token is configured.
 */
device: boolean
/**
 * Messages taken from pending queues since the start.
 */
taken: number
/**
 * Taken messages that this node could not accept yet, such as those of a sender who is too fast.
 */
deferred: number
aggregators: {
url: string
/**
 * As it was told last; null when nothing was since the start.
 */
sleeping: (boolean | null)
/**
 * Whether it knows where the device is woken.
 */
registered: boolean
/**
 * Messages that wait there, as it said last.
 */
pending: number
/**
 * Why it does not know yet; it is tried again.
 */
problem: (string | null)
}[]
/**
 * The hub over which others reach this node: of those that give it a relay slot the nearest by measured round trip; null when none does.
 */
slot: ({
hub: string
round_trip_ms: number
} | null)
}

export interface PushSleepRequest {
/**
 * true unless given; false is POST /push/wake.
 */
sleeping?: boolean
}

export interface PushSleepStateAnswer {
/**
 * Whether this agent sleeps, or is about to.
 */
sleeping: boolean
/**
 * Whether a push token is configured.
 */
device: boolean
/**
 * Messages taken from pending queues since the start.
 */
taken: number
/**
 * Taken messages that this node could not accept yet, such as those of a sender who is too fast.
 */
deferred: number
aggregators: {
url: string
/**
 * As it was told last; null when nothing was since the start.
 */
sleeping: (boolean | null)
/**
 * Whether it knows where the device is woken.
 */
registered: boolean
/**
 * Messages that wait there, as it said last.
 */
pending: number
/**
 * Why it does not know yet; it is tried again.
 */
problem: (string | null)
}[]
/**
 * The hub over which others reach this node: of those that give it a relay slot the nearest by measured round trip; null when none does.
 */
slot: ({
hub: string
round_trip_ms: number
} | null)
}

export interface PushWakeAnswer {
/**
 * Whether this agent sleeps, or is about to.
 */
sleeping: boolean
/**
 * Whether a push token is configured.
 */
device: boolean
/**
 * Messages taken from pending queues since the start.
 */
taken: number
/**
 * Taken messages that this node could not accept yet, such as those of a sender who is too fast.
 */
deferred: number
aggregators: {
url: string
/**
 * As it was told last; null when nothing was since the start.
 */
sleeping: (boolean | null)
/**
 * Whether it knows where the device is woken.
 */
registered: boolean
/**
 * Messages that wait there, as it said last.
 */
pending: number
/**
 * Why it does not know yet; it is tried again.
 */
problem: (string | null)
}[]
/**
 * The hub over which others reach this node: of those that give it a relay slot the nearest by measured round trip; null when none does.
 */
slot: ({
hub: string
round_trip_ms: number
} | null)
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

export interface SkillsInstallSkillAnswer {
ok: true
/**
 * Lower-case letters, digits, - and _, at most 64; it is the folder of the skill.
 */
name: string
version: (string | null)
/**
 * The size of its SKILL.toml.
 */
bytes: number
/**
 * Whether there was no skill of this name.
 */
created: boolean
/**
 * Where it came from.
 */
url: string
}

export interface SkillsInstallSkillRequest {
/**
 * https, of a SKILL.toml of at most 128 KiB; private hosts are refused.
 */
url: string
/**
 * Lower-case letters, digits, - and _, at most 64; it is the folder of the skill. Without it, the name in the file.
 */
name?: string
}

export interface SkillsListSkillsAnswer {
/**
 * Their names, sorted.
 */
skills: string[]
details: {
/**
 * Lower-case letters, digits, - and _, at most 64; it is the folder of the skill.
 */
name: string
/**
 * The name in its SKILL.toml.
 */
title: (string | null)
description: (string | null)
version: (string | null)
author: (string | null)
tags: string[]
/**
 * The names of its tools.
 */
tools: string[]
/**
 * Where it was installed from, unless it was changed since.
 */
url: (string | null)
/**
 * The size of its SKILL.toml.
 */
bytes: number
updated_at: string
/**
 * Why its SKILL.toml is of no use; null when it is.
 */
problem: (string | null)
}[]
}

export interface SkillsRemoveSkillAnswer {
ok: true
/**
 * Lower-case letters, digits, - and _, at most 64; it is the folder of the skill.
 */
name: string
}

export interface SkillsRemoveSkillRequest {
/**
 * Lower-case letters, digits, - and _, at most 64; it is the folder of the skill.
 */
name: string
}

export interface SkillsWriteSkillAnswer {
ok: true
/**
 * Lower-case letters, digits, - and _, at most 64; it is the folder of the skill.
 */
name: string
version: (string | null)
/**
 * The size of its SKILL.toml.
 */
bytes: number
/**
 * Whether there was no skill of this name.
 */
created: boolean
}

export interface SkillsWriteSkillRequest {
/**
 * Lower-case letters, digits, - and _, at most 64; it is the folder of the skill. Without it, the name in the file.
 */
name?: string
/**
 * The SKILL.toml, UTF-8, in base64; at most 128 KiB.
 */
content_b64?: string
/**
 * Another name of content_b64.
 */
content?: string
/**
 * Another name of content_b64.
 */
body_b64?: string
}

export interface TopicsFramesQuery {
topic?: SchemaTypes['topic-name']
}

export interface TradeConfirmAnswer {
/**
 * pending: sent, and the ledger has not taken it yet. pending_confirmation (202): nothing was done; confirm or reject it by swap_id.
 */
status: ("pending" | "confirmed" | "final" | "pending_confirmation")
/**
 * Units of the input token that left the wallet.
 */
in_amount?: string
/**
 * Units of the output token, by the rehearsal right before it was sent.
 */
out_amount?: string
/**
 * The transaction on the ledger.
 */
txid?: string
/**
 * The transaction on the ledger.
 */
signature?: string
swap_id?: string
message?: string
expires_at?: string
}

export interface TradeDcaCreateAnswer {
/**
 * The address of the order; null while the trading service does not list it yet.
 */
dca_key: (string | null)
/**
 * The transaction on the ledger.
 */
txid: string
/**
 * pending, confirmed or final, as the ledger has it.
 */
status: ("pending" | "confirmed" | "final")
}

export interface TradeDcaCreateRequest {
/**
 * The address of a token, base58.
 */
input_mint: string
/**
 * The address of a token, base58.
 */
output_mint: string
/**
 * Units of the input token that are set aside for all cycles.
 */
in_amount: (number | string)
/**
 * Units of the input token of one cycle.
 */
in_amount_per_cycle: (number | string)
/**
 * Seconds between two cycles.
 */
cycle_seconds: number
}

export interface TradeLimitCancelAnswer {
/**
 * How many orders were cancelled.
 */
cancelled: number
/**
 * Items: The transaction on the ledger.
 */
txids: string[]
}

export interface TradeLimitCancelRequest {
/**
 * Addresses of orders.
 * 
 * @minItems 1
 * @maxItems 20
 * 
 * Items: The address of a token, base58.
 */
orders: string[]
}

export interface TradeLimitCreateAnswer {
/**
 * The address of the order.
 */
order: string
/**
 * The transaction on the ledger.
 */
txid: string
/**
 * pending, confirmed or final, as the ledger has it.
 */
status: ("pending" | "confirmed" | "final")
}

export interface TradeLimitCreateRequest {
/**
 * The address of a token, base58.
 */
input_mint: string
/**
 * The address of a token, base58.
 */
output_mint: string
/**
 * Units of the input token that the order gives.
 */
making_amount: (number | string)
/**
 * Units of the output token that it asks for.
 */
taking_amount: (number | string)
/**
 * When the order ends, Unix seconds; it does not end by itself without it.
 */
expired_at?: (number | string)
}

/**
 * Active orders as the trading service lists them.
 */
export interface TradeLimitOrdersAnswer {
[k: string]: unknown
}

export interface TradeLimitOrdersQuery {
/**
 * Whose orders, base58; those of this wallet unless given.
 */
wallet?: string
}

export interface TradePendingAnswer {
/**
 * @maxItems 100
 */
pending: {
swap_id: string
/**
 * The address of a token, base58.
 */
input_mint: string
/**
 * The address of a token, base58.
 */
output_mint: string
amount: string
slippage_bps: number
/**
 * The least that the quote of the swap promised: a confirmation for less is refused with quote_changed.
 */
quoted?: string
created_at: string
expires_at: string
}[]
}

/**
 * By mint; tokens without a price are left out.
 */
export interface TradePriceAnswer {
[k: string]: unknown
}

export interface TradePriceQuery {
/**
 * Mints, separated by commas; at most 50.
 */
ids: string
}

/**
 * The quote as the trading service gives it.
 */
export interface TradeQuoteAnswer {
[k: string]: unknown
}

export interface TradeQuoteQuery {
/**
 * The address of a token, base58.
 */
input_mint: string
/**
 * The address of a token, base58.
 */
output_mint: string
/**
 * Units of the input token.
 */
amount: (number | string)
/**
 * How much worse than the quote the result may be, in hundredths of a percent; 50 unless given.
 */
slippage_bps?: number
}

export interface TradeRejectAnswer {
status: "rejected"
swap_id: string
}

export interface TradeSwapAnswer {
/**
 * pending: sent, and the ledger has not taken it yet. pending_confirmation (202): nothing was done; confirm or reject it by swap_id.
 */
status: ("pending" | "confirmed" | "final" | "pending_confirmation")
/**
 * Units of the input token that left the wallet.
 */
in_amount?: string
/**
 * Units of the output token, by the rehearsal right before it was sent.
 */
out_amount?: string
/**
 * The transaction on the ledger.
 */
txid?: string
/**
 * The transaction on the ledger.
 */
signature?: string
swap_id?: string
message?: string
expires_at?: string
}

export interface TradeSwapRequest {
/**
 * The address of a token, base58.
 */
input_mint: string
/**
 * The address of a token, base58.
 */
output_mint: string
/**
 * Units of the input token.
 */
amount: (number | string)
/**
 * How much worse than the quote the result may be, in hundredths of a percent; 50 unless given.
 */
slippage_bps?: number
/**
 * Trade without asking, although the output token is not a known or verified one.
 */
force?: boolean
/**
 * What GET /trade/quote answered. The swap is refused with quote_changed when it would now give less than otherAmountThreshold of it.
 */
quote?: {
inputMint?: string
outputMint?: string
inAmount?: string
outAmount?: string
otherAmountThreshold?: string
[k: string]: unknown
}
}

/**
 * Tokens as the trading service lists them, best match first.
 * 
 * @maxItems 100
 */
export type TradeTokensAnswer = {
[k: string]: unknown
}[]

export interface TradeTokensQuery {
/**
 * A symbol, a name or mints; the verified tokens without it.
 */
q?: string
}

export interface WalletSalesQuery {
/**
 * Only payments whose answer has not left whole.
 */
unserved?: boolean
limit?: SchemaTypes['limit']
/**
 * The `next` of the page before.
 */
before?: string
}

/**
 * The receiver that was added, with the secret that signs what it gets. It is shown this once.
 */
export interface WebhooksAddAnswer {
id: string
url: string
events: string[]
messages: string[]
created_at: string
/**
 * Deliveries that wait, at most 1000.
 */
waiting: number
/**
 * Deliveries that were given up, at most 200 are kept.
 */
dead: number
/**
 * Events that found its queue full.
 */
dropped: number
/**
 * Deliveries that it took.
 */
delivered: number
/**
 * Why its last delivery failed; null once it took one.
 */
last_error: (string | null)
secret: string
}

export interface WebhooksAddRequest {
/**
 * http: or https:, without a user or password.
 */
url: string
/**
 * Kinds of /ws/events; * is all of them.
 * 
 * @maxItems 8
 */
events?: ("envelope" | "peer" | "deal" | "reputation" | "batch" | "lease" | "key_change" | "plugin" | "*")[]
/**
 * Message types as in the inbox, such as PROPOSE; * is all of them.
 * 
 * @maxItems 32
 */
messages?: string[]
}

export interface WebhooksDeadAnswer {
dead: {
id: string
number: number
type: string
attempts: number
created_at: string
error: (string | null)
}[]
}

export interface WebhooksDeadQuery {
/**
 * How many to return; 200 at most, and more is read as 200.
 */
limit?: number
/**
 * The number of the last one of the page before.
 */
after?: number
}

export interface WebhooksListAnswer {
/**
 * Items: One receiver. Its secret was shown when it was added.
 */
hooks: {
id: string
url: string
events: string[]
messages: string[]
created_at: string
/**
 * Deliveries that wait, at most 1000.
 */
waiting: number
/**
 * Deliveries that were given up, at most 200 are kept.
 */
dead: number
/**
 * Events that found its queue full.
 */
dropped: number
/**
 * Deliveries that it took.
 */
delivered: number
/**
 * Why its last delivery failed; null once it took one.
 */
last_error: (string | null)
}[]
}

export interface WebhooksRedeliverAnswer {
redelivered: number
}

export interface WebhooksRedeliverRequest {
/**
 * Its id.
 */
delivery?: string
}
