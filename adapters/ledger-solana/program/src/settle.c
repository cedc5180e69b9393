// The ways an escrow ends.
#include "escrow.h"

// One party may always decide in the other's favour; the notary decides once there is a delivery to judge.
NOINLINE u64 check_decider(const struct escrow *escrow, const u8 *authority, const u8 *party) {
  REQUIRE(escrow->state != ESCROW_SPLITTING, ERROR_WRONG_STATE);
  if (same_key(authority, party)) return 0;
  REQUIRE(same_key(authority, escrow->notary), ERROR_WRONG_AUTHORITY);
  REQUIRE(escrow->state != ESCROW_LOCKED, ERROR_WRONG_STATE);
  return 0;
}

static u64 approve(void) {
  struct settlement s;
  struct account *authority = ACCOUNT(APPROVE_AUTHORITY);
  TRY(open_settlement(&s, ACCOUNT(APPROVE_ESCROW), ACCOUNT(APPROVE_VAULT), ACCOUNT(APPROVE_PAYEE),
                      ACCOUNT(APPROVE_REFUND_TO)));
  TRY(check_decider(s.escrow, authority->key, s.escrow->requester));
  begin_escrow_event(EVENT_ESCROW_APPROVED, s.escrow);
  copy_key(EVENT(escrow_approved)->authority, authority->key);
  copy_key(EVENT(escrow_approved)->payee, s.payee->key);
  TRY(release(&s));
  return EMIT(ESCROW_APPROVED);
}

static u64 refund(void) {
  struct settlement s;
  struct account *authority = ACCOUNT(REFUND_AUTHORITY);
  TRY(open_settlement(&s, ACCOUNT(REFUND_ESCROW), ACCOUNT(REFUND_VAULT), 0, ACCOUNT(REFUND_REFUND_TO)));
  TRY(check_decider(s.escrow, authority->key, s.escrow->provider));
  begin_escrow_event(EVENT_ESCROW_REFUNDED, s.escrow);
  copy_key(EVENT(escrow_refunded)->authority, authority->key);
  TRY(give_back(&s));
  return EMIT(ESCROW_REFUNDED);
}

static u64 reclaim(void) {
  struct settlement s;
  TRY(open_settlement(&s, ACCOUNT(RECLAIM_ESCROW), ACCOUNT(RECLAIM_VAULT), 0, ACCOUNT(RECLAIM_REFUND_TO)));
  REQUIRE(s.escrow->state == ESCROW_LOCKED, ERROR_WRONG_STATE);
  REQUIRE(STATE->now > s.escrow->deadline, ERROR_TOO_EARLY);
  begin_escrow_event(EVENT_ESCROW_RECLAIMED, s.escrow);
  TRY(give_back(&s));
  return EMIT(ESCROW_RECLAIMED);
}

static u64 claim(void) {
  struct settlement s;
  TRY(open_settlement(&s, ACCOUNT(CLAIM_ESCROW), ACCOUNT(CLAIM_VAULT), ACCOUNT(CLAIM_PAYEE), ACCOUNT(CLAIM_REFUND_TO)));
  REQUIRE(s.escrow->state == ESCROW_DELIVERED, ERROR_WRONG_STATE);
  REQUIRE(STATE->now > s.escrow->delivered_at + s.escrow->review_secs, ERROR_TOO_EARLY);
  begin_escrow_event(EVENT_ESCROW_CLAIMED, s.escrow);
  copy_key(EVENT(escrow_claimed)->payee, s.payee->key);
  TRY(release(&s));
  return EMIT(ESCROW_CLAIMED);
}

static u64 begin_split(struct escrow *escrow) {
  REQUIRE(escrow->state == ESCROW_DISPUTED, ERROR_WRONG_STATE);
  REQUIRE(STATE->now >= escrow->disputed_at + STATE->config->dispute_secs, ERROR_TOO_EARLY);
  u64 bps = escrow->dispute_bps;
  // floor(amount * bps / 10000) without leaving 64 bits.
  escrow->provider_due = escrow->amount / 10000 * bps + escrow->amount % 10000 * bps / 10000;
  escrow->requester_due = escrow->amount - escrow->provider_due;
  escrow->state = ESCROW_SPLITTING;
  return 0;
}

// Pays what can be paid now: neither party can hold the other's share hostage with an account that cannot receive.
NOINLINE u64 pay_share(struct settlement *s, struct account *to, u64 *due, u64 *paid) {
  *paid = 0;
  if (!*due || !receivable(to)) return 0;
  *paid = *due;
  *due = 0;
  return pay_from_vault(&s->vault, to, *paid);
}

static u64 split(void) {
  struct settlement s;
  u64 to_provider, to_requester;
  TRY(open_settlement(&s, ACCOUNT(SPLIT_ESCROW), ACCOUNT(SPLIT_VAULT), ACCOUNT(SPLIT_PAYEE), ACCOUNT(SPLIT_REFUND_TO)));
  if (s.escrow->state != ESCROW_SPLITTING) TRY(begin_split(s.escrow));
  TRY(pay_share(&s, s.payee, &s.escrow->provider_due, &to_provider));
  TRY(pay_share(&s, s.refund_to, &s.escrow->requester_due, &to_requester));
  REQUIRE(to_provider || to_requester, ERROR_NOT_RECEIVABLE);
  u64 remaining = s.escrow->provider_due + s.escrow->requester_due;
  begin_escrow_event(EVENT_ESCROW_SPLIT, s.escrow);
  struct escrow_split_event *event = EVENT(escrow_split);
  event->to_provider = to_provider;
  event->to_requester = to_requester;
  event->remaining = remaining;
  if (!remaining) TRY(close_settlement(&s));
  return EMIT(ESCROW_SPLIT);
}
