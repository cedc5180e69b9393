import type { EpochJournal } from '../../messaging/epoch-journal.ts';
import type { Messages } from '../../messaging/messages.ts';
import type { SigningGuard } from '../../messaging/signing-guard.ts';
import { internalToken } from '../../platform/token.ts';
import type { Space } from '../../storage/space.ts';

/** Everything this node's agent says and hears. */
export type Messaging = Messages;
export const Messaging = internalToken<Messaging>('messaging');

/** Says whether this node may sign now, and why not. */
export type Signing = SigningGuard;
export const Signing = internalToken<Signing>('signing');

/** The space of the node's own collections: envelopes, deals, peers. */
export type NodeSpace = Space;
export const NodeSpace = internalToken<NodeSpace>('node-space');

/** What this node's key has signed, by epoch: the ground of its behavior batches. */
export type Journal = EpochJournal;
export const Journal = internalToken<Journal>('journal');
