#include "agent.h"

// The sequence number in a nonce has 22 bits and starts at 1.
#define MAX_COUNT ((1u << 22) - 1)

static u64 bits_of(u32 value) {
  u64 bits = 0;
  for (; value; value &= value - 1) bits++;
  return bits;
}

static u64 check_epoch(struct agent *agent, u64 epoch) {
  const struct config *config = STATE->config;
  REQUIRE(epoch < STATE->epoch, ERROR_EPOCH_NOT_OVER);
  REQUIRE(epoch > agent->last && epoch - agent->last <= config->submit_gap, ERROR_EPOCH_ORDER);
  REQUIRE(epoch > agent->settled_epoch, ERROR_SETTLED_EPOCH);
  u64 skipped = epoch - agent->last - 1;
  u32 history = agent->skip_history << skipped | ((1u << skipped) - 1);
  agent->skip_history = history << 1;
  REQUIRE(!skipped || bits_of(agent->skip_history) <= config->skip_limit, ERROR_TOO_MANY_SKIPS);
  return 0;
}

static u64 submit_batch(void) {
  const struct submit_batch_args *args = ARGS(submit_batch);
  struct agent *agent = (struct agent *)ACCOUNT(SUBMIT_BATCH_AGENT)->data;
  u64 epoch = args->epoch;
  REQUIRE(same_key(ACCOUNT(SUBMIT_BATCH_KEY)->key, agent->key), ERROR_WRONG_AUTHORITY);
  REQUIRE(staked(agent), ERROR_WRONG_STATE);
  REQUIRE(args->count <= MAX_COUNT && (args->count || zero_key(args->root)), ERROR_INVALID_BATCH);
  TRY(check_epoch(agent, epoch));
  struct batch_entry *entry = &agent->ring[epoch % RING_SIZE];
  REQUIRE(!entry->submitted_at || STATE->now > entry->submitted_at + STATE->config->challenge_secs, ERROR_WINDOW_OPEN);
  entry->epoch = epoch;
  entry->submitted_at = STATE->now;
  entry->slot = STATE->slot;
  entry->count = args->count;
  copy_key(entry->root, args->root);
  agent->last = epoch;
  agent->last_at = STATE->now;
  agent->last_slot = STATE->slot;

  begin_agent_event(EVENT_BATCH_SUBMITTED, agent);
  struct batch_submitted_event *event = EVENT(batch_submitted);
  event->epoch = epoch;
  event->count = args->count;
  copy_key(event->root, args->root);
  return EMIT(BATCH_SUBMITTED);
}
