// Ed25519 proofs by the precompile, and merkle paths.
#pragma once
#include "program.h"

#define PROOF_MESSAGE 112

static const u8 ED25519_PROGRAM[32] = {3, 125, 70, 214, 124, 147, 251, 190, 18,  249, 66,  143, 131, 141, 64, 255,
                                       5, 112, 116, 73, 39,  244, 138, 100, 252, 202, 112, 68,  128, 0,   0,  0};

struct proof {
  const u8 *key;
  const u8 *message;
};

// Accepts exactly one shape of the instruction `back` places before ours: one signature whose key, signature and
// message lie inside that same instruction, in this order. Any other offsets could make the precompile check bytes
// that we do not read.
NOINLINE u64 read_proof(struct proof *proof, u64 back, u64 message_length) {
  const struct account *sysvar = 0;
  for (u64 i = 0; i < STATE->count; i++)
    if (same_key(STATE->accounts[i].key, INSTRUCTIONS_SYSVAR)) sysvar = &STATE->accounts[i];
  REQUIRE(sysvar, ERROR_INVALID_PROOF);
  u64 current = little_endian_16(sysvar->data + sysvar->length - 2);
  REQUIRE(current >= back, ERROR_INVALID_PROOF);
  const u8 *at = sysvar->data + little_endian_16(sysvar->data + 2 + 2 * (current - back));
  REQUIRE(little_endian_16(at) == 0, ERROR_INVALID_PROOF);
  REQUIRE(same_key(at + 2, ED25519_PROGRAM), ERROR_INVALID_PROOF);
  REQUIRE(little_endian_16(at + 34) == PROOF_MESSAGE + message_length, ERROR_INVALID_PROOF);
  at += 36;
  u8 head[16] = {1, 0, 48, 0, 255, 255, 16, 0, 255, 255, PROOF_MESSAGE, 0, 0, 0, 255, 255};
  head[12] = (u8)message_length;
  head[13] = (u8)(message_length >> 8);
  REQUIRE(same_bytes(at, head, 16), ERROR_INVALID_PROOF);
  proof->key = at + 16;
  proof->message = at + PROOF_MESSAGE;
  return 0;
}

static inline u64 depth_of(u64 count) {
  u64 depth = 0;
  while ((1ull << depth) < count) depth++;
  return depth;
}

// Folds a leaf with its siblings, leaf level first; the bits of the index give the sides.
NOINLINE int leads_to(const u8 *root, const u8 *leaf, u64 index, const u8 *siblings, u64 depth) {
  u8 node[32], tag = 1;
  copy_key(node, leaf);
  for (u64 level = 0; level < depth; level++) {
    const u8 *sibling = siblings + 32 * level;
    int right = index >> level & 1;
    struct slice parts[3] = {{&tag, 1}, {right ? sibling : node, 32}, {right ? node : sibling, 32}};
    sol_keccak256(parts, 3, node);
  }
  return same_key(node, root);
}
