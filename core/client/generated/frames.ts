// Generated from docs/openapi-*.json by `npm run clients`. Do not edit.
import type { SchemaTypes } from '../../../schemas/types.ts';

type Frame = SchemaTypes['inbox-frame'];

interface Messages {
  PROPOSE: { readonly payload: SchemaTypes['propose-payload'] };
  COUNTER: { readonly payload: SchemaTypes['counter-payload'] };
  ACCEPT: { readonly payload: SchemaTypes['accept-payload'] };
  REJECT: { readonly payload: SchemaTypes['reject-payload'] };
  DELIVER: { readonly payload: SchemaTypes['deliver-payload']; readonly deliver: NonNullable<Frame['deliver']> };
  NOTARIZE_BID: { readonly payload: SchemaTypes['notarize-bid-payload']; readonly notarize_bid: NonNullable<Frame['notarize_bid']> };
  NOTARIZE_ASSIGN: { readonly payload: SchemaTypes['notarize-assign-payload'] };
  VERDICT: { readonly payload: SchemaTypes['verdict-payload'] };
  FEEDBACK: { readonly payload: SchemaTypes['feedback-payload']; readonly feedback: NonNullable<Frame['feedback']> };
  DISPUTE: { readonly payload: SchemaTypes['dispute-payload'] };
  ADVERTISE: { readonly payload: SchemaTypes['advertise-payload'] };
  DISCOVER: { readonly payload: SchemaTypes['discover-payload'] };
  BROADCAST: { readonly payload: SchemaTypes['broadcast-payload'] };
  BOUNTY: { readonly payload: SchemaTypes['bounty-payload'] };
  MESSAGE: { readonly payload: SchemaTypes['message-payload'] };
}

/** One inbound envelope: `msg_type` says which, and narrows the type of `payload`. */
export type InboxFrame = {
  [M in keyof Messages]: Omit<Frame, 'msg_type' | 'payload'> & { readonly msg_type: M } & Messages[M];
}[keyof Messages];

/** A frame of the stream: the first one counts what waits, unless that was asked for. */
export type InboxStreamFrame = InboxFrame | SchemaTypes['inbox-opening'];

export type InboxPage = Omit<SchemaTypes['inbox-page'], 'frames'> & { readonly frames: readonly InboxFrame[] };
