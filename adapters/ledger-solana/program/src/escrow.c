#include "escrow.h"

NOINLINE u64 check_terms(const struct lock_escrow_args *args, const u8 *requester) {
  const struct config *config = STATE->config;
  REQUIRE(!zero_key(args->provider) && !same_key(args->provider, requester), ERROR_INVALID_TERMS);
  REQUIRE(!same_key(args->notary, requester) && !same_key(args->notary, args->provider), ERROR_INVALID_TERMS);
  REQUIRE(args->amount > 0, ERROR_INVALID_AMOUNT);
  REQUIRE(args->bond / 2 + args->bond % 2 <= args->amount, ERROR_INVALID_TERMS);
  REQUIRE(args->amount + args->bond >= args->amount, ERROR_OVERFLOW);
  REQUIRE(args->deadline >= STATE->now + config->lead_secs, ERROR_INVALID_TERMS);
  REQUIRE(args->deadline <= STATE->now + config->horizon_secs, ERROR_INVALID_TERMS);
  REQUIRE(args->review_secs >= config->review_min_secs, ERROR_INVALID_TERMS);
  REQUIRE(args->review_secs <= config->review_max_secs, ERROR_INVALID_TERMS);
  REQUIRE(args->dispute_bps <= 10000, ERROR_INVALID_TERMS);
  return 0;
}

NOINLINE u64 create_escrow(u8 *bump) {
  const struct lock_escrow_args *args = ARGS(lock_escrow);
  struct account *requester = ACCOUNT(LOCK_ESCROW_REQUESTER), *account = ACCOUNT(LOCK_ESCROW_ESCROW);
  struct slice seeds[6] = {{BYTES("escrow"), 6},  {STATE->config_key, 32},  {requester->key, 32},
                           {args->provider, 32}, {args->conversation, 16}, {bump, 1}};
  TRY(find_derived(account, seeds, 6));
  struct creation creation = {requester, account, sizeof(struct escrow), 0, STATE->program, {seeds, 6}};
  return create_account(&creation);
}

NOINLINE u64 fill_escrow(struct escrow *escrow) {
  const struct lock_escrow_args *args = ARGS(lock_escrow);
  sol_memcpy_(escrow->discriminator, ESCROW_DISCRIMINATOR, 8);
  copy_key(escrow->config, STATE->config_key);
  copy_key(escrow->requester, ACCOUNT(LOCK_ESCROW_REQUESTER)->key);
  copy_key(escrow->provider, args->provider);
  copy_key(escrow->notary, args->notary);
  sol_memcpy_(escrow->conversation, args->conversation, 16);
  copy_key(escrow->terms, args->terms);
  escrow->amount = args->amount;
  escrow->bond = args->bond;
  escrow->deadline = args->deadline;
  escrow->review_secs = args->review_secs;
  escrow->locked_at = STATE->now;
  escrow->dispute_bps = args->dispute_bps;
  escrow->state = ESCROW_LOCKED;
  TRY(derive_ata(escrow->payee, escrow->provider));
  return derive_ata(escrow->refund_to, escrow->requester);
}

static u64 emit_locked(const struct escrow *escrow) {
  begin_escrow_event(EVENT_ESCROW_LOCKED, escrow);
  struct escrow_locked_event *event = EVENT(escrow_locked);
  copy_key(event->notary, escrow->notary);
  copy_key(event->terms, escrow->terms);
  event->deadline = escrow->deadline;
  event->review_secs = escrow->review_secs;
  event->dispute_bps = escrow->dispute_bps;
  event->bond = escrow->bond;
  return EMIT(ESCROW_LOCKED);
}

static u64 lock_escrow(void) {
  struct account *requester = ACCOUNT(LOCK_ESCROW_REQUESTER), *account = ACCOUNT(LOCK_ESCROW_ESCROW);
  struct account *source = ACCOUNT(LOCK_ESCROW_SOURCE);
  u8 bump, vault_bump;
  struct vault vault = {ACCOUNT(LOCK_ESCROW_VAULT), account->key, &vault_bump};
  TRY(check_terms(ARGS(lock_escrow), requester->key));
  TRY(check_source(source, requester));
  TRY(create_escrow(&bump));
  TRY(create_vault(&vault, requester, ACCOUNT(LOCK_ESCROW_MINT)));
  TRY(deposit_tokens(source, vault.account, requester, ARGS(lock_escrow)->amount + ARGS(lock_escrow)->bond));
  struct escrow *escrow = (struct escrow *)account->data;
  TRY(fill_escrow(escrow));
  escrow->bump = bump;
  escrow->vault_bump = vault_bump;
  return emit_locked(escrow);
}

static u64 set_payee(void) {
  struct escrow *escrow = (struct escrow *)ACCOUNT(SET_PAYEE_ESCROW)->data;
  struct account *payee = ACCOUNT(SET_PAYEE_PAYEE);
  REQUIRE(same_key(ACCOUNT(SET_PAYEE_PROVIDER)->key, escrow->provider), ERROR_WRONG_AUTHORITY);
  REQUIRE(receivable(payee), ERROR_NOT_RECEIVABLE);
  REQUIRE(!same_key(payee->key, escrow->refund_to), ERROR_DUPLICATE_ACCOUNT);
  struct vault vault = {payee, ACCOUNT(SET_PAYEE_ESCROW)->key, &escrow->vault_bump};
  REQUIRE(check_vault(&vault) == ERROR_WRONG_ADDRESS, ERROR_DUPLICATE_ACCOUNT);
  copy_key(escrow->payee, payee->key);
  begin_escrow_event(EVENT_PAYEE_CHANGED, escrow);
  copy_key(EVENT(payee_changed)->payee, payee->key);
  return EMIT(PAYEE_CHANGED);
}

static u64 deliver(void) {
  struct escrow *escrow = (struct escrow *)ACCOUNT(DELIVER_ESCROW)->data;
  REQUIRE(same_key(ACCOUNT(DELIVER_PROVIDER)->key, escrow->provider), ERROR_WRONG_AUTHORITY);
  REQUIRE(escrow->state == ESCROW_LOCKED, ERROR_WRONG_STATE);
  REQUIRE(STATE->now <= escrow->deadline, ERROR_TOO_LATE);
  escrow->state = ESCROW_DELIVERED;
  escrow->delivered_at = STATE->now;
  copy_key(escrow->delivery, ARGS(deliver)->delivery);
  begin_escrow_event(EVENT_ESCROW_DELIVERED, escrow);
  copy_key(EVENT(escrow_delivered)->delivery, escrow->delivery);
  return EMIT(ESCROW_DELIVERED);
}
