#include "agent.h"

// The key signs the first stake, because duties begin with it; later only the owner of the stake may add to it.
static u64 check_staker(struct agent *agent, const struct account *owner, const struct account *key) {
  REQUIRE(same_key(key->key, agent->key), ERROR_WRONG_ADDRESS);
  if (agent->state == AGENT_NONE) {
    REQUIRE(key->signer, ERROR_MISSING_SIGNER);
    copy_key(agent->stake_owner, owner->key);
    return 0;
  }
  REQUIRE(same_key(owner->key, agent->stake_owner), ERROR_WRONG_AUTHORITY);
  return 0;
}

static u64 add_stake(void) {
  struct account *account = ACCOUNT(ADD_STAKE_AGENT), *owner = ACCOUNT(ADD_STAKE_STAKE_OWNER);
  struct account *source = ACCOUNT(ADD_STAKE_SOURCE);
  struct agent *agent = (struct agent *)account->data;
  struct vault vault = {ACCOUNT(ADD_STAKE_VAULT), account->key, &agent->vault_bump};
  u64 amount = ARGS(add_stake)->amount, total = agent->stake + amount;
  int first = agent->state == AGENT_NONE;
  TRY(count_payment(agent, ARGS(add_stake)->payments));
  REQUIRE(amount, ERROR_INVALID_AMOUNT);
  REQUIRE(total >= amount, ERROR_OVERFLOW);
  REQUIRE(total >= STATE->config->min_stake, ERROR_STAKE_TOO_SMALL);
  TRY(check_staker(agent, owner, ACCOUNT(ADD_STAKE_KEY)));
  TRY(check_source(source, owner));
  if (first) {
    TRY(create_vault(&vault, owner, ACCOUNT(ADD_STAKE_MINT)));
    // Duties begin with the first whole epoch.
    begin_duties(agent, STATE->epoch + 1);
    agent->settled_epoch = STATE->epoch;
  } else {
    TRY(check_vault(&vault));
  }
  TRY(deposit_tokens(source, vault.account, owner, amount));
  agent->stake = total;

  begin_agent_event(EVENT_STAKE_ADDED, agent);
  struct stake_added_event *event = EVENT(stake_added);
  copy_key(event->stake_owner, owner->key);
  event->amount = amount;
  event->stake = total;
  event->start = agent->start;
  return EMIT(STAKE_ADDED);
}

// Either may ask: the key need not serve for ever, and the owner of the stake need not wait for the key.
static u64 request_unlock(void) {
  struct agent *agent = (struct agent *)ACCOUNT(REQUEST_UNLOCK_AGENT)->data;
  const u8 *authority = ACCOUNT(REQUEST_UNLOCK_AUTHORITY)->key;
  REQUIRE(agent->state == AGENT_ACTIVE || agent->state == AGENT_SUSPENDED, ERROR_WRONG_STATE);
  REQUIRE(same_key(authority, agent->key) || same_key(authority, agent->stake_owner), ERROR_WRONG_AUTHORITY);
  agent->until = agent->state == AGENT_ACTIVE ? STATE->epoch : 0;
  agent->state = AGENT_LEAVING;
  agent->requested_at = STATE->now;

  begin_agent_event(EVENT_UNLOCK_REQUESTED, agent);
  copy_key(EVENT(unlock_requested)->authority, authority);
  EVENT(unlock_requested)->until = agent->until;
  return EMIT(UNLOCK_REQUESTED);
}

// Both sign: the key takes on duties, and a key alone could keep the stake from its owner for ever. Epochs that were
// still owed when leaving stay owed. Where batches had ended the duties, the present epoch is owed too, or leaving and
// resuming in turn would leave every second epoch without a batch; a slash has ended them at a price.
static u64 resume(void) {
  struct agent *agent = (struct agent *)ACCOUNT(RESUME_AGENT)->data;
  REQUIRE(agent->state == AGENT_LEAVING || agent->state == AGENT_SUSPENDED, ERROR_WRONG_STATE);
  REQUIRE(same_key(ACCOUNT(RESUME_KEY)->key, agent->key), ERROR_WRONG_AUTHORITY);
  REQUIRE(same_key(ACCOUNT(RESUME_STAKE_OWNER)->key, agent->stake_owner), ERROR_WRONG_AUTHORITY);
  REQUIRE(agent->stake >= STATE->config->min_stake, ERROR_STAKE_TOO_SMALL);
  if (has_duties(agent))
    agent->state = AGENT_ACTIVE;
  else
    begin_duties(agent, agent->until ? STATE->epoch : STATE->epoch + 1);
  agent->until = 0;
  agent->requested_at = 0;

  begin_agent_event(EVENT_AGENT_RESUMED, agent);
  EVENT(agent_resumed)->stake = agent->stake;
  EVENT(agent_resumed)->start = agent->start;
  return EMIT(AGENT_RESUMED);
}

static u64 withdraw(void) {
  struct account *account = ACCOUNT(WITHDRAW_AGENT), *owner = ACCOUNT(WITHDRAW_STAKE_OWNER);
  struct account *destination = ACCOUNT(WITHDRAW_DESTINATION);
  struct agent *agent = (struct agent *)account->data;
  struct vault vault = {ACCOUNT(WITHDRAW_VAULT), account->key, &agent->vault_bump};
  REQUIRE(agent->state == AGENT_LEAVING, ERROR_WRONG_STATE);
  REQUIRE(same_key(owner->key, agent->stake_owner), ERROR_WRONG_AUTHORITY);
  REQUIRE(STATE->now >= agent->requested_at + STATE->config->unlock_secs, ERROR_TOO_EARLY);
  REQUIRE(STATE->now > agent->last_at + STATE->config->challenge_secs, ERROR_TOO_EARLY);
  REQUIRE(!has_duties(agent), ERROR_DUTIES_NOT_OVER);
  REQUIRE(!agent->open, ERROR_OPEN_ACCUSATIONS);
  TRY(check_ata(destination->key, owner->key));
  TRY(check_vault(&vault));
  TRY(pay_from_vault(&vault, destination, token_amount(vault.account)));
  TRY(close_vault(&vault, owner));

  begin_agent_event(EVENT_STAKE_WITHDRAWN, agent);
  copy_key(EVENT(stake_withdrawn)->stake_owner, owner->key);
  EVENT(stake_withdrawn)->amount = agent->stake;
  agent->state = AGENT_NONE;
  agent->stake = agent->until = agent->requested_at = 0;
  copy_key(agent->stake_owner, SYSTEM_PROGRAM);
  return EMIT(STAKE_WITHDRAWN);
}
