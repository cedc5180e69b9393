// What the instructions on an agent account share: its states, its duties, and the slash.
#pragma once
#include "token.h"

enum agent_state { AGENT_NONE, AGENT_ACTIVE, AGENT_LEAVING, AGENT_SUSPENDED };
enum slash_reason { SLASH_INACTIVE = 1, SLASH_OUTSIDE, SLASH_UNANSWERED, SLASH_OTHER_LEAF };

static inline int staked(const struct agent *agent) {
  return agent->state == AGENT_ACTIVE || agent->state == AGENT_LEAVING;
}

// Duties follow the stake: while leaving they end with a batch of the epoch of the request, or a later one.
static inline int has_duties(const struct agent *agent) {
  return agent->state == AGENT_ACTIVE || (agent->state == AGENT_LEAVING && agent->last < agent->until);
}

// The epochs before `first` asked for no batch: they count as neither submitted nor skipped.
NOINLINE void excuse_before(struct agent *agent, u64 first) {
  if (first <= agent->last + 1) return;
  u64 epochs = first - 1 - agent->last;
  agent->skip_history = epochs < 32 ? agent->skip_history << epochs : 0;
  agent->last = first - 1;
}

NOINLINE void begin_duties(struct agent *agent, u64 first) {
  excuse_before(agent, first);
  agent->state = AGENT_ACTIVE;
  agent->start = agent->last + 1;
  agent->last_at = STATE->now;
  agent->last_slot = STATE->slot;
}

// A payment that was called lost may still arrive: it names its place, so it is taken once however often it is sent.
NOINLINE u64 count_payment(struct agent *agent, u32 payments) {
  REQUIRE(payments == agent->payments, ERROR_WRONG_PAYMENT);
  REQUIRE(payments + 1 > payments, ERROR_OVERFLOW);
  agent->payments = payments + 1;
  return 0;
}

struct slash {
  struct agent *agent;
  struct account *bounty, *treasury_ata;
  const u8 *beneficiary;
  struct vault vault;
  u64 epoch;
  u8 reason;
};

// The accounts lie as declared: vault, bounty, treasury_ata.
NOINLINE u64 open_slash(struct slash *slash, struct account *agent_account, struct account *vault,
                        const u8 *beneficiary) {
  slash->agent = (struct agent *)agent_account->data;
  slash->vault.account = vault;
  slash->vault.parent = agent_account->key;
  slash->vault.bump = &slash->agent->vault_bump;
  slash->bounty = vault + 1;
  slash->treasury_ata = vault + 2;
  slash->beneficiary = beneficiary;
  TRY(check_vault(&slash->vault));
  TRY(check_ata(slash->bounty->key, beneficiary));
  REQUIRE(same_key(slash->treasury_ata->key, STATE->config->treasury_ata), ERROR_WRONG_ADDRESS);
  return 0;
}

_Static_assert(ACCUSE_BOUNTY == ACCUSE_VAULT + 1 && CONVICT_BOUNTY == CONVICT_VAULT + 1 &&
                   SLASH_INACTIVE_BOUNTY == SLASH_INACTIVE_VAULT + 1 && ACCUSE_TREASURY_ATA == ACCUSE_VAULT + 2 &&
                   CONVICT_TREASURY_ATA == CONVICT_VAULT + 2 && SLASH_INACTIVE_TREASURY_ATA == SLASH_INACTIVE_VAULT + 2,
               "order of accounts");

// Half of the stake goes, nothing of it to anyone the agent chooses beyond the bounty: a whole bounty to a friend would
// make the penalty zero. An accuser whose account cannot receive loses the bounty, not the verdict.
NOINLINE u64 execute_slash(struct slash *slash) {
  struct agent *agent = slash->agent;
  u64 amount = agent->stake / 2;
  u64 bounty = amount / 2 < STATE->config->bounty_cap ? amount / 2 : STATE->config->bounty_cap;
  if (!receivable(slash->bounty)) bounty = 0;
  agent->stake -= amount;
  agent->state = AGENT_SUSPENDED;
  agent->until = 0;
  agent->settled_epoch = STATE->epoch;
  TRY(pay_from_vault(&slash->vault, slash->bounty, bounty));
  TRY(pay_from_vault(&slash->vault, slash->treasury_ata, amount - bounty));

  begin_agent_event(EVENT_AGENT_SLASHED, agent);
  struct agent_slashed_event *event = EVENT(agent_slashed);
  copy_key(event->beneficiary, slash->beneficiary);
  event->amount = amount;
  event->bounty = bounty;
  event->stake = agent->stake;
  event->epoch = slash->epoch;
  event->reason = slash->reason;
  return EMIT(AGENT_SLASHED);
}
