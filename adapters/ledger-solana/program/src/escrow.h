// What the instructions on an escrow share.
#pragma once
#include "token.h"

enum escrow_state { ESCROW_LOCKED = 1, ESCROW_DELIVERED, ESCROW_DISPUTED, ESCROW_CONTESTED, ESCROW_SPLITTING };

// Every escrow event begins like this one.
NOINLINE void begin_escrow_event(u8 code, const struct escrow *escrow) {
  begin_event(code);
  struct escrow_reclaimed_event *event = EVENT(escrow_reclaimed);
  copy_key(event->requester, escrow->requester);
  copy_key(event->provider, escrow->provider);
  sol_memcpy_(event->conversation, escrow->conversation, 16);
  event->amount = escrow->amount;
}

// What the offer leaves of an amount: rounded down, without leaving 64 bits.
static inline u64 offered(const struct escrow *escrow, u64 amount) {
  u64 bps = escrow->offer_bps;
  return amount / 10000 * bps + amount % 10000 * bps / 10000;
}

// How an escrow ends is decided here, once; what follows only pays.
NOINLINE void set_dues(struct escrow *escrow, u64 provider, u64 requester) {
  escrow->provider_due = provider;
  escrow->requester_due = requester;
  escrow->state = ESCROW_SPLITTING;
}

static inline void all_to_requester(struct escrow *escrow) { set_dues(escrow, 0, escrow->amount + escrow->bond); }

static inline void amount_to_provider(struct escrow *escrow) { set_dues(escrow, escrow->amount, escrow->bond); }

// The requester objected wrongly: it loses of its bond what it disputed of the amount.
NOINLINE void provider_was_right(struct escrow *escrow) {
  u64 kept = offered(escrow, escrow->bond);
  set_dues(escrow, escrow->amount + escrow->bond - kept, kept);
}

NOINLINE void offer_stands(struct escrow *escrow) {
  u64 share = offered(escrow, escrow->amount);
  set_dues(escrow, share, escrow->amount - share + escrow->bond);
}
