const PREFIX = 'agent-mesh:';

/** The memo of a transfer that pays for a deal. */
export function paymentMemo(conversation: string): string {
  return PREFIX + conversation;
}

/** The conversation a transfer pays for; undefined for other transfers. */
export function paidConversation(memo: string | null): string | undefined {
  const found = /^agent-mesh:([0-9a-f]{32})$/.exec(memo ?? '');
  return found?.[1];
}
