#include "agent.h"

static u64 slash_inactive(void) {
  struct account *account = ACCOUNT(SLASH_INACTIVE_AGENT);
  struct agent *agent = (struct agent *)account->data;
  struct slash slash;
  REQUIRE(has_duties(agent), ERROR_WRONG_STATE);
  REQUIRE(STATE->epoch >= agent->last + STATE->config->inactive_epochs, ERROR_TOO_EARLY);
  // Slots as well as seconds: a cluster that stood still must not make everyone late at once.
  REQUIRE(STATE->slot >= agent->last_slot + STATE->config->inactive_slots, ERROR_TOO_EARLY);
  TRY(open_slash(&slash, account, ACCOUNT(SLASH_INACTIVE_VAULT), ACCOUNT(SLASH_INACTIVE_CALLER)->key));
  slash.epoch = agent->last;
  slash.reason = SLASH_INACTIVE;
  return execute_slash(&slash);
}
