// The ways an escrow ends.
#include "escrow.h"

struct settlement {
  struct escrow *escrow;
  struct account *account, *payee, *refund_to, *requester;
  struct vault vault;
  u64 to_provider, to_requester, burnt;
  int waiting;
};

// The declaration lists the requester right after its token account.
_Static_assert(APPROVE_REQUESTER == APPROVE_REFUND_TO + 1 && REFUND_REQUESTER == REFUND_REFUND_TO + 1 &&
                   RECLAIM_REQUESTER == RECLAIM_REFUND_TO + 1 && CLAIM_REQUESTER == CLAIM_REFUND_TO + 1 &&
                   SPLIT_REQUESTER == SPLIT_REFUND_TO + 1,
               "order of accounts");

// `payee` is 0 where everything goes back to the requester.
NOINLINE u64 open_settlement(struct settlement *s, struct account *account, struct account *vault,
                             struct account *payee, struct account *refund_to) {
  s->escrow = (struct escrow *)account->data;
  s->account = account;
  s->payee = payee;
  s->refund_to = refund_to;
  s->requester = refund_to + 1;
  s->vault.account = vault;
  s->vault.parent = account->key;
  s->vault.bump = &s->escrow->vault_bump;
  s->to_provider = s->to_requester = s->burnt = 0;
  s->waiting = s->escrow->state == ESCROW_SPLITTING;
  TRY(check_vault(&s->vault));
  REQUIRE(!payee || same_key(payee->key, s->escrow->payee), ERROR_WRONG_ADDRESS);
  REQUIRE(same_key(refund_to->key, s->escrow->refund_to), ERROR_WRONG_ADDRESS);
  REQUIRE(same_key(s->requester->key, s->escrow->requester), ERROR_WRONG_ADDRESS);
  return 0;
}

// Pays what can be paid now: neither party can hold the other's share hostage with an account that cannot receive.
NOINLINE u64 pay_due(struct settlement *s, struct account *to, u64 *due, u64 *paid) {
  if (!*due || !to || !receivable(to)) return 0;
  *paid = *due;
  *due = 0;
  return pay_from_vault(&s->vault, to, *paid);
}

// Anyone can send tokens to a vault, and a token account that is not empty cannot be closed. The surplus is the
// requester's, unless its account cannot receive; with neither account it waits like a due.
NOINLINE u64 empty_vault(struct settlement *s, int *emptied) {
  struct account *to = s->payee && !receivable(s->refund_to) ? s->payee : s->refund_to;
  u64 surplus = token_amount(s->vault.account);
  *emptied = !surplus || receivable(to);
  if (!*emptied) return 0;
  TRY(pay_from_vault(&s->vault, to, surplus));
  return close_vault(&s->vault, s->requester);
}

// Every payout event begins alike. The escrow account is closed after the event, because lamports move without a call.
NOINLINE u64 pay_out(struct settlement *s, u64 event_size) {
  struct escrow *escrow = s->escrow;
  int ended = 0;
  TRY(pay_due(s, s->payee, &escrow->provider_due, &s->to_provider));
  TRY(pay_due(s, s->refund_to, &escrow->requester_due, &s->to_requester));
  u64 remaining = escrow->provider_due + escrow->requester_due;
  if (!remaining) TRY(empty_vault(s, &ended));
  REQUIRE(!s->waiting || ended || s->to_provider || s->to_requester, ERROR_NOT_RECEIVABLE);
  struct escrow_reclaimed_event *event = EVENT(escrow_reclaimed);
  event->to_provider = s->to_provider;
  event->to_requester = s->to_requester;
  event->burnt = s->burnt;
  event->remaining = remaining;
  TRY(emit(event_size));
  if (ended) close_account(s->account, s->requester);
  return 0;
}

// A wrong objection can still be taken back once it is contested, at the price of a decision against it.
static u64 approve(void) {
  struct settlement s;
  struct escrow *escrow = (struct escrow *)ACCOUNT(APPROVE_ESCROW)->data;
  REQUIRE(same_key(ACCOUNT(APPROVE_REQUESTER)->key, escrow->requester), ERROR_WRONG_AUTHORITY);
  REQUIRE(escrow->state != ESCROW_SPLITTING, ERROR_WRONG_STATE);
  TRY(open_settlement(&s, ACCOUNT(APPROVE_ESCROW), ACCOUNT(APPROVE_VAULT), ACCOUNT(APPROVE_PAYEE),
                      ACCOUNT(APPROVE_REFUND_TO)));
  if (escrow->state == ESCROW_CONTESTED)
    provider_was_right(escrow);
  else
    amount_to_provider(escrow);
  begin_escrow_event(EVENT_ESCROW_APPROVED, escrow);
  copy_key(EVENT(escrow_approved)->payee, s.payee->key);
  return pay_out(&s, ESCROW_APPROVED_EVENT_SIZE);
}

static u64 refund(void) {
  struct settlement s;
  struct escrow *escrow = (struct escrow *)ACCOUNT(REFUND_ESCROW)->data;
  REQUIRE(same_key(ACCOUNT(REFUND_PROVIDER)->key, escrow->provider), ERROR_WRONG_AUTHORITY);
  REQUIRE(escrow->state != ESCROW_SPLITTING, ERROR_WRONG_STATE);
  TRY(open_settlement(&s, ACCOUNT(REFUND_ESCROW), ACCOUNT(REFUND_VAULT), 0, ACCOUNT(REFUND_REFUND_TO)));
  all_to_requester(escrow);
  begin_escrow_event(EVENT_ESCROW_REFUNDED, escrow);
  return pay_out(&s, ESCROW_REFUNDED_EVENT_SIZE);
}

static u64 reclaim(void) {
  struct settlement s;
  TRY(open_settlement(&s, ACCOUNT(RECLAIM_ESCROW), ACCOUNT(RECLAIM_VAULT), 0, ACCOUNT(RECLAIM_REFUND_TO)));
  REQUIRE(s.escrow->state == ESCROW_LOCKED, ERROR_WRONG_STATE);
  REQUIRE(STATE->now > s.escrow->deadline, ERROR_TOO_EARLY);
  all_to_requester(s.escrow);
  begin_escrow_event(EVENT_ESCROW_RECLAIMED, s.escrow);
  return pay_out(&s, ESCROW_RECLAIMED_EVENT_SIZE);
}

static u64 claim(void) {
  struct settlement s;
  TRY(open_settlement(&s, ACCOUNT(CLAIM_ESCROW), ACCOUNT(CLAIM_VAULT), ACCOUNT(CLAIM_PAYEE), ACCOUNT(CLAIM_REFUND_TO)));
  REQUIRE(s.escrow->state == ESCROW_DELIVERED, ERROR_WRONG_STATE);
  REQUIRE(STATE->now > s.escrow->delivered_at + s.escrow->review_secs, ERROR_TOO_EARLY);
  amount_to_provider(s.escrow);
  begin_escrow_event(EVENT_ESCROW_CLAIMED, s.escrow);
  copy_key(EVENT(escrow_claimed)->payee, s.payee->key);
  return pay_out(&s, ESCROW_CLAIMED_EVENT_SIZE);
}

// To nobody: whoever received a forfeit could extort with it.
NOINLINE u64 burn_disputed(struct settlement *s) {
  struct escrow *escrow = s->escrow;
  set_dues(escrow, offered(escrow, escrow->amount), offered(escrow, escrow->bond));
  s->burnt = escrow->amount + escrow->bond - escrow->provider_due - escrow->requester_due;
  return burn_from_vault(&s->vault, ACCOUNT(SPLIT_MINT), s->burnt);
}

NOINLINE u64 begin_split(struct settlement *s) {
  struct escrow *escrow = s->escrow;
  int over = STATE->now >= escrow->disputed_at + STATE->config->dispute_secs;
  if (escrow->state == ESCROW_CONTESTED) {
    REQUIRE(over || zero_key(escrow->notary), ERROR_TOO_EARLY);
    return burn_disputed(s);
  }
  REQUIRE(escrow->state == ESCROW_DISPUTED, ERROR_WRONG_STATE);
  REQUIRE(over, ERROR_TOO_EARLY);
  offer_stands(escrow);
  return 0;
}

static u64 split(void) {
  struct settlement s;
  TRY(open_settlement(&s, ACCOUNT(SPLIT_ESCROW), ACCOUNT(SPLIT_VAULT), ACCOUNT(SPLIT_PAYEE), ACCOUNT(SPLIT_REFUND_TO)));
  if (!s.waiting) TRY(begin_split(&s));
  begin_escrow_event(EVENT_ESCROW_SPLIT, s.escrow);
  EVENT(escrow_split)->offer_bps = s.escrow->offer_bps;
  return pay_out(&s, ESCROW_SPLIT_EVENT_SIZE);
}
