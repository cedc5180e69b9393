// What every instruction shares: the call's state, byte functions, derived addresses, creation and closing, events.
#pragma once
#include "abi.h"
#include "layout.h"

// The stack frame of this compiler is 512 bytes and writable globals are not allowed: state lives at the heap's start.
struct state {
  struct account accounts[MAX_ACCOUNTS];
  u64 count;
  const u8 *data;
  u64 length;
  const u8 *program;
  const struct config *config;
  const u8 *config_key;
  u64 now, slot, epoch;
  u64 args[64];
  u64 event[64];
  u8 text[512];
};
#define STATE ((struct state *)0x300000000ull)
#define ACCOUNT(name) (&STATE->accounts[name])
#define ARGS(name) ((const struct name##_args *)STATE->args)
#define SECONDS_LIMIT (1ull << 32)

static const u8 SYSTEM_PROGRAM[32] = {0};
static const u8 TOKEN_PROGRAM[32] = {6,   221, 246, 225, 215, 101, 161, 147, 217, 203, 225, 70, 206, 235, 121, 172,
                                     28,  180, 133, 237, 95,  91,  55,  145, 58,  140, 245, 133, 126, 255, 0,   169};
static const u8 ATA_PROGRAM[32] = {140, 151, 37, 143, 78, 36, 137, 241, 187, 61, 16,  41,  20,  142, 13,  131,
                                   11,  90,  19, 153, 218, 255, 16, 132, 4,  142, 123, 216, 219, 233, 248, 89};
static const u8 NATIVE_MINT[32] = {6,  155, 136, 87,  254, 171, 129, 132, 251, 104, 127, 99,  70, 24, 192, 53,
                                   218, 196, 57, 220, 26, 235, 59, 85,  152, 160, 240, 0,   0,  0,  0,  1};
static const u8 INSTRUCTIONS_SYSVAR[32] = {6,   167, 213, 23,  24, 123, 209, 102, 53,  218, 212, 4,   85, 253, 194, 192,
                                           193, 36,  198, 143, 33, 86,  117, 165, 219, 186, 203, 95,  8,  0,   0,   0};

NOINLINE int same_key(const u8 *a, const u8 *b) {
  const u64 *x = (const u64 *)a, *y = (const u64 *)b;
  return x[0] == y[0] && x[1] == y[1] && x[2] == y[2] && x[3] == y[3];
}

NOINLINE void copy_key(u8 *to, const u8 *from) {
  u64 *x = (u64 *)to;
  const u64 *y = (const u64 *)from;
  x[0] = y[0], x[1] = y[1], x[2] = y[2], x[3] = y[3];
}

static inline int zero_key(const u8 *a) { return same_key(a, SYSTEM_PROGRAM); }

NOINLINE int same_bytes(const u8 *a, const u8 *b, u64 length) {
  for (u64 i = 0; i < length; i++)
    if (a[i] != b[i]) return 0;
  return 1;
}

static inline u64 little_endian_16(const u8 *p) { return p[0] | (u64)p[1] << 8; }

NOINLINE u64 big_endian_64(const u8 *p) {
  u64 value = 0;
  for (u64 i = 0; i < 8; i++) value = value << 8 | p[i];
  return value;
}

NOINLINE void put_u32(u8 *p, u64 value) {
  for (u64 i = 0; i < 4; i++) p[i] = (u8)(value >> (8 * i));
}

NOINLINE void put_u64(u8 *p, u64 value) {
  for (u64 i = 0; i < 8; i++) p[i] = (u8)(value >> (8 * i));
}

// --- derived addresses; the last seed is the bump ---

NOINLINE u64 check_derived(const struct account *account, const struct slice *seeds, u64 count) {
  u8 derived[32];
  REQUIRE(!sol_create_program_address(seeds, count, STATE->program, derived), ERROR_WRONG_ADDRESS);
  REQUIRE(same_key(derived, account->key), ERROR_WRONG_ADDRESS);
  return 0;
}

// Leaves the bump in the byte that the last seed points to.
NOINLINE u64 find_derived(const struct account *account, struct slice *seeds, u64 count) {
  u8 derived[32];
  u8 *bump = (u8 *)seeds[count - 1].start;
  REQUIRE(!sol_try_find_program_address(seeds, count - 1, STATE->program, derived, bump), ERROR_WRONG_ADDRESS);
  REQUIRE(same_key(derived, account->key), ERROR_WRONG_ADDRESS);
  return 0;
}

NOINLINE u64 check_ata(const u8 *address, const u8 *wallet) {
  u8 derived[32], bump;
  struct slice seeds[3] = {{wallet, 32}, {TOKEN_PROGRAM, 32}, {STATE->config->mint, 32}};
  REQUIRE(!sol_try_find_program_address(seeds, 3, ATA_PROGRAM, derived, &bump), ERROR_WRONG_ADDRESS);
  REQUIRE(same_key(derived, address), ERROR_WRONG_ADDRESS);
  return 0;
}

NOINLINE u64 derive_ata(u8 *out, const u8 *wallet) {
  u8 bump;
  struct slice seeds[3] = {{wallet, 32}, {TOKEN_PROGRAM, 32}, {STATE->config->mint, 32}};
  REQUIRE(!sol_try_find_program_address(seeds, 3, ATA_PROGRAM, out, &bump), ERROR_WRONG_ADDRESS);
  return 0;
}

// --- creation and closing ---

// The threshold is a float; clusters use 2.0 (older) or 1.0, by which the rate per byte doubles or stays.
NOINLINE u64 rent_of(u64 space, u64 *lamports) {
  u64 rent[3];
  REQUIRE(!sol_get_rent_sysvar(rent), ERROR_RENT_UNKNOWN);
  u64 one_year = (space + 128) * rent[0];
  REQUIRE(rent[1] == 0x3ff0000000000000ull || rent[1] == 0x4000000000000000ull, ERROR_RENT_UNKNOWN);
  *lamports = rent[1] == 0x4000000000000000ull ? 2 * one_year : one_year;
  return 0;
}

static inline u64 call_system(u8 *data, u64 length, struct meta *metas, u64 count, const struct signer_seeds *signer) {
  struct call call = {SYSTEM_PROGRAM, metas, count, data, length};
  return sol_invoke_signed_c(&call, STATE->accounts, STATE->count, signer, signer ? 1 : 0);
}

NOINLINE u64 top_up(struct account *payer, struct account *account, u64 lamports) {
  if (*account->lamports >= lamports) return 0;
  u8 data[12];
  struct meta metas[2] = {{payer->key, 1, 1}, {account->key, 1, 0}};
  put_u32(data, 2);
  put_u64(data + 4, lamports - *account->lamports);
  return call_system(data, 12, metas, 2, 0);
}

struct creation {
  struct account *payer, *account;
  u64 space, deposit;
  const u8 *owner;
  struct signer_seeds signer;
};

// Anyone can send lamports to an address beforehand, and CreateAccount then fails for ever: so transfer what is
// missing, allocate, assign.
NOINLINE u64 create_account(const struct creation *creation) {
  struct account *account = creation->account;
  u8 data[36];
  u64 lamports;
  struct meta meta = {account->key, 1, 1};
  REQUIRE(!account->length && same_key(account->owner, SYSTEM_PROGRAM), ERROR_ALREADY_EXISTS);
  TRY(rent_of(creation->space, &lamports));
  TRY(top_up(creation->payer, account, lamports + creation->deposit));
  put_u32(data, 8);
  put_u64(data + 4, creation->space);
  TRY(call_system(data, 12, &meta, 1, &creation->signer));
  put_u32(data, 1);
  copy_key(data + 4, creation->owner);
  return call_system(data, 36, &meta, 1, &creation->signer);
}

// No data, no lamports, the System owner: the address is as if it had never been used. Lamports move without a call, so
// this comes after the last call that touches the receiver.
NOINLINE void close_account(struct account *account, struct account *receiver) {
  *receiver->lamports += *account->lamports;
  *account->lamports = 0;
  sol_memset_(account->data, 0, account->length);
  *(u64 *)(account->data - 8) = 0;
  copy_key(account->owner, SYSTEM_PROGRAM);
}

// --- events ---

#define EVENT(name) ((struct name##_event *)STATE->event)
#define EMIT(NAME) emit(NAME##_EVENT_SIZE)
#define EVENT_MARK_OFFSET __builtin_offsetof(struct config_initialized_event, mark)
#define EVENT_AUTHORITY_SEEDS(bump) \
  { {BYTES("event"), 5}, {STATE->config_key, 32}, {(bump), 1} }

static inline void begin_event(u8 code) {
  EVENT(config_initialized)->code = code;
  copy_key(EVENT(config_initialized)->config, STATE->config_key);
}

// A log line can be cut off by whoever else logs in the same transaction; the data of an instruction cannot. So an event
// is a call of the program to itself, signed for by an address that nobody else can sign for.
NOINLINE u64 emit(u64 size) {
  const struct config *config = STATE->config;
  struct slice seeds[3] = EVENT_AUTHORITY_SEEDS(&config->event_bump);
  struct signer_seeds signer = {seeds, 3};
  struct meta metas[2] = {{(u8 *)config->event_authority, 0, 1}, {(u8 *)STATE->config_key, 0, 0}};
  EVENT(config_initialized)->mark = EVENT_MARK;
  struct call call = {STATE->program, metas, 2, (u8 *)STATE->event + EVENT_MARK_OFFSET, size - EVENT_MARK_OFFSET};
  return sol_invoke_signed_c(&call, STATE->accounts, STATE->count, &signer, 1);
}

// Events of an agent begin with its key.
NOINLINE void begin_agent_event(u8 code, const struct agent *agent) {
  begin_event(code);
  copy_key(EVENT(agent_opened)->key, agent->key);
}
