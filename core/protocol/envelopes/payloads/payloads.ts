import type { SchemaTypes } from '../../../../schemas/types.ts';
import type { MessageName } from '../message-types.ts';

/** A payload's schema type with bigints for amounts. */
type InCode<T> = { [K in keyof T]: K extends `${string}_micro` ? bigint : T[K] };

export type ProposePayload = InCode<SchemaTypes['propose-payload']>;
export type CounterPayload = InCode<SchemaTypes['counter-payload']>;
export type AcceptPayload = InCode<SchemaTypes['accept-payload']>;
export type RejectPayload = SchemaTypes['reject-payload'];
export type DeliverPayload = SchemaTypes['deliver-payload'];
export type NotarizeBidPayload = SchemaTypes['notarize-bid-payload'];
export type NotarizeAssignPayload = SchemaTypes['notarize-assign-payload'];
export type VerdictPayload = SchemaTypes['verdict-payload'];
export type FeedbackPayload = SchemaTypes['feedback-payload'];
export type DisputePayload = SchemaTypes['dispute-payload'];
export type BeaconPayload = SchemaTypes['beacon-payload'];
export type AdvertisePayload = SchemaTypes['advertise-payload'];
export type DiscoverPayload = SchemaTypes['discover-payload'];
export type BroadcastPayload = InCode<SchemaTypes['broadcast-payload']>;
export type BountyPayload = SchemaTypes['bounty-payload'];
export type MessagePayload = SchemaTypes['message-payload'];

/** The payload of each message type. */
export interface Payloads {
  ADVERTISE: AdvertisePayload;
  DISCOVER: DiscoverPayload;
  PROPOSE: ProposePayload;
  COUNTER: CounterPayload;
  ACCEPT: AcceptPayload;
  REJECT: RejectPayload;
  DELIVER: DeliverPayload;
  NOTARIZE_BID: NotarizeBidPayload;
  NOTARIZE_ASSIGN: NotarizeAssignPayload;
  VERDICT: VerdictPayload;
  FEEDBACK: FeedbackPayload;
  DISPUTE: DisputePayload;
  BEACON: BeaconPayload;
  BROADCAST: BroadcastPayload;
  BOUNTY: BountyPayload;
  MESSAGE: MessagePayload;
}

/** A payload with its type, to switch on. */
export type TypedPayload = { [N in MessageName]: { readonly msgType: N; readonly value: Payloads[N] } }[MessageName];
