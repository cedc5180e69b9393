// The whole program is one compilation unit: parse, check what the declaration says, run the handler.
#include "accuse.c"
#include "announce.c"
#include "batch.c"
#include "config.c"
#include "dispute.c"
#include "escrow.c"
#include "lease.c"
#include "ownership.c"
#include "settle.c"
#include "slash.c"
#include "stake.c"

#define GROWTH 10240
#define NOT_A_DUPLICATE 255

NOINLINE const u8 *parse_account(const u8 *input, struct account *account) {
  account->signer = input[1];
  account->writable = input[2];
  account->executable = input[3];
  account->key = (u8 *)input + 8;
  account->owner = (u8 *)input + 40;
  account->lamports = (u64 *)(input + 72);
  account->length = *(const u64 *)(input + 80);
  account->data = (u8 *)input + 88;
  u64 end = ((u64)account->data + account->length + GROWTH + 7) & ~7ull;
  account->rent_epoch = *(const u64 *)end;
  return (const u8 *)end + 8;
}

static u64 parse(const u8 *input) {
  struct state *state = STATE;
  state->count = *(const u64 *)input;
  REQUIRE(state->count <= MAX_ACCOUNTS, ERROR_WRONG_ACCOUNT_COUNT);
  input += 8;
  for (u64 i = 0; i < state->count; i++) {
    if (input[0] == NOT_A_DUPLICATE) {
      input = parse_account(input, &state->accounts[i]);
    } else {
      REQUIRE(input[0] < i, ERROR_DUPLICATE_ACCOUNT);
      state->accounts[i] = state->accounts[input[0]];
      input += 8;
    }
  }
  state->length = *(const u64 *)input;
  state->data = input + 8;
  state->program = state->data + state->length;
  return 0;
}

// Only wallets may play two roles in one instruction.
NOINLINE u64 check_duplicates(const struct instruction_rule *rule, u64 index) {
  u8 kind = rule->accounts[index] & ACCOUNT_KIND;
  for (u64 i = 0; i < index; i++) {
    int both_wallets = kind == KIND_WALLET && (rule->accounts[i] & ACCOUNT_KIND) == KIND_WALLET;
    REQUIRE(both_wallets || !same_key(STATE->accounts[i].key, STATE->accounts[index].key), ERROR_DUPLICATE_ACCOUNT);
  }
  return 0;
}

NOINLINE u64 check_owned(const struct account *account, const u8 *discriminator, u64 size) {
  REQUIRE(same_key(account->owner, STATE->program), ERROR_WRONG_OWNER);
  REQUIRE(account->length == size, ERROR_WRONG_DISCRIMINATOR);
  REQUIRE(*(const u64 *)account->data == *(const u64 *)discriminator, ERROR_WRONG_DISCRIMINATOR);
  return 0;
}

NOINLINE u64 check_config(const struct account *account) {
  TRY(check_owned(account, BYTES(CONFIG_DISCRIMINATOR), sizeof(struct config)));
  STATE->config = (const struct config *)account->data;
  STATE->config_key = account->key;
  return 0;
}

NOINLINE u64 check_escrow(const struct account *account) {
  struct escrow *e = (struct escrow *)account->data;
  TRY(check_owned(account, BYTES(ESCROW_DISCRIMINATOR), sizeof(struct escrow)));
  REQUIRE(same_key(e->config, STATE->config_key), ERROR_WRONG_CONFIG);
  struct slice seeds[6] = {{BYTES("escrow"), 6}, {e->config, 32},       {e->requester, 32},
                           {e->provider, 32},   {e->conversation, 16}, {&e->bump, 1}};
  return check_derived(account, seeds, 6);
}

NOINLINE u64 check_agent(const struct account *account) {
  struct agent *a = (struct agent *)account->data;
  TRY(check_owned(account, BYTES(AGENT_DISCRIMINATOR), sizeof(struct agent)));
  REQUIRE(same_key(a->config, STATE->config_key), ERROR_WRONG_CONFIG);
  struct slice seeds[4] = {{BYTES("agent"), 5}, {a->config, 32}, {a->key, 32}, {&a->bump, 1}};
  return check_derived(account, seeds, 4);
}

NOINLINE u64 check_announcement(const struct account *account) {
  struct announcement *a = (struct announcement *)account->data;
  TRY(check_owned(account, BYTES(ANNOUNCEMENT_DISCRIMINATOR), sizeof(struct announcement)));
  REQUIRE(same_key(a->config, STATE->config_key), ERROR_WRONG_CONFIG);
  struct slice seeds[5] = {
      {BYTES("announce"), 8}, {a->config, 32}, {a->accuser, 32}, {a->commitment, 32}, {&a->bump, 1}};
  return check_derived(account, seeds, 5);
}

NOINLINE u64 check_accusation(const struct account *account) {
  struct accusation *a = (struct accusation *)account->data;
  TRY(check_owned(account, BYTES(ACCUSATION_DISCRIMINATOR), sizeof(struct accusation)));
  REQUIRE(same_key(a->config, STATE->config_key), ERROR_WRONG_CONFIG);
  struct slice seeds[4] = {{BYTES("accuse"), 6}, {a->agent, 32}, {a->id, 32}, {&a->bump, 1}};
  return check_derived(account, seeds, 4);
}

static u64 check_kind(const struct account *account, u8 kind) {
  switch (kind) {
    case KIND_CONFIG: return check_config(account);
    case KIND_ESCROW: return check_escrow(account);
    case KIND_AGENT: return check_agent(account);
    case KIND_ANNOUNCEMENT: return check_announcement(account);
    case KIND_ACCUSATION: return check_accusation(account);
    case KIND_TOKEN_PROGRAM: return same_key(account->key, TOKEN_PROGRAM) ? 0 : ERROR_WRONG_PROGRAM;
    case KIND_SYSTEM_PROGRAM: return same_key(account->key, SYSTEM_PROGRAM) ? 0 : ERROR_WRONG_PROGRAM;
    case KIND_INSTRUCTIONS_SYSVAR: return same_key(account->key, INSTRUCTIONS_SYSVAR) ? 0 : ERROR_WRONG_PROGRAM;
    case KIND_PROGRAM: return same_key(account->key, STATE->program) ? 0 : ERROR_WRONG_PROGRAM;
    case KIND_EVENT_AUTHORITY:
      return same_key(account->key, STATE->config->event_authority) ? 0 : ERROR_WRONG_PROGRAM;
    default: return 0;
  }
}

static u64 check_accounts(const struct instruction_rule *rule) {
  REQUIRE(STATE->count == rule->count, ERROR_WRONG_ACCOUNT_COUNT);
  for (u64 i = 0; i < rule->count; i++) {
    const struct account *account = &STATE->accounts[i];
    u8 flags = rule->accounts[i];
    REQUIRE(!(flags & ACCOUNT_SIGNS) || account->signer, ERROR_MISSING_SIGNER);
    REQUIRE(!(flags & ACCOUNT_WRITES) || account->writable, ERROR_NOT_WRITABLE);
    TRY(check_duplicates(rule, i));
    TRY(check_kind(account, flags & ACCOUNT_KIND));
  }
  return 0;
}

static u64 read_clock(void) {
  u64 clock[5];
  REQUIRE(!sol_get_clock_sysvar(clock), ERROR_TOO_EARLY);
  STATE->slot = clock[0];
  STATE->now = clock[4];
  REQUIRE(STATE->now >> 40 == 0, ERROR_TOO_EARLY);
  if (STATE->config) STATE->epoch = STATE->now / STATE->config->epoch_secs;
  return 0;
}

static u64 run(u8 code) {
  switch (code) {
    case IX_INIT_CONFIG: return init_config();
    case IX_LOCK_ESCROW: return lock_escrow();
    case IX_SET_PAYEE: return set_payee();
    case IX_DELIVER: return deliver();
    case IX_APPROVE: return approve();
    case IX_REFUND: return refund();
    case IX_RECLAIM: return reclaim();
    case IX_DISPUTE: return dispute();
    case IX_CONTEST: return contest();
    case IX_DECIDE: return decide();
    case IX_CLAIM: return claim();
    case IX_SPLIT: return split();
    case IX_OPEN_AGENT: return open_agent();
    case IX_SET_AGENT_ID: return set_agent_id();
    case IX_PAY_LEASE: return pay_lease();
    case IX_ADD_STAKE: return add_stake();
    case IX_REQUEST_UNLOCK: return request_unlock();
    case IX_RESUME: return resume();
    case IX_WITHDRAW: return withdraw();
    case IX_SUBMIT_BATCH: return submit_batch();
    case IX_ANNOUNCE: return announce();
    case IX_RETRACT: return retract();
    case IX_ACCUSE: return accuse();
    case IX_ANSWER: return answer();
    case IX_CONVICT: return convict();
    case IX_SLASH_INACTIVE: return slash_inactive();
    case IX_CLAIM_OWNER: return claim_owner();
    default: return ERROR_UNKNOWN_INSTRUCTION;
  }
}

// Our own call that carries an event: it does nothing. Only the program can sign as the authority, so readers may
// believe every executed instruction with this mark.
NOINLINE u64 accept_event(void) {
  REQUIRE(STATE->count == 2, ERROR_WRONG_ACCOUNT_COUNT);
  const struct account *authority = &STATE->accounts[0];
  TRY(check_config(&STATE->accounts[1]));
  REQUIRE(authority->signer, ERROR_MISSING_SIGNER);
  REQUIRE(same_key(authority->key, STATE->config->event_authority), ERROR_WRONG_AUTHORITY);
  return 0;
}

u64 entrypoint(const u8 *input) {
  TRY(parse(input));
  u64 length = STATE->length;
  if (length && STATE->data[0] == EVENT_MARK) return accept_event();
  REQUIRE(length && STATE->data[0] < sizeof(INSTRUCTION_RULES) / sizeof(INSTRUCTION_RULES[0]), ERROR_UNKNOWN_INSTRUCTION);
  const struct instruction_rule *rule = &INSTRUCTION_RULES[STATE->data[0]];
  REQUIRE(rule->tail ? length >= rule->length : length == rule->length, ERROR_MALFORMED_DATA);
  sol_memcpy_(STATE->args, STATE->data + 1, rule->length - 1);
  TRY(check_accounts(rule));
  TRY(read_clock());
  return run(STATE->data[0]);
}
