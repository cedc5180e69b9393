// The machine: integer types, the runtime's C structures and syscalls, and the parsed input of this call.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define NOINLINE static __attribute__((noinline))
#define BYTES(literal) ((const u8 *)(literal))
#define TEXT_LENGTH(literal) (sizeof(literal) - 1)

struct slice {
  const u8 *start;
  u64 length;
};

struct account {
  u8 *key;
  u64 *lamports;
  u64 length;
  u8 *data;
  u8 *owner;
  u64 rent_epoch;
  u8 signer, writable, executable;
};

struct meta {
  u8 *key;
  u8 writable, signer;
};

struct call {
  const u8 *program;
  struct meta *metas;
  u64 count;
  u8 *data;
  u64 length;
};

struct signer_seeds {
  const struct slice *seeds;
  u64 count;
};

extern u64 sol_memcpy_(void *to, const void *from, u64 length);
extern u64 sol_memset_(void *to, u64 value, u64 length);
extern u64 sol_sha256(const struct slice *slices, u64 count, u8 *out);
extern u64 sol_keccak256(const struct slice *slices, u64 count, u8 *out);
extern u64 sol_get_clock_sysvar(void *out);
extern u64 sol_get_rent_sysvar(void *out);
extern u64 sol_create_program_address(const struct slice *seeds, u64 count, const u8 *program, u8 *out);
extern u64 sol_try_find_program_address(const struct slice *seeds, u64 count, const u8 *program, u8 *out, u8 *bump);
extern u64 sol_invoke_signed_c(const struct call *call, const struct account *accounts, u64 count,
                               const struct signer_seeds *signers, u64 signer_count);

#define TRY(expression)                \
  do {                                 \
    u64 failure = (expression);        \
    if (failure) return failure;       \
  } while (0)

#define REQUIRE(condition, error)      \
  do {                                 \
    if (!(condition)) return (error);  \
  } while (0)
