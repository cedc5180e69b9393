#include "announce.h"

static u64 announce(void) {
  struct account *accuser = ACCOUNT(ANNOUNCE_ACCUSER), *account = ACCOUNT(ANNOUNCE_ANNOUNCEMENT);
  const u8 *commitment = ARGS(announce)->commitment;
  u8 bump;
  // The accuser is part of the address: nobody else can take the place of a hash that it has seen.
  struct slice seeds[5] = {
      {BYTES("announce"), 8}, {STATE->config_key, 32}, {accuser->key, 32}, {commitment, 32}, {&bump, 1}};
  TRY(find_derived(account, seeds, 5));
  struct creation creation = {accuser, account, sizeof(struct announcement), 0, STATE->program, {seeds, 5}};
  TRY(create_account(&creation));
  struct announcement *announcement = (struct announcement *)account->data;
  sol_memcpy_(announcement->discriminator, ANNOUNCEMENT_DISCRIMINATOR, 8);
  copy_key(announcement->config, STATE->config_key);
  copy_key(announcement->accuser, accuser->key);
  copy_key(announcement->commitment, commitment);
  announcement->slot = STATE->slot;
  announcement->bump = bump;
  return 0;
}

static u64 retract(void) {
  struct account *accuser = ACCOUNT(RETRACT_ACCUSER), *account = ACCOUNT(RETRACT_ANNOUNCEMENT);
  const struct announcement *announcement = (const struct announcement *)account->data;
  REQUIRE(same_key(accuser->key, announcement->accuser), ERROR_WRONG_AUTHORITY);
  close_account(account, accuser);
  return 0;
}
