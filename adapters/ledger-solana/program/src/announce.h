// Who accuses has said so before it showed the header: whoever copies a proof from a transaction has not.
#pragma once
#include "program.h"

// The announcement that accuse names is the accuser's own, of this header, and old enough.
NOINLINE u64 check_announced(const u8 *agent, const u8 *id) {
  const struct announcement *announcement = (const struct announcement *)ACCOUNT(ACCUSE_ANNOUNCEMENT)->data;
  const u8 *accuser = ACCOUNT(ACCUSE_ACCUSER)->key;
  u8 commitment[32], tag = 2;
  struct slice parts[4] = {{&tag, 1}, {accuser, 32}, {agent, 32}, {id, 32}};
  sol_keccak256(parts, 4, commitment);
  REQUIRE(same_key(accuser, announcement->accuser), ERROR_NOT_ANNOUNCED);
  REQUIRE(same_key(commitment, announcement->commitment), ERROR_NOT_ANNOUNCED);
  REQUIRE(STATE->slot >= announcement->slot + STATE->config->announce_slots, ERROR_TOO_EARLY);
  return 0;
}
