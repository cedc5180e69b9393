#include "agent.h"
#include "announce.h"
#include "proof.h"

#define HEADER_LENGTH 143
#define HEADER_SENDER 3
#define HEADER_NONCE 83
#define SEQUENCE_BITS 22

static const u8 ENVELOPE_TAG[] = "\xff" "agent-mesh/envelope/2";
#define STATEMENT_NETWORK sizeof(ENVELOPE_TAG)
#define STATEMENT_HEADER (STATEMENT_NETWORK + 32)
#define STATEMENT_LENGTH (STATEMENT_HEADER + HEADER_LENGTH)

// The header that the agent signed for this network, as the instruction before ours proves.
NOINLINE u64 read_header(const u8 **header, const struct agent *agent) {
  struct proof proof;
  TRY(read_proof(&proof, 1, STATEMENT_LENGTH));
  REQUIRE(same_bytes(proof.message, ENVELOPE_TAG, sizeof(ENVELOPE_TAG)), ERROR_WRONG_STATEMENT);
  REQUIRE(same_key(proof.message + STATEMENT_NETWORK, STATE->config->network), ERROR_WRONG_STATEMENT);
  *header = proof.message + STATEMENT_HEADER;
  REQUIRE((*header)[0] == 2, ERROR_WRONG_STATEMENT);
  REQUIRE(same_key(*header + HEADER_SENDER, agent->key), ERROR_WRONG_STATEMENT);
  REQUIRE(same_key(proof.key, agent->key), ERROR_WRONG_AUTHORITY);
  return 0;
}

NOINLINE u64 find_entry(const struct batch_entry **entry, const struct agent *agent, u64 epoch) {
  *entry = &agent->ring[epoch % RING_SIZE];
  REQUIRE((*entry)->submitted_at && (*entry)->epoch == epoch, ERROR_NO_BATCH);
  REQUIRE(epoch > agent->settled_epoch, ERROR_SETTLED_EPOCH);
  REQUIRE(STATE->now <= (*entry)->submitted_at + STATE->config->challenge_secs, ERROR_TOO_LATE);
  return 0;
}

NOINLINE u64 create_accusation(const u8 *id, u8 *bump) {
  struct account *account = ACCOUNT(ACCUSE_ACCUSATION);
  struct slice seeds[4] = {{BYTES("accuse"), 6}, {ACCOUNT(ACCUSE_AGENT)->key, 32}, {id, 32}, {bump, 1}};
  TRY(find_derived(account, seeds, 4));
  struct creation creation = {ACCOUNT(ACCUSE_ACCUSER),
                              account,
                              sizeof(struct accusation),
                              STATE->config->accuse_deposit,
                              STATE->program,
                              {seeds, 4}};
  return create_account(&creation);
}

NOINLINE void identify(u8 *id, const u8 *header) {
  u8 tag = 0;
  struct slice parts[2] = {{&tag, 1}, {header, HEADER_LENGTH}};
  sol_keccak256(parts, 2, id);
}

NOINLINE u64 open_accusation(const u8 *id, const struct batch_entry *entry, u64 index) {
  u8 bump;
  TRY(create_accusation(id, &bump));
  struct accusation *accusation = (struct accusation *)ACCOUNT(ACCUSE_ACCUSATION)->data;
  struct agent *agent = (struct agent *)ACCOUNT(ACCUSE_AGENT)->data;
  sol_memcpy_(accusation->discriminator, ACCUSATION_DISCRIMINATOR, 8);
  copy_key(accusation->config, STATE->config_key);
  copy_key(accusation->agent, ACCOUNT(ACCUSE_AGENT)->key);
  copy_key(accusation->accuser, ACCOUNT(ACCUSE_ACCUSER)->key);
  copy_key(accusation->id, id);
  copy_key(accusation->root, entry->root);
  accusation->epoch = entry->epoch;
  accusation->accused_at = STATE->now;
  accusation->slot = STATE->slot;
  accusation->deposit = STATE->config->accuse_deposit;
  accusation->index = index;
  accusation->count = entry->count;
  accusation->bump = bump;
  agent->open += 1;

  begin_agent_event(EVENT_AGENT_ACCUSED, agent);
  struct agent_accused_event *event = EVENT(agent_accused);
  copy_key(event->accuser, accusation->accuser);
  copy_key(event->id, id);
  event->epoch = accusation->epoch;
  event->index = accusation->index;
  return EMIT(AGENT_ACCUSED);
}

static u64 accuse(void) {
  struct account *account = ACCOUNT(ACCUSE_AGENT), *accuser = ACCOUNT(ACCUSE_ACCUSER);
  struct agent *agent = (struct agent *)account->data;
  const struct batch_entry *entry;
  const u8 *header;
  u8 id[32];
  struct slash slash;
  REQUIRE(staked(agent), ERROR_WRONG_STATE);
  TRY(read_header(&header, agent));
  identify(id, header);
  TRY(check_announced(account->key, id));
  u64 nonce = big_endian_64(header + HEADER_NONCE), sequence = nonce & ((1u << SEQUENCE_BITS) - 1);
  TRY(find_entry(&entry, agent, nonce >> SEQUENCE_BITS));
  TRY(open_slash(&slash, account, ACCOUNT(ACCUSE_VAULT), accuser->key));
  if (sequence && sequence <= entry->count) {
    TRY(open_accusation(id, entry, sequence - 1));
  } else {
    slash.epoch = entry->epoch;
    slash.reason = SLASH_OUTSIDE;
    TRY(execute_slash(&slash));
  }
  close_account(ACCOUNT(ACCUSE_ANNOUNCEMENT), accuser);
  return 0;
}

struct trial {
  struct accusation *accusation;
  struct agent *agent;
  struct account *account, *accuser;
};

NOINLINE u64 open_trial(struct trial *trial, struct account *agent, struct account *account, struct account *accuser) {
  trial->accusation = (struct accusation *)account->data;
  trial->agent = (struct agent *)agent->data;
  trial->account = account;
  trial->accuser = accuser;
  REQUIRE(same_key(trial->accusation->agent, agent->key), ERROR_WRONG_ADDRESS);
  REQUIRE(same_key(trial->accusation->accuser, accuser->key), ERROR_WRONG_ADDRESS);
  return 0;
}

// `event` of an answer or an annulment begins alike.
NOINLINE void begin_trial_event(u8 code, const struct trial *trial) {
  begin_agent_event(code, trial->agent);
  copy_key(EVENT(accusation_voided)->accuser, trial->accusation->accuser);
  copy_key(EVENT(accusation_voided)->id, trial->accusation->id);
}

// A slash settles everything up to its epoch; what was accused before it is given back whole.
static inline int is_void(const struct trial *trial) {
  return trial->accusation->epoch <= trial->agent->settled_epoch;
}

NOINLINE u64 annul(struct trial *trial) {
  trial->agent->open -= 1;
  begin_trial_event(EVENT_ACCUSATION_VOIDED, trial);
  TRY(EMIT(ACCUSATION_VOIDED));
  close_account(trial->account, trial->accuser);
  return 0;
}

static u64 answer(void) {
  struct trial trial;
  struct account *answerer = ACCOUNT(ANSWER_ANSWERER), *treasury = ACCOUNT(ANSWER_TREASURY);
  TRY(open_trial(&trial, ACCOUNT(ANSWER_AGENT), ACCOUNT(ANSWER_ACCUSATION), ACCOUNT(ANSWER_ACCUSER)));
  REQUIRE(same_key(treasury->key, STATE->config->treasury), ERROR_WRONG_ADDRESS);
  if (is_void(&trial)) return annul(&trial);
  const struct accusation *accusation = trial.accusation;
  u64 depth = depth_of(accusation->count);
  REQUIRE(STATE->length == 1 + 32 * depth, ERROR_INVALID_PATH);
  REQUIRE(leads_to(accusation->root, accusation->id, accusation->index, STATE->data + 1, depth), ERROR_INVALID_PATH);
  begin_trial_event(EVENT_ACCUSATION_ANSWERED, &trial);
  copy_key(EVENT(accusation_answered)->answerer, answerer->key);
  TRY(EMIT(ACCUSATION_ANSWERED));
  trial.agent->open -= 1;
  u64 reward = STATE->config->answer_reward, deposit = accusation->deposit;
  *trial.account->lamports -= deposit;
  *answerer->lamports += reward;
  *treasury->lamports += deposit - reward;
  close_account(trial.account, trial.accuser);
  return 0;
}

// Guilty when nobody answered in time, or at once when another leaf is shown at the index. Nothing else convicts.
static u64 judge(const struct accusation *accusation, u8 *reason) {
  const struct config *config = STATE->config;
  if (STATE->length == 1) {
    REQUIRE(STATE->now > accusation->accused_at + config->response_secs, ERROR_TOO_EARLY);
    REQUIRE(STATE->slot >= accusation->slot + config->response_slots, ERROR_TOO_EARLY);
    *reason = SLASH_UNANSWERED;
    return 0;
  }
  const u8 *leaf = STATE->data + 1;
  u64 depth = depth_of(accusation->count);
  REQUIRE(STATE->length == 1 + 32 + 32 * depth, ERROR_INVALID_PATH);
  REQUIRE(!same_key(leaf, accusation->id), ERROR_INVALID_PATH);
  REQUIRE(leads_to(accusation->root, leaf, accusation->index, leaf + 32, depth), ERROR_INVALID_PATH);
  *reason = SLASH_OTHER_LEAF;
  return 0;
}

static u64 convict(void) {
  struct trial trial;
  struct slash slash;
  TRY(open_trial(&trial, ACCOUNT(CONVICT_AGENT), ACCOUNT(CONVICT_ACCUSATION), ACCOUNT(CONVICT_ACCUSER)));
  if (is_void(&trial)) return annul(&trial);
  TRY(judge(trial.accusation, &slash.reason));
  TRY(open_slash(&slash, ACCOUNT(CONVICT_AGENT), ACCOUNT(CONVICT_VAULT), trial.accuser->key));
  slash.epoch = trial.accusation->epoch;
  trial.agent->open -= 1;
  TRY(execute_slash(&slash));
  close_account(trial.account, trial.accuser);
  return 0;
}
