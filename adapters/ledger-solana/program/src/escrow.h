// What the instructions on an escrow share.
#pragma once
#include "token.h"

enum escrow_state { ESCROW_LOCKED = 1, ESCROW_DELIVERED, ESCROW_DISPUTED, ESCROW_SPLITTING };

// Every escrow event begins like this one.
NOINLINE void begin_escrow_event(u8 code, const struct escrow *escrow) {
  begin_event(code);
  struct escrow_reclaimed_event *event = EVENT(escrow_reclaimed);
  copy_key(event->requester, escrow->requester);
  copy_key(event->provider, escrow->provider);
  sol_memcpy_(event->conversation, escrow->conversation, 16);
  event->amount = escrow->amount;
}

struct settlement {
  struct escrow *escrow;
  struct account *account, *payee, *refund_to, *requester;
  struct vault vault;
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
  TRY(check_vault(&s->vault));
  REQUIRE(!payee || same_key(payee->key, s->escrow->payee), ERROR_WRONG_ADDRESS);
  REQUIRE(same_key(refund_to->key, s->escrow->refund_to), ERROR_WRONG_ADDRESS);
  REQUIRE(same_key(s->requester->key, s->escrow->requester), ERROR_WRONG_ADDRESS);
  return 0;
}

// Anyone can send tokens to a vault, and a token account that is not empty cannot be closed. The surplus is the
// requester's, unless its account cannot receive: nobody may block a release that way.
NOINLINE u64 close_settlement(struct settlement *s) {
  struct account *to = s->payee && !receivable(s->refund_to) ? s->payee : s->refund_to;
  TRY(pay_from_vault(&s->vault, to, token_amount(s->vault.account)));
  TRY(close_vault(&s->vault, s->requester));
  close_account(s->account, s->requester);
  return 0;
}

NOINLINE u64 release(struct settlement *s) {
  TRY(pay_from_vault(&s->vault, s->payee, s->escrow->amount));
  return close_settlement(s);
}

NOINLINE u64 give_back(struct settlement *s) {
  TRY(pay_from_vault(&s->vault, s->refund_to, s->escrow->amount));
  return close_settlement(s);
}
