#include "agent.h"

static u64 open_agent(void) {
  struct account *key = ACCOUNT(OPEN_AGENT_KEY), *account = ACCOUNT(OPEN_AGENT_AGENT);
  u8 bump;
  struct slice seeds[4] = {{BYTES("agent"), 5}, {STATE->config_key, 32}, {key->key, 32}, {&bump, 1}};
  TRY(find_derived(account, seeds, 4));
  struct creation creation = {
      ACCOUNT(OPEN_AGENT_PAYER), account, sizeof(struct agent), 0, STATE->program, {seeds, 4}};
  TRY(create_account(&creation));
  struct agent *agent = (struct agent *)account->data;
  sol_memcpy_(agent->discriminator, AGENT_DISCRIMINATOR, 8);
  copy_key(agent->config, STATE->config_key);
  copy_key(agent->key, key->key);
  copy_key(agent->agent_id, ARGS(open_agent)->agent_id);
  agent->bump = bump;
  begin_agent_event(EVENT_AGENT_OPENED, agent);
  copy_key(EVENT(agent_opened)->agent_id, agent->agent_id);
  return EMIT(AGENT_OPENED);
}

static u64 set_agent_id(void) {
  struct agent *agent = (struct agent *)ACCOUNT(SET_AGENT_ID_AGENT)->data;
  REQUIRE(same_key(ACCOUNT(SET_AGENT_ID_KEY)->key, agent->key), ERROR_WRONG_AUTHORITY);
  copy_key(agent->agent_id, ARGS(set_agent_id)->agent_id);
  begin_agent_event(EVENT_AGENT_ID_CHANGED, agent);
  copy_key(EVENT(agent_id_changed)->agent_id, agent->agent_id);
  return EMIT(AGENT_ID_CHANGED);
}

static u64 pay_lease(void) {
  const struct config *config = STATE->config;
  struct agent *agent = (struct agent *)ACCOUNT(PAY_LEASE_AGENT)->data;
  struct account *payer = ACCOUNT(PAY_LEASE_PAYER), *source = ACCOUNT(PAY_LEASE_SOURCE);
  struct account *treasury_ata = ACCOUNT(PAY_LEASE_TREASURY_ATA);
  u64 epochs = ARGS(pay_lease)->epochs, paid = agent->paid_through;
  TRY(count_payment(agent, ARGS(pay_lease)->payments));
  REQUIRE(epochs && epochs <= config->lease_max_epochs, ERROR_INVALID_LEASE);
  int deactivated = paid && STATE->epoch > paid + config->grace_epochs;
  u64 amount = config->lease_price * (deactivated ? epochs + config->grace_epochs : epochs);
  REQUIRE(amount <= ARGS(pay_lease)->max_amount, ERROR_PRICE_EXCEEDED);
  TRY(check_source(source, payer));
  REQUIRE(same_key(treasury_ata->key, config->treasury_ata), ERROR_WRONG_ADDRESS);
  REQUIRE(receivable(treasury_ata), ERROR_NOT_RECEIVABLE);
  agent->paid_through = (!paid || deactivated ? STATE->epoch - 1 : paid) + epochs;
  TRY(deposit_tokens(source, treasury_ata, payer, amount));

  begin_agent_event(EVENT_LEASE_PAID, agent);
  struct lease_paid_event *event = EVENT(lease_paid);
  copy_key(event->payer, payer->key);
  event->amount = amount;
  event->paid_through = agent->paid_through;
  return EMIT(LEASE_PAID);
}
