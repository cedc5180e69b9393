#include "token.h"

#define SLOTS_LIMIT (1ull << 40)

#define NUMBERS_IN_ARGS __builtin_offsetof(struct init_config_args, epoch_secs)
#define NUMBERS_IN_CONFIG __builtin_offsetof(struct config, epoch_secs)
_Static_assert(INIT_CONFIG_ARGS_SIZE - NUMBERS_IN_ARGS == sizeof(struct config) - NUMBERS_IN_CONFIG, "numbers");

static inline int bounded(u64 value, u64 least, u64 most) { return value >= least && value <= most; }

// Every bound keeps a rule of the stake sound or an addition of times and amounts from overflowing.
NOINLINE u64 check_numbers(const struct config *numbers) {
  u64 epoch = numbers->epoch_secs;
  REQUIRE(bounded(epoch, 1, SECONDS_LIMIT), ERROR_INVALID_CONFIG);
  REQUIRE(bounded(numbers->challenge_secs, 1, 8 * epoch), ERROR_INVALID_CONFIG);
  REQUIRE(bounded(numbers->response_secs, 1, 4 * epoch), ERROR_INVALID_CONFIG);
  REQUIRE(bounded(numbers->unlock_secs, numbers->challenge_secs + 2 * epoch, 16 * SECONDS_LIMIT), ERROR_INVALID_CONFIG);
  REQUIRE(bounded(numbers->announce_slots, 1, 1 << 16), ERROR_INVALID_CONFIG);
  REQUIRE(numbers->response_slots <= SLOTS_LIMIT && numbers->inactive_slots <= SLOTS_LIMIT, ERROR_INVALID_CONFIG);
  REQUIRE(bounded(numbers->submit_gap, 1, 8) && numbers->skip_limit <= 32, ERROR_INVALID_CONFIG);
  REQUIRE(bounded(numbers->inactive_epochs, numbers->submit_gap + 2, 1 << 16), ERROR_INVALID_CONFIG);
  REQUIRE(bounded(numbers->min_stake, 4, 1ull << 62), ERROR_INVALID_CONFIG);
  REQUIRE(numbers->answer_reward <= numbers->accuse_deposit && numbers->accuse_deposit <= 1ull << 48, ERROR_INVALID_CONFIG);
  REQUIRE(bounded(numbers->lease_price, 1, 1ull << 40), ERROR_INVALID_CONFIG);
  REQUIRE(bounded(numbers->lease_max_epochs, 1, 1 << 15) && numbers->grace_epochs <= 1 << 15, ERROR_INVALID_CONFIG);
  REQUIRE(numbers->horizon_secs <= SECONDS_LIMIT && numbers->lead_secs <= numbers->horizon_secs, ERROR_INVALID_CONFIG);
  REQUIRE(numbers->review_max_secs <= SECONDS_LIMIT, ERROR_INVALID_CONFIG);
  REQUIRE(numbers->review_min_secs <= numbers->review_max_secs, ERROR_INVALID_CONFIG);
  // Without a second in it nobody could contest.
  REQUIRE(bounded(numbers->dispute_secs, 1, SECONDS_LIMIT), ERROR_INVALID_CONFIG);
  return 0;
}

// Computed here rather than given, so that no second config can claim the network, and thereby the signatures, of
// another.
NOINLINE u64 network_of(u8 *out, const struct init_config_args *args, const u8 *config_key) {
  u64 length = 0;
  while (length < 64 && args->network_id[length]) length++;
  REQUIRE(length, ERROR_INVALID_CONFIG);
  static const u8 tag[] = "agent-mesh/network/1";
  struct slice parts[5] = {
      {tag, sizeof tag}, {args->genesis_hash, 32}, {STATE->program, 32}, {config_key, 32}, {args->network_id, length}};
  sol_sha256(parts, 5, out);
  return 0;
}

static u64 init_config(void) {
  const struct init_config_args *args = ARGS(init_config);
  struct account *account = ACCOUNT(INIT_CONFIG_CONFIG), *mint = ACCOUNT(INIT_CONFIG_MINT);
  struct account *treasury_ata = ACCOUNT(INIT_CONFIG_TREASURY_ATA);
  REQUIRE(same_key(account->owner, STATE->program), ERROR_WRONG_OWNER);
  REQUIRE(account->length == sizeof(struct config), ERROR_WRONG_DISCRIMINATOR);
  struct config *config = (struct config *)account->data;
  REQUIRE(*(u64 *)config->discriminator == 0, ERROR_ALREADY_EXISTS);
  REQUIRE(same_key(mint->owner, TOKEN_PROGRAM) && mint->length == 82 && mint->data[45] == 1, ERROR_WRONG_MINT);
  // Wrapped SOL cannot be burnt, and a contested escrow without a decision is.
  REQUIRE(!same_key(mint->key, NATIVE_MINT), ERROR_WRONG_MINT);
  // The numbers lie in the same order and width in the arguments and in the account.
  sol_memcpy_(&config->epoch_secs, (const u8 *)args + NUMBERS_IN_ARGS, sizeof *config - NUMBERS_IN_CONFIG);
  TRY(check_numbers(config));
  TRY(network_of(config->network, args, account->key));
  copy_key(config->mint, mint->key);
  copy_key(config->treasury, args->treasury);
  copy_key(config->treasury_ata, treasury_ata->key);
  STATE->config = config;
  STATE->config_key = account->key;
  TRY(check_ata(treasury_ata->key, config->treasury));
  REQUIRE(receivable(treasury_ata), ERROR_NOT_RECEIVABLE);
  struct slice seeds[3] = EVENT_AUTHORITY_SEEDS(&config->event_bump);
  TRY(find_derived(ACCOUNT(INIT_CONFIG_EVENT_AUTHORITY), seeds, 3));
  copy_key(config->event_authority, ACCOUNT(INIT_CONFIG_EVENT_AUTHORITY)->key);
  sol_memcpy_(config->discriminator, CONFIG_DISCRIMINATOR, 8);

  begin_event(EVENT_CONFIG_INITIALIZED);
  struct config_initialized_event *event = EVENT(config_initialized);
  copy_key(event->network, config->network);
  copy_key(event->mint, config->mint);
  copy_key(event->treasury, config->treasury);
  return EMIT(CONFIG_INITIALIZED);
}
