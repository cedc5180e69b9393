// A dispute names an offer; the provider, who gets the same either way, says whether it stands or the rest burns.
#include "escrow.h"

static inline int window_is_open(const struct escrow *escrow) {
  return STATE->now < escrow->disputed_at + STATE->config->dispute_secs;
}

// An offer is only raised: the provider may rely on what stands. Raising gives nobody more time.
NOINLINE u64 offer(struct escrow *escrow, u64 bps) {
  REQUIRE(bps <= 10000, ERROR_INVALID_TERMS);
  if (escrow->state == ESCROW_DISPUTED) {
    REQUIRE(window_is_open(escrow), ERROR_TOO_LATE);
    REQUIRE(bps > escrow->offer_bps, ERROR_OFFER_TOO_LOW);
  } else {
    REQUIRE(escrow->state == ESCROW_DELIVERED, ERROR_WRONG_STATE);
    REQUIRE(STATE->now <= escrow->delivered_at + escrow->review_secs, ERROR_TOO_LATE);
    REQUIRE(bps >= escrow->dispute_bps, ERROR_OFFER_TOO_LOW);
    escrow->state = ESCROW_DISPUTED;
    escrow->disputed_at = STATE->now;
  }
  escrow->offer_bps = bps;
  return 0;
}

static u64 dispute(void) {
  struct escrow *escrow = (struct escrow *)ACCOUNT(DISPUTE_ESCROW)->data;
  REQUIRE(same_key(ACCOUNT(DISPUTE_REQUESTER)->key, escrow->requester), ERROR_WRONG_AUTHORITY);
  TRY(offer(escrow, ARGS(dispute)->offer_bps));
  begin_escrow_event(EVENT_ESCROW_DISPUTED, escrow);
  copy_key(EVENT(escrow_disputed)->delivery, escrow->delivery);
  EVENT(escrow_disputed)->offer_bps = escrow->offer_bps;
  return EMIT(ESCROW_DISPUTED);
}

// The provider names the highest offer it refuses, so that a raise which crosses the contest is not burnt, and raises
// of a hair do not keep it out.
static u64 contest(void) {
  struct escrow *escrow = (struct escrow *)ACCOUNT(CONTEST_ESCROW)->data;
  REQUIRE(same_key(ACCOUNT(CONTEST_PROVIDER)->key, escrow->provider), ERROR_WRONG_AUTHORITY);
  REQUIRE(escrow->state == ESCROW_DISPUTED, ERROR_WRONG_STATE);
  REQUIRE(window_is_open(escrow), ERROR_TOO_LATE);
  REQUIRE(escrow->offer_bps <= ARGS(contest)->max_bps, ERROR_OFFER_TOO_HIGH);
  escrow->state = ESCROW_CONTESTED;
  escrow->disputed_at = STATE->now;
  begin_escrow_event(EVENT_ESCROW_CONTESTED, escrow);
  EVENT(escrow_contested)->offer_bps = escrow->offer_bps;
  return EMIT(ESCROW_CONTESTED);
}

// Sets the dues and touches no token account: a payee that changes at the same moment cannot hold up the notary until
// its time is over.
static u64 decide(void) {
  struct escrow *escrow = (struct escrow *)ACCOUNT(DECIDE_ESCROW)->data;
  u8 for_provider = ARGS(decide)->for_provider;
  REQUIRE(!zero_key(escrow->notary), ERROR_WRONG_AUTHORITY);
  REQUIRE(same_key(ACCOUNT(DECIDE_NOTARY)->key, escrow->notary), ERROR_WRONG_AUTHORITY);
  REQUIRE(for_provider <= 1, ERROR_MALFORMED_DATA);
  REQUIRE(escrow->state == ESCROW_CONTESTED, ERROR_WRONG_STATE);
  REQUIRE(window_is_open(escrow), ERROR_TOO_LATE);
  if (for_provider)
    provider_was_right(escrow);
  else
    offer_stands(escrow);
  begin_escrow_event(EVENT_ESCROW_DECIDED, escrow);
  struct escrow_decided_event *event = EVENT(escrow_decided);
  event->to_provider = event->to_requester = event->burnt = 0;
  event->remaining = escrow->provider_due + escrow->requester_due;
  event->for_provider = for_provider;
  return EMIT(ESCROW_DECIDED);
}
