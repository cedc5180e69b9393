#include "proof.h"

// owner/1: tag, network, then agent_id, owner, nonce and expires, big-endian.
static const u8 OWNER_TAG[] = "\xff" "agent-mesh/owner/1";
#define OWNER_NETWORK sizeof(OWNER_TAG)
#define OWNER_AGENT_ID (OWNER_NETWORK + 32)
#define OWNER_OWNER (OWNER_AGENT_ID + 32)
#define OWNER_NONCE (OWNER_OWNER + 32)
#define OWNER_EXPIRES (OWNER_NONCE + 8)
#define OWNER_LENGTH (OWNER_EXPIRES + 8)

static const u8 BASE58[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
#define LIMB 656356768u  // 58^5
#define LIMBS 10

// Limbs of five digits, lowest first; returns how many are used.
NOINLINE u64 base58_limbs(u32 *limbs, const u8 *bytes) {
  u64 used = 0;
  for (u64 i = 0; i < 32; i += 4) {
    u64 carry = (u64)bytes[i] << 24 | (u64)bytes[i + 1] << 16 | (u64)bytes[i + 2] << 8 | bytes[i + 3];
    for (u64 j = 0; j < used; j++) {
      carry += (u64)limbs[j] << 32;
      limbs[j] = (u32)(carry % LIMB);
      carry /= LIMB;
    }
    for (; carry && used < LIMBS; carry /= LIMB) limbs[used++] = (u32)(carry % LIMB);
  }
  return used;
}

NOINLINE u8 *put_base58(u8 *out, const u8 *bytes) {
  u32 limbs[LIMBS];
  u64 used = base58_limbs(limbs, bytes);
  for (u64 i = 0; i < 32 && !bytes[i]; i++) *out++ = '1';
  int leading = 1;
  while (used-- > 0) {
    u32 rest = limbs[used];
    for (u32 unit = LIMB / 58; unit; unit /= 58) {
      u32 digit = rest / unit;
      rest -= digit * unit;
      if (leading && !digit) continue;
      leading = 0;
      *out++ = BASE58[digit];
    }
  }
  return out;
}

NOINLINE u8 *put_hex(u8 *out, const u8 *bytes, u64 length) {
  for (u64 i = 0; i < 2 * length; i++) {
    u8 digit = i & 1 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4;
    *out++ = digit < 10 ? '0' + digit : 'a' + digit - 10;
  }
  return out;
}

NOINLINE u8 *put_decimal(u8 *out, u64 value) {
  u8 digits[20];
  u64 used = 0;
  do digits[used++] = '0' + value % 10;
  while (value /= 10);
  while (used) *out++ = digits[--used];
  return out;
}

NOINLINE u8 *put_bytes(u8 *out, const u8 *text, u64 length) {
  sol_memcpy_(out, text, length);
  return out + length;
}
#define PUT(out, literal) put_bytes(out, BYTES(literal), TEXT_LENGTH(literal))

// The same text as `ownerText` in owner-text.ts. Wallets show it before they sign; returns its length.
NOINLINE u64 render_owner_text(const u8 *key, const u8 *statement) {
  u8 *out = STATE->text;
  out = PUT(out, "agent-mesh ownership claim\n\n"
                 "I am the owner of this agent. This link can never be changed.\n\nnetwork: ");
  out = put_base58(out, statement + OWNER_NETWORK);
  out = PUT(out, "\nagent: ");
  out = put_base58(out, statement + OWNER_AGENT_ID);
  out = PUT(out, "\nkey: ");
  out = put_base58(out, key);
  out = PUT(out, "\nowner: ");
  out = put_base58(out, statement + OWNER_OWNER);
  out = PUT(out, "\nnonce: ");
  out = put_hex(out, statement + OWNER_NONCE, 8);
  out = PUT(out, "\nexpires: ");
  out = put_decimal(out, big_endian_64(statement + OWNER_EXPIRES));
  return out - STATE->text;
}

// The key agrees (owner/1, just before ours) and the owner agrees (the text, before that).
NOINLINE u64 read_claim(struct proof *statement) {
  struct proof text;
  TRY(read_proof(statement, 1, OWNER_LENGTH));
  REQUIRE(same_bytes(statement->message, OWNER_TAG, sizeof(OWNER_TAG)), ERROR_WRONG_STATEMENT);
  REQUIRE(same_key(statement->message + OWNER_NETWORK, STATE->config->network), ERROR_WRONG_STATEMENT);
  REQUIRE(STATE->now <= big_endian_64(statement->message + OWNER_EXPIRES), ERROR_EXPIRED);
  u64 length = render_owner_text(statement->key, statement->message);
  TRY(read_proof(&text, 2, length));
  REQUIRE(same_key(text.key, statement->message + OWNER_OWNER), ERROR_WRONG_AUTHORITY);
  REQUIRE(same_bytes(text.message, STATE->text, length), ERROR_WRONG_STATEMENT);
  return 0;
}

static u64 claim_owner(void) {
  struct account *account = ACCOUNT(CLAIM_OWNER_OWNER_LINK);
  struct proof proof;
  u8 bump;
  TRY(read_claim(&proof));
  struct slice seeds[4] = {{BYTES("owner"), 5}, {STATE->config_key, 32}, {proof.key, 32}, {&bump, 1}};
  TRY(find_derived(account, seeds, 4));
  struct creation creation = {
      ACCOUNT(CLAIM_OWNER_PAYER), account, sizeof(struct owner_link), 0, STATE->program, {seeds, 4}};
  TRY(create_account(&creation));
  struct owner_link *link = (struct owner_link *)account->data;
  sol_memcpy_(link->discriminator, OWNER_LINK_DISCRIMINATOR, 8);
  copy_key(link->config, STATE->config_key);
  copy_key(link->key, proof.key);
  copy_key(link->agent_id, proof.message + OWNER_AGENT_ID);
  copy_key(link->owner, proof.message + OWNER_OWNER);
  link->claimed_at = STATE->now;
  link->bump = bump;

  begin_event(EVENT_OWNER_CLAIMED);
  struct owner_claimed_event *event = EVENT(owner_claimed);
  copy_key(event->key, link->key);
  copy_key(event->agent_id, link->agent_id);
  copy_key(event->owner, link->owner);
  return EMIT(OWNER_CLAIMED);
}
